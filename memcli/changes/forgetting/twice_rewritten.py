"""Twice rewritten lines: merge one line of history that erasures on two machines rewrote separately."""

from __future__ import annotations

from typing import Any

from memcli.changes.forgetting.mentions import NAMING, SAID_BESIDE
from memcli.changes.forgetting.quotations import FORGOTTEN_NAME, NOTE
from memcli.model import Event

Fields = dict[str, Any]


def left_by_both(ours: Event, theirs: Event) -> Event:
    """Return our line without what theirs lacks because an erasure removed it.

    If they differ in anything that no erasure removes (`Mentions.event_without_quotes`), they are two
    lines, and ours is returned as it is.
    """
    if _fixed(ours.before) != _fixed(theirs.before) or _fixed(ours.after) != _fixed(theirs.after):
        return ours
    return ours._replace(
        actor=_fewer_names(ours.actor, theirs.actor), reason=ours.reason if theirs.reason else None,
        before=_common(ours.before, theirs.before), after=_common(ours.after, theirs.after),
    )  # fmt: skip


def _fixed(fields: Fields | None) -> Fields | None:
    """Return the fields that no erasure removes; removable ones are blanked."""
    if not fields:
        return fields
    fixed = fields | {name: None for name in (*SAID_BESIDE, *NAMING) if name in fields}
    return fixed | ({"data": _noteless(data)} if isinstance(data := fields.get("data"), dict) else {})


def _noteless(data: Fields) -> Fields:
    return {name: value for name, value in data.items() if name != NOTE}


def _common(ours: Fields | None, theirs: Fields | None) -> Fields | None:
    if not ours or not theirs:
        return ours
    return {name: _common_value(name, value, theirs[name]) for name, value in ours.items()}


def _common_value(name: str, ours: Any, theirs: Any) -> Any:
    if ours == theirs:
        return ours
    if isinstance(ours, list) and isinstance(theirs, list):
        return [each for each in ours if each in theirs]
    if isinstance(ours, dict):
        return {**ours, NOTE: None}
    if name in NAMING and isinstance(ours, str) and isinstance(theirs, str):
        return _fewer_names(ours, theirs)
    return None


def _fewer_names(ours: str, theirs: str) -> str:
    """Return the one of two forms of a text in which more names are removed (`Excerpts.without_names`)."""
    return theirs if theirs.count(FORGOTTEN_NAME) > ours.count(FORGOTTEN_NAME) else ours
