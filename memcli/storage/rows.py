"""Rows to nouns of the model and back: pure conversions, no connection.

Every engine keeps the same values in the same columns: instants as ISO texts, lists and objects as JSON, so
that a row has one digest everywhere.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from memcli.model import (
    ENDINGS,
    FIELD_NAMES,
    KINDS,
    SOURCES,
    Change,
    Event,
    Link,
    Memory,
    State,
)
from memcli.storage import digests
from memcli.times import from_iso, to_iso

MEMORY_COLUMNS = ", ".join(f"m.{name}" for name in FIELD_NAMES)
_LINK = (
    "id", "space", "subject", "relation", "object", "evidence", "confidence", "valid_from", "valid_until",
    "created_at", "ended_at", "data",
)  # fmt: skip
LINK_COLUMNS = ", ".join(_LINK)
_STATE = ("space", "area", "key", "value", "version", "created_at", "updated_at", "expires_at")
STATE_COLUMNS = ", ".join(_STATE)
_EVENT = ("at", "memory", "action", "actor", "reason", "before", "after", "change", "undoes")
EVENT_COLUMNS = ", ".join(_EVENT)

# The errors that reading a damaged row may raise.
UNREADABLE = (ValueError, TypeError, OverflowError, RecursionError)
_NUMERIC: dict[str, type] = {
    "confidence": float, "importance": float, "trusted": int, "access_count": int, "confirm_count": int,
    "version": int,
}  # fmt: skip
_NULLABLE = frozenset((
    "session", "valid_from", "valid_until", "expires_at", "ended_at", "ended_as", "ended_why", "replaced_by",
    "supersedes", "accessed_at", "confirmed_at", "evidence", "reason", "before", "after", "change", "undoes",
))  # fmt: skip
# The column types of rows found valid: there are few combinations, and a look-up costs less than a check.
_MEMORY_TYPES: set[tuple[type, ...]] = set()
_LINK_TYPES: set[tuple[type, ...]] = set()
_STATE_TYPES: set[tuple[type, ...]] = set()
_EVENT_TYPES: set[tuple[type, ...]] = set()
# The fields that history leaves out: it has columns of its own for who and when.
_UNRECORDED = ("id", "created_at", "updated_at", "access_count", "accessed_at")
# A count beyond this comes from a damaged row.
_MANY = 2**53


def _real(number: float) -> float:
    """Return a number as its column keeps it, without -0.0: a digest must cover what is read again."""
    return float(number) + 0.0


_encoded = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode


def to_json(value: Any) -> str:
    """Return JSON as stored: compact, sorted, readable in any script."""
    return _encoded(value)


def memory_values(memory: Memory, record: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the column values of a memory, by name, with its digests; `record` is its record if at hand."""
    values = {**record} if record is not None else memory.to_record()
    values["tags"] = to_json(values["tags"]) if memory.tags else "[]"
    values["data"] = to_json(values["data"]) if memory.data else "{}"
    values["trusted"] = int(memory.trusted)
    values["confidence"], values["importance"] = _real(memory.confidence), _real(memory.importance)
    values["digest"] = digests.digest_of(digests.MEMORY, values)
    values["use_digest"] = digests.digest_of(digests.USE, values)
    return values


def memory_from_row(row: Sequence[Any]) -> Memory:
    """Return a memory from a row of MEMORY_COLUMNS. Raises one of UNREADABLE for impossible values."""
    _check_types(row, _MEMORY_TYPES, FIELD_NAMES)
    # Optimised (positional, no needless calls), since a recall reads hundreds.
    (
        memory_id, kind, text, space, session, tags, confidence, importance, source, origin, trusted,
        happened, since, until, expires, created, updated, ended, ended_as, ended_why, replaced_by,
        supersedes, access_count, accessed, confirm_count, confirmed, data,
    ) = row  # fmt: skip
    if kind not in KINDS or source not in SOURCES:
        raise ValueError("no kind or no source")
    if not (ended_as is None or ended_as in ENDINGS):
        raise ValueError("no ending")
    if not (0 <= confidence <= 1 and 0 <= importance <= 1):
        raise ValueError("no fraction")
    if not (0 <= access_count < _MANY and 0 <= confirm_count < _MANY):
        raise ValueError("no count")
    return Memory(
        id=memory_id, kind=kind, text=text, space=space, session=session,
        tags=() if tags == "[]" else tuple(_names(tags)),
        confidence=confidence, importance=importance, source=source, origin=origin, trusted=bool(trusted),
        happened_at=from_iso(happened), valid_from=time_or_none(since), valid_until=time_or_none(until),
        expires_at=time_or_none(expires), created_at=from_iso(created), updated_at=from_iso(updated),
        ended_at=time_or_none(ended), ended_as=ended_as, ended_why=ended_why, replaced_by=replaced_by,
        supersedes=supersedes, access_count=access_count, accessed_at=time_or_none(accessed),
        confirm_count=confirm_count, confirmed_at=time_or_none(confirmed),
        data={} if data == "{}" else _object(data),
    )  # fmt: skip


def link_values(link: Link) -> tuple[Any, ...]:
    """Return the column values of a link, in the order of LINK_COLUMNS."""
    return (
        link.id, link.space, link.subject, link.relation, link.object, link.evidence,
        _real(link.confidence), text_or_none(link.valid_from), text_or_none(link.valid_until),
        to_iso(link.created_at), text_or_none(link.ended_at), to_json(link.data),
    )  # fmt: skip


def link_from_row(row: Sequence[Any]) -> Link:
    """Return a link from a row of LINK_COLUMNS. Raises one of UNREADABLE."""
    _check_types(row, _LINK_TYPES, _LINK)
    # Optimised like `memory_from_row`: a walk through a graph reads tens of thousands.
    link_id, space, subject, relation, obj, evidence, confidence, since, until, created, ended, data = row
    return Link(
        link_id, space, subject, relation, obj, evidence, confidence,
        since and from_iso(since), until and from_iso(until), from_iso(created),
        ended and from_iso(ended), {} if data == "{}" else _object(data),
    )  # fmt: skip


def state_values(state: State) -> tuple[Any, ...]:
    """Return the column values of a keyed value, in the order of STATE_COLUMNS."""
    return (
        state.space, state.area, state.key, to_json(state.value), state.version,
        to_iso(state.created_at), to_iso(state.updated_at), text_or_none(state.expires_at),
    )  # fmt: skip


def state_from_row(row: Sequence[Any]) -> State:
    """Return a keyed value from a row of STATE_COLUMNS. Raises one of UNREADABLE."""
    _check_types(row, _STATE_TYPES, _STATE)
    return State(
        space=row[0], area=row[1], key=row[2], value=json.loads(row[3]), version=row[4],
        created_at=from_iso(row[5]), updated_at=from_iso(row[6]), expires_at=time_or_none(row[7]),
    )  # fmt: skip


def event_values(event: Event) -> tuple[Any, ...]:
    """Return the column values of a history line, in the order of EVENT_COLUMNS."""
    return (
        to_iso(event.at), event.memory, event.action, event.actor, event.reason,
        None if event.before is None else to_json(event.before),
        None if event.after is None else to_json(event.after), event.change, event.undoes,
    )  # fmt: skip


def changed_fields(before: dict[str, Any], after: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the fields in which two records differ: the old values and the new ones."""
    names = [name for name in after if before.get(name) != after[name]]
    return {name: before.get(name) for name in names}, {name: after[name] for name in names}


def recorded_change(
    before: Memory | None, after: Memory, change: Change, at: datetime, record: dict[str, Any] | None = None
) -> Event:
    """Return the history line for a change of one memory; its number is assigned by the store.

    `record` is that of the memory as it is now, if at hand.
    """
    new = after.to_record() if record is None else record
    if before is None:
        old, new = None, {name: value for name, value in new.items() if value is not None}
    else:
        old, new = changed_fields(before.to_record(), new)
    for name in _UNRECORDED:
        new.pop(name, None)
        if old:
            old.pop(name, None)
    return Event(
        number=0, at=at, memory=after.id, action=change.action, actor=change.actor,
        reason=change.reason, before=old, after=new, change=change.id, undoes=change.undoes,
    )  # fmt: skip


def erased_change(
    memory: str, change: Change, at: datetime, marks: Mapping[str, Mapping[str, Any]] | None
) -> Event:
    """Return the history line that remains of an erased memory."""
    return Event(
        number=0, at=at, memory=memory, action=change.action, actor=change.actor, reason=change.reason,
        before=None, after=dict(marks[memory]) if marks and memory in marks else None, change=change.id,
    )  # fmt: skip


def rewritten_values(event: Event) -> dict[str, Any]:
    """Return the columns of a history line that an erasure rewrites."""
    values = dict(zip(_EVENT, event_values(event), strict=True))
    return {name: values[name] for name in ("actor", "reason", "before", "after")}


def event_from_row(row: Sequence[Any]) -> Event:
    """Return a history line from its number and its row of EVENT_COLUMNS. Raises one of UNREADABLE."""
    _check_types(row[1:], _EVENT_TYPES, _EVENT)
    return Event(
        number=row[0], at=from_iso(row[1]), memory=row[2], action=row[3], actor=row[4],
        reason=row[5], before=_object(row[6]) if row[6] else None,
        after=_object(row[7]) if row[7] else None, change=row[8], undoes=row[9],
    )  # fmt: skip


def with_digest(
    digest: digests.Digest, columns: str, values: tuple[Any, ...], standing: Sequence[Any] = ()
) -> tuple[Any, ...]:
    """Return a row's values and digest; a row that replaces a damaged one keeps that one's digest."""
    if standing and not is_sound(digest, columns, standing):
        return (*values, standing[-1])
    row = dict(zip(columns.split(", "), values, strict=True))
    return (*values, digests.digest_of(digest, row))


def is_sound(digest: digests.Digest, columns: str, row: Sequence[Any]) -> bool:
    """True if a row of these columns matches the digest after them."""
    values = dict(zip(columns.split(", "), row[:-1], strict=True))
    return bool(row[-1] == digests.digest_of(digest, values))


def _check_types(row: Sequence[Any], known: set[tuple[type, ...]], names: Sequence[str]) -> None:
    """Raise TypeError for a value of a type that its column never has, as after a flipped bit."""
    types = tuple(map(type, row))
    if types in known:
        return
    for name, kind in zip(names, types, strict=True):
        wanted = _NUMERIC.get(name, str)
        if not (kind is wanted or (kind is type(None) and name in _NULLABLE)):
            raise TypeError(f"{name} is of another type")
    known.add(types)


def _object(text: str) -> dict[str, Any]:
    value = json.loads(text)
    if not isinstance(value, dict):
        raise TypeError("no JSON object")
    return value


def _names(text: str) -> list[str]:
    value = json.loads(text)
    if not (isinstance(value, list) and all(isinstance(each, str) for each in value)):
        raise TypeError("no JSON array of names")
    return value


def is_readable(table: str, row: Mapping[str, Any]) -> bool:
    """True if a row of a table, by column names, has possible values."""
    columns, make = _READERS.get(table, ((), None))
    if make is None:
        return True
    try:
        make([row[name] for name in columns])
    except UNREADABLE:
        return False
    return True


_READERS: dict[str, tuple[tuple[str, ...], Callable[[Sequence[Any]], Any] | None]] = {
    "memories": (FIELD_NAMES, memory_from_row),
    "links": (_LINK, link_from_row),
    "states": (_STATE, state_from_row),
    "history": (("number", *_EVENT), event_from_row),
}


def text_or_none(instant: datetime | None) -> str | None:
    """Return an instant as text, or None."""
    return to_iso(instant) if instant else None


def time_or_none(text: str | None) -> datetime | None:
    """Return an instant from its text, or None."""
    return None if text is None else from_iso(text)
