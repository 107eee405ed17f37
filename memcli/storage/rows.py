"""Between rows and the nouns of the model: conversions and filters, no connection.

Every engine keeps the same values in the same columns: instants as ISO texts, lists and objects as JSON,
so that a row has one digest wherever it stands. Where SQL itself differs, `Dialect` says how.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from memcli.model import (
    ENDINGS,
    FIELD_NAMES,
    KINDS,
    LEAST_STAY,
    OVERTAKEN,
    SOURCES,
    TIME_FIELDS,
    Change,
    Event,
    Filter,
    Link,
    Memory,
    State,
    changed_fields,
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

# What reading a damaged row raises.
UNREADABLE = (ValueError, TypeError, OverflowError, RecursionError)
_NUMERIC: dict[str, type] = {
    "confidence": float, "importance": float, "trusted": int, "access_count": int, "confirm_count": int,
    "version": int,
}  # fmt: skip
_NULLABLE = frozenset((
    "session", "valid_from", "valid_until", "expires_at", "ended_at", "ended_as", "ended_why", "replaced_by",
    "supersedes", "accessed_at", "confirmed_at", "evidence", "reason", "before", "after", "change", "undoes",
))  # fmt: skip
# The types of rows that were found well; there are few, and looking one up costs less than looking again.
_MEMORY_TYPES: set[tuple[type, ...]] = set()
_LINK_TYPES: set[tuple[type, ...]] = set()
_STATE_TYPES: set[tuple[type, ...]] = set()
_EVENT_TYPES: set[tuple[type, ...]] = set()
# What history leaves out: it has columns of its own for who and when.
_UNRECORDED = ("id", "created_at", "updated_at", "access_count", "accessed_at")
# No use is counted so far.
_MANY = 2**53


def _real(number: float) -> float:
    """A number as its column keeps it, which knows no -0.0: a digest covers what is read again."""
    return float(number) + 0.0


_encoded = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode


def to_json(value: Any) -> str:
    """JSON as it stands in the file: compact, sorted, readable in any script."""
    return _encoded(value)


def memory_values(memory: Memory, record: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The column values of a memory, by name, its digests among them; of its `record` where that is made."""
    values = {**record} if record is not None else memory.to_record()
    values["tags"] = to_json(values["tags"]) if memory.tags else "[]"
    values["data"] = to_json(values["data"]) if memory.data else "{}"
    values["trusted"] = int(memory.trusted)
    values["confidence"], values["importance"] = _real(memory.confidence), _real(memory.importance)
    values["digest"] = digests.digest_of(digests.MEMORY, values)
    values["use_digest"] = digests.digest_of(digests.USE, values)
    return values


def memory_from_row(row: Sequence[Any]) -> Memory:
    """A memory from a row of MEMORY_COLUMNS. Raises one of UNREADABLE where it says what none can be."""
    _check_types(row, _MEMORY_TYPES, FIELD_NAMES)
    values = dict(zip(FIELD_NAMES, row, strict=True))
    for name in TIME_FIELDS:
        if values[name] is not None:
            values[name] = from_iso(values[name])
    # Most memories have neither, and recall reads hundreds.
    values["tags"] = () if values["tags"] == "[]" else tuple(_names(values["tags"]))
    values["data"] = {} if values["data"] == "{}" else _object(values["data"])
    values["trusted"] = bool(values["trusted"])
    if values["kind"] not in KINDS or values["source"] not in SOURCES:
        raise ValueError("no kind or no source")
    if not (values["ended_as"] is None or values["ended_as"] in ENDINGS):
        raise ValueError("no ending")
    if not (0 <= values["confidence"] <= 1 and 0 <= values["importance"] <= 1):
        raise ValueError("no fraction")
    if not (0 <= values["access_count"] < _MANY and 0 <= values["confirm_count"] < _MANY):
        raise ValueError("no count")
    return Memory(**values)


def link_values(link: Link) -> tuple[Any, ...]:
    """The column values of a link, in the order of LINK_COLUMNS."""
    return (
        link.id, link.space, link.subject, link.relation, link.object, link.evidence,
        _real(link.confidence), text_or_none(link.valid_from), text_or_none(link.valid_until),
        to_iso(link.created_at), text_or_none(link.ended_at), to_json(link.data),
    )  # fmt: skip


def link_from_row(row: Sequence[Any]) -> Link:
    """A link from a row of LINK_COLUMNS. Raises one of UNREADABLE."""
    _check_types(row, _LINK_TYPES, _LINK)
    # Without names and calls: a walk through a graph reads tens of thousands.
    link_id, space, subject, relation, obj, evidence, confidence, since, until, created, ended, data = row
    return Link(
        link_id, space, subject, relation, obj, evidence, confidence,
        since and from_iso(since), until and from_iso(until), from_iso(created),
        ended and from_iso(ended), {} if data == "{}" else _object(data),
    )  # fmt: skip


def state_values(state: State) -> tuple[Any, ...]:
    """The column values of a keyed value, in the order of STATE_COLUMNS."""
    return (
        state.space, state.area, state.key, to_json(state.value), state.version,
        to_iso(state.created_at), to_iso(state.updated_at), text_or_none(state.expires_at),
    )  # fmt: skip


def state_from_row(row: Sequence[Any]) -> State:
    """A keyed value from a row of STATE_COLUMNS. Raises one of UNREADABLE."""
    _check_types(row, _STATE_TYPES, _STATE)
    return State(
        space=row[0], area=row[1], key=row[2], value=json.loads(row[3]), version=row[4],
        created_at=from_iso(row[5]), updated_at=from_iso(row[6]), expires_at=time_or_none(row[7]),
    )  # fmt: skip


def event_values(event: Event) -> tuple[Any, ...]:
    """The column values of a line of history, in the order of EVENT_COLUMNS."""
    return (
        to_iso(event.at), event.memory, event.action, event.actor, event.reason,
        None if event.before is None else to_json(event.before),
        None if event.after is None else to_json(event.after), event.change, event.undoes,
    )  # fmt: skip


def recorded_change(
    before: Memory | None, after: Memory, change: Change, at: datetime, record: dict[str, Any] | None = None
) -> Event:
    """The line of history that a change of one memory makes; its number is the store's.

    `record` is that of the memory as it is now, where it is made already.
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
    """The line of history that is left of an erased memory."""
    return Event(
        number=0, at=at, memory=memory, action=change.action, actor=change.actor, reason=change.reason,
        before=None, after=dict(marks[memory]) if marks and memory in marks else None, change=change.id,
    )  # fmt: skip


def rewritten_values(event: Event) -> dict[str, Any]:
    """The columns of a line of history that an erasure rewrites."""
    values = dict(zip(_EVENT, event_values(event), strict=True))
    return {name: values[name] for name in ("actor", "reason", "before", "after")}


def event_from_row(row: Sequence[Any]) -> Event:
    """A line of history from its number and its row of EVENT_COLUMNS. Raises one of UNREADABLE."""
    _check_types(row[1:], _EVENT_TYPES, _EVENT)
    return Event(
        number=row[0], at=from_iso(row[1]), memory=row[2], action=row[3], actor=row[4],
        reason=row[5], before=_object(row[6]) if row[6] else None,
        after=_object(row[7]) if row[7] else None, change=row[8], undoes=row[9],
    )  # fmt: skip


def with_digest(
    digest: digests.Digest, columns: str, values: tuple[Any, ...], standing: Sequence[Any] = ()
) -> tuple[Any, ...]:
    """The values of a row and, after them, its digest; in place of a damaged one that of this, as before."""
    if standing and not is_sound(digest, columns, standing):
        return (*values, standing[-1])
    row = dict(zip(columns.split(", "), values, strict=True))
    return (*values, digests.digest_of(digest, row))


def is_sound(digest: digests.Digest, columns: str, row: Sequence[Any]) -> bool:
    """Whether a row of these columns is as the digest after them says."""
    values = dict(zip(columns.split(", "), row[:-1], strict=True))
    return bool(row[-1] == digests.digest_of(digest, values))


def _check_types(row: Sequence[Any], known: set[tuple[type, ...]], names: Sequence[str]) -> None:
    """Raise TypeError for a value of a type that its column never has; a flipped bit may make one."""
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
    """Whether a row of a table, by its columns' names, says what one of them can say."""
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
    """An instant's text, or None."""
    return to_iso(instant) if instant else None


def time_or_none(text: str | None) -> datetime | None:
    """An instant from its text, or None."""
    return from_iso(text) if text else None


class Dialect(NamedTuple):
    """What a condition is written by in one engine."""

    mark: str
    """Stands for a value."""
    tagged: str
    """That a memory has a tag, which is the value."""
    stayed: str
    """That from one instant to another so many days went by at least."""


SQLITE = Dialect(
    "?", "m.seq IN (SELECT memory FROM memory_tags WHERE tag = ?)",
    "julianday({until}) - julianday({since}) >= {days}",
)  # fmt: skip


def filter_condition(where: Filter, dialect: Dialect = SQLITE) -> tuple[str, list[Any]]:  # noqa: PLR0912 - one branch a field
    """A filter as an SQL condition on `memories m`, with its parameters."""
    parts: list[str] = []
    values: list[Any] = []

    def among(column: str, wanted: Sequence[str]) -> None:
        parts.append(f"m.{column} IN ({marks(len(wanted), dialect)})")
        values.extend(wanted)

    def holds(sql: str, value: Any) -> None:
        parts.append(sql.replace("?", dialect.mark))
        values.append(value)

    if where.spaces is not None:
        among("space", where.spaces)
    if where.kinds:
        among("kind", where.kinds)
    if where.lapsed:
        parts.append("m.ended_at IS NULL")
        at = to_iso(where.at) if where.at else ""
        parts.append(f"(m.expires_at <= {dialect.mark} OR m.valid_until <= {dialect.mark})")
        values.extend((at, at))
    elif where.ended_until:
        holds("m.ended_at <= ?", to_iso(where.ended_until))
    elif where.past and (where.past_only or where.live):
        was_true, then = _true_condition(where.past, where.at, dialect)
        live, now = ("FALSE", []) if where.past_only else _live_condition(where.at, dialect)
        parts.append(f"({was_true} OR {live})")
        values.extend((*then, *now))
    elif where.live:
        live, now = _live_condition(where.at, dialect)
        parts.append(live)
        values.extend(now)
    if where.sessions:
        among("session", where.sessions)
    if where.sources:
        among("source", where.sources)
    for tag in where.tags:
        holds(dialect.tagged, tag)
    # What was true over a span is meant if the span and the asked-for one touch.
    if where.since:
        holds(
            "coalesce(m.valid_until, CASE WHEN m.valid_from IS NULL THEN m.happened_at ELSE '9999' END) >= ?",
            to_iso(where.since),
        )
    if where.until:
        holds("coalesce(m.valid_from, m.happened_at) <= ?", to_iso(where.until))
    if where.created_since:
        holds("m.created_at >= ?", to_iso(where.created_since))
    if where.trusted is not None:
        holds("m.trusted = ?", int(where.trusted))
    if where.min_confidence > 0:
        holds("m.confidence >= ?", where.min_confidence)
    if where.less_important is not None:
        holds("m.importance < ?", where.less_important)
    if where.min_importance > 0:
        holds("m.importance >= ?", where.min_importance)
    return " AND ".join(parts) or "TRUE", values


def _live_condition(at: datetime | None, dialect: Dialect) -> tuple[str, list[Any]]:
    """Neither ended, nor expired or out of its validity at an instant."""
    if at is None:
        return "m.ended_at IS NULL", []
    columns = ("expires_at", "valid_until")
    unlapsed = (f"(m.{column} IS NULL OR m.{column} > {dialect.mark})" for column in columns)
    return f"(m.ended_at IS NULL AND {' AND '.join(unlapsed)})", [to_iso(at)] * 2


# As `memcli.model.true_span` tells it.
_BEGAN = "coalesce(m.valid_from, m.happened_at)"
_OVERTAKEN = ", ".join(repr(each) for each in sorted(OVERTAKEN))
_TRUE_FROM = f"CASE WHEN m.valid_from IS NULL AND m.valid_until < m.happened_at THEN '' ELSE {_BEGAN} END"
_ENDS = ("coalesce(m.valid_until, '9999')", "coalesce(m.ended_at, '9999')")
_TRUE_UNTIL = (
    "CASE WHEN m.kind = 'episode' AND coalesce(m.valid_from, m.valid_until) IS NULL THEN m.happened_at "
    f"WHEN {_ENDS[0]} < {_ENDS[1]} THEN {_ENDS[0]} ELSE {_ENDS[1]} END"
)


def _true_condition(
    span: tuple[datetime, datetime], at: datetime | None, dialect: Dialect
) -> tuple[str, list[Any]]:
    """True at some time of a span, whatever has become of it; what was to live for a time only is gone."""
    stayed = dialect.stayed.format(since=_BEGAN, until="m.ended_at", days=LEAST_STAY.days)
    sql = (
        f"({_TRUE_FROM} <= ? AND {_TRUE_UNTIL} >= ? AND (m.expires_at IS NULL OR m.expires_at > ?) AND "
        "(m.ended_at IS NULL OR (m.ended_as = 'expired' AND m.valid_until IS NOT NULL) "
        f"OR (m.ended_as IN ({_OVERTAKEN}) AND {stayed})))"
    )
    values = [to_iso(span[1]), to_iso(span[0]), to_iso(at) if at else ""]
    return sql.replace("?", dialect.mark), values


def space_condition(spaces: Sequence[str] | None, dialect: Dialect = SQLITE) -> tuple[str, list[Any]]:
    """The SQL condition of being in one of these spaces (None: in any), and its values."""
    if spaces is None:
        return "TRUE", []
    return f"space IN ({marks(len(spaces), dialect)})", list(spaces)


def marks(number: int, dialect: Dialect = SQLITE) -> str:
    """Placeholders for as many values, separated by commas."""
    return ", ".join([dialect.mark] * number)
