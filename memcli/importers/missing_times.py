"""Missing times: the time given to a record whose source has none, or one that cannot be parsed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from memcli.importers.records import Turn, UnreadTime, When, known
from memcli.text.secrets.redaction import secrets_in_value
from memcli.times import FIRST, LAST

_TICK = timedelta(milliseconds=1)


def own_time(at: When) -> datetime | None:
    """Return the time that is a statement's own and part of its identity; None for a substitute."""
    return at if isinstance(at, datetime) else None


def undated_mark(when: When) -> dict[str, Any]:
    """Return the mark kept beside a text of unknown time: the unparsed value in its place."""
    if not isinstance(when, UnreadTime) or when.instead:
        return {}
    return {"undated": True if secrets_in_value(when.told) else when.told}


def shifted(at: datetime, ticks: int) -> datetime:
    """Return a time that many milliseconds later, or earlier; at an end of the calendar, that end."""
    try:
        return at + ticks * _TICK
    except OverflowError:
        return LAST if ticks > 0 else FIRST


def first_times(turns: Sequence[Turn]) -> dict[str, datetime]:
    """Return times for conversations whose first turns have none: just before the first turn that has one."""
    waiting: dict[str, int] = {}
    found: dict[str, datetime] = {}
    for turn in turns:
        if turn.conversation in found:
            continue
        before = waiting.setdefault(turn.conversation, 0)
        if at := known(turn.at):
            found[turn.conversation] = shifted(at, -before)
        else:
            waiting[turn.conversation] += 1
    return found
