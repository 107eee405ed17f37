"""Conditions in SQL for a filter, in the dialect of any engine."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from memcli.model import LEAST_STAY, OVERTAKEN, UPDATE_OF, Filter, Memory
from memcli.named_tuple import NamedTuple
from memcli.times import to_iso


class Dialect(NamedTuple):
    """The parts of a condition that differ between engines."""

    mark: str
    """The placeholder for a value."""
    tagged: str
    """True for a memory with a tag, which is the value."""
    stayed: str
    """True if at least so many days lie between two instants."""
    noted: str
    """True for a memory whose data contain a text, which is the value."""


SQLITE = Dialect(
    "?", "m.seq IN (SELECT memory FROM memory_tags WHERE tag = ?)",
    "julianday({until}) - julianday({since}) >= {days}",
    "instr(m.data, ?) > 0",
)  # fmt: skip


class _Condition:
    """A conjunction of SQL parts, with the values of its parameters."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self.parts: list[str] = []
        self.values: list[Any] = []

    def among(self, column: str, wanted: Sequence[str]) -> None:
        """Require that a column has one of these values."""
        self.parts.append(f"m.{column} IN ({marks(len(wanted), self.dialect)})")
        self.values.extend(wanted)

    def holds(self, sql: str, *values: Any) -> None:
        """Require an SQL expression, with `?` for each of its values."""
        self.parts.append(sql.replace("?", self.dialect.mark))
        self.values.extend(values)


def filter_condition(where: Filter, dialect: Dialect = SQLITE) -> tuple[str, list[Any]]:
    """Return a filter as an SQL condition on `memories m`, with its parameters."""
    condition = _Condition(dialect)
    if where.spaces is not None:
        condition.among("space", where.spaces)
    if where.kinds:
        condition.among("kind", where.kinds)
    _add_standing(condition, where)
    if where.sessions:
        condition.among("session", where.sessions)
    if where.sources:
        condition.among("source", where.sources)
    for tag in where.tags:
        condition.holds(dialect.tagged, tag)
    _add_times(condition, where)
    _add_worth(condition, where)
    if where.updating:
        # Only few memories have such a note.
        condition.holds(dialect.noted, f'"{UPDATE_OF}')
        any_of = " OR ".join([dialect.noted] * len(where.updating))
        condition.holds(f"({any_of})", *(f'"{UPDATE_OF}{each}"' for each in where.updating))
    return " AND ".join(condition.parts) or "TRUE", condition.values


def source_of(where: Filter) -> str:
    """Return the FROM clause for a filter in SQLite; with a tag, without using an index of `memories`.

    Without statistics SQLite takes the index of a space for more selective, and walks through all of it.
    """
    return "memories m NOT INDEXED" if where.tags else "memories m"


def _add_standing(condition: _Condition, where: Filter) -> None:
    """Require that it is in force, ended or lapsed at the filter's instant, or was true in its past."""
    dialect = condition.dialect
    if where.lapsed:
        at = to_iso(where.at) if where.at else ""
        condition.holds("m.ended_at IS NULL")
        condition.holds("(m.expires_at <= ? OR m.valid_until <= ?)", at, at)
    elif where.ended_until:
        condition.holds("m.ended_at <= ?", to_iso(where.ended_until))
    elif where.past and (where.past_only or where.live):
        was_true, then = _true_condition(where.past, where.at, dialect)
        live, now = ("FALSE", []) if where.past_only else _live_condition(where.at, dialect)
        condition.holds(f"({was_true} OR {live})", *then, *now)
    elif where.live:
        live, now = _live_condition(where.at, dialect)
        condition.holds(f"({live} OR {_REPLACED})" if where.overtaken else live, *now)


def _add_times(condition: _Condition, where: Filter) -> None:
    """Require when it was true or happened (a span matches if the two overlap), and when it was created."""
    if where.since:
        condition.holds(
            "coalesce(m.valid_until, CASE WHEN m.valid_from IS NULL THEN m.happened_at ELSE '9999' END) >= ?",
            to_iso(where.since),
        )
    if where.until:
        condition.holds("coalesce(m.valid_from, m.happened_at) <= ?", to_iso(where.until))
    if where.expiring:
        condition.holds("m.expires_at IS NOT NULL")
    if where.by_itself:
        condition.holds("m.session IS NULL AND m.expires_at IS NULL")
    if where.created_since:
        condition.holds("m.created_at >= ?", to_iso(where.created_since))


def _add_worth(condition: _Condition, where: Filter) -> None:
    """Require trust, confidence and importance."""
    if where.trusted is not None:
        condition.holds("m.trusted = ?", int(where.trusted))
    if where.min_confidence > 0:
        condition.holds("m.confidence >= ?", where.min_confidence)
    if where.less_important is not None:
        condition.holds("m.importance < ?", where.less_important)
    if where.min_importance > 0:
        condition.holds("m.importance >= ?", where.min_importance)


def _live_condition(at: datetime | None, dialect: Dialect) -> tuple[str, list[Any]]:
    """Return the condition that it has neither ended, nor expired or left its validity, at an instant."""
    if at is None:
        return "m.ended_at IS NULL", []
    columns = ("expires_at", "valid_until")
    unlapsed = (f"(m.{column} IS NULL OR m.{column} > {dialect.mark})" for column in columns)
    return f"(m.ended_at IS NULL AND {' AND '.join(unlapsed)})", [to_iso(at)] * 2


def true_span(memory: Memory) -> tuple[datetime | None, datetime | None] | None:
    """Return from when to when a memory was true, None for an open side; None if it was retracted.

    It begins with its validity, else when it happened or was told; the beginning is unknown if that is
    after the end of its validity. It ends with its validity, or when it was superseded after at least
    LEAST_STAY. An episode without validity was true at one instant.
    """
    begins, ends = memory.valid_from or memory.happened_at, memory.valid_until
    if memory.kind == "episode" and not (memory.valid_from or ends):
        ends = begins
    lasted = memory.ended_at is not None and memory.ended_at - begins >= LEAST_STAY
    overtaken = memory.ended_as in OVERTAKEN and lasted
    if memory.ended_at and not overtaken and not (memory.ended_as == "expired" and ends):
        return None
    if overtaken:
        ends = min(filter(None, (ends, memory.ended_at)))
    return (None if not memory.valid_from and ends and ends < begins else begins), ends


# As `true_span` computes it.
_BEGAN = "coalesce(m.valid_from, m.happened_at)"
_OVERTAKEN = ", ".join(repr(each) for each in sorted(OVERTAKEN))
_REPLACED = f"(m.ended_as IN ({_OVERTAKEN}) AND m.replaced_by IS NOT NULL)"
_TRUE_FROM = f"CASE WHEN m.valid_from IS NULL AND m.valid_until < m.happened_at THEN '' ELSE {_BEGAN} END"
_ENDS = ("coalesce(m.valid_until, '9999')", "coalesce(m.ended_at, '9999')")
_TRUE_UNTIL = (
    "CASE WHEN m.kind = 'episode' AND coalesce(m.valid_from, m.valid_until) IS NULL THEN m.happened_at "
    f"WHEN {_ENDS[0]} < {_ENDS[1]} THEN {_ENDS[0]} ELSE {_ENDS[1]} END"
)


def _true_condition(
    span: tuple[datetime, datetime], at: datetime | None, dialect: Dialect
) -> tuple[str, list[Any]]:
    """Return the condition that it was true at some time of a span, even if ended, but not if expired."""
    stayed = dialect.stayed.format(since=_BEGAN, until="m.ended_at", days=LEAST_STAY.days)
    sql = (
        f"({_TRUE_FROM} <= ? AND {_TRUE_UNTIL} >= ? AND (m.expires_at IS NULL OR m.expires_at > ?) AND "
        "(m.ended_at IS NULL OR (m.ended_as = 'expired' AND m.valid_until IS NOT NULL) "
        f"OR (m.ended_as IN ({_OVERTAKEN}) AND {stayed})))"
    )
    values = [to_iso(span[1]), to_iso(span[0]), to_iso(at) if at else ""]
    return sql.replace("?", dialect.mark), values


def space_condition(spaces: Sequence[str] | None, dialect: Dialect = SQLITE) -> tuple[str, list[Any]]:
    """Return the SQL condition of being in one of these spaces (None: in any), and its values."""
    if spaces is None:
        return "TRUE", []
    return f"space IN ({marks(len(spaces), dialect)})", list(spaces)


def marks(number: int, dialect: Dialect = SQLITE) -> str:
    """Return placeholders for as many values, separated by commas."""
    return ", ".join([dialect.mark] * number)
