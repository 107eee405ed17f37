"""Between rows and the nouns of the model: conversions and filters, no connection."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from memcli.model import (
    FIELD_NAMES,
    LEAST_STAY,
    OVERTAKEN,
    TIME_FIELDS,
    Event,
    Filter,
    Link,
    Memory,
    State,
)
from memcli.times import from_iso, to_iso

MEMORY_COLUMNS = ", ".join(f"m.{name}" for name in FIELD_NAMES)
LINK_COLUMNS = (
    "id, space, subject, relation, object, evidence, confidence, valid_from, valid_until, "
    "created_at, ended_at, data"
)
STATE_COLUMNS = "space, area, key, value, version, created_at, updated_at, expires_at"


def to_json(value: Any) -> str:
    """JSON as it stands in the file: compact, sorted, readable in any script."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def memory_values(memory: Memory) -> dict[str, Any]:
    """The column values of a memory, by name."""
    values = memory.to_record()
    values["tags"] = to_json(values["tags"])
    values["data"] = to_json(values["data"])
    values["trusted"] = int(memory.trusted)
    return values


def memory_from_row(row: Sequence[Any]) -> Memory:
    """A memory from a row of MEMORY_COLUMNS."""
    values = dict(zip(FIELD_NAMES, row, strict=True))
    for name in TIME_FIELDS:
        if values[name] is not None:
            values[name] = from_iso(values[name])
    # Most memories have neither, and recall reads hundreds.
    values["tags"] = () if values["tags"] == "[]" else tuple(json.loads(values["tags"]))
    values["data"] = {} if values["data"] == "{}" else json.loads(values["data"])
    values["trusted"] = bool(values["trusted"])
    return Memory(**values)


def link_values(link: Link) -> tuple[Any, ...]:
    """The column values of a link, in the order of LINK_COLUMNS."""
    return (
        link.id, link.space, link.subject, link.relation, link.object, link.evidence,
        link.confidence, text_or_none(link.valid_from), text_or_none(link.valid_until),
        to_iso(link.created_at), text_or_none(link.ended_at), to_json(link.data),
    )  # fmt: skip


def link_from_row(row: Sequence[Any]) -> Link:
    """A link from a row of LINK_COLUMNS."""
    # Without names and calls: a walk through a graph reads tens of thousands.
    link_id, space, subject, relation, obj, evidence, confidence, since, until, created, ended, data = row
    return Link(
        link_id, space, subject, relation, obj, evidence, confidence,
        since and from_iso(since), until and from_iso(until), from_iso(created),
        ended and from_iso(ended), {} if data == "{}" else json.loads(data),
    )  # fmt: skip


def state_from_row(row: Sequence[Any]) -> State:
    """A keyed value from a row of STATE_COLUMNS."""
    return State(
        space=row[0], area=row[1], key=row[2], value=json.loads(row[3]), version=row[4],
        created_at=from_iso(row[5]), updated_at=from_iso(row[6]), expires_at=time_or_none(row[7]),
    )  # fmt: skip


def event_from_row(row: Sequence[Any]) -> Event:
    """A line of history from its row."""
    return Event(
        number=row[0], at=from_iso(row[1]), memory=row[2], action=row[3], actor=row[4],
        reason=row[5], before=json.loads(row[6]) if row[6] else None,
        after=json.loads(row[7]) if row[7] else None, change=row[8], undoes=row[9],
    )  # fmt: skip


def text_or_none(instant: datetime | None) -> str | None:
    """An instant's text, or None."""
    return to_iso(instant) if instant else None


def time_or_none(text: str | None) -> datetime | None:
    """An instant from its text, or None."""
    return from_iso(text) if text else None


def filter_condition(where: Filter) -> tuple[str, list[Any]]:  # noqa: PLR0912 - one branch a field
    """A filter as an SQL condition on `memories m`, with its parameters."""
    parts: list[str] = []
    values: list[Any] = []

    def among(column: str, wanted: Sequence[str]) -> None:
        parts.append(f"m.{column} IN ({', '.join('?' * len(wanted))})")
        values.extend(wanted)

    def holds(sql: str, value: Any) -> None:
        parts.append(sql)
        values.append(value)

    if where.spaces is not None:
        among("space", where.spaces)
    if where.kinds:
        among("kind", where.kinds)
    if where.lapsed:
        parts.append("m.ended_at IS NULL")
        at = to_iso(where.at) if where.at else ""
        parts.append("(m.expires_at <= ? OR m.valid_until <= ?)")
        values.extend((at, at))
    elif where.ended_until:
        holds("m.ended_at <= ?", to_iso(where.ended_until))
    elif where.past and (where.past_only or where.live):
        was_true, then = _true_condition(where.past, where.at)
        live, now = ("FALSE", []) if where.past_only else _live_condition(where.at)
        parts.append(f"({was_true} OR {live})")
        values.extend((*then, *now))
    elif where.live:
        live, now = _live_condition(where.at)
        parts.append(live)
        values.extend(now)
    if where.sessions:
        among("session", where.sessions)
    if where.sources:
        among("source", where.sources)
    for tag in where.tags:
        holds("m.seq IN (SELECT memory FROM memory_tags WHERE tag = ?)", tag)
    # What was true over a span is meant if the span and the asked-for one touch.
    if where.since:
        holds(
            "coalesce(m.valid_until, iif(m.valid_from IS NULL, m.happened_at, '9999')) >= ?",
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


def _live_condition(at: datetime | None) -> tuple[str, list[Any]]:
    """Neither ended, nor expired or out of its validity at an instant."""
    if at is None:
        return "m.ended_at IS NULL", []
    unlapsed = (f"(m.{column} IS NULL OR m.{column} > ?)" for column in ("expires_at", "valid_until"))
    return f"(m.ended_at IS NULL AND {' AND '.join(unlapsed)})", [to_iso(at)] * 2


# As `memcli.model.true_span` tells it.
_BEGAN = "coalesce(m.valid_from, m.happened_at)"
_OVERTAKEN = (
    f"m.ended_as IN ({', '.join(repr(each) for each in sorted(OVERTAKEN))}) "
    f"AND julianday(m.ended_at) - julianday({_BEGAN}) >= {LEAST_STAY.days}"
)
_TRUE_FROM = f"iif(m.valid_from IS NULL AND m.valid_until < m.happened_at, '', {_BEGAN})"
_TRUE_UNTIL = (
    "iif(m.kind = 'episode' AND coalesce(m.valid_from, m.valid_until) IS NULL, m.happened_at, "
    "min(coalesce(m.valid_until, '9999'), coalesce(m.ended_at, '9999')))"
)


def _true_condition(span: tuple[datetime, datetime], at: datetime | None) -> tuple[str, list[Any]]:
    """True at some time of a span, whatever has become of it; what was to live for a time only is gone."""
    sql = (
        f"({_TRUE_FROM} <= ? AND {_TRUE_UNTIL} >= ? AND (m.expires_at IS NULL OR m.expires_at > ?) AND "
        f"(m.ended_at IS NULL OR (m.ended_as = 'expired' AND m.valid_until IS NOT NULL) OR ({_OVERTAKEN})))"
    )
    return sql, [to_iso(span[1]), to_iso(span[0]), to_iso(at) if at else ""]


def space_condition(spaces: Sequence[str] | None) -> tuple[str, list[Any]]:
    """The SQL condition of being in one of these spaces (None: in any), and its values."""
    if spaces is None:
        return "TRUE", []
    return f"space IN ({', '.join('?' * len(spaces))})", list(spaces)
