"""Between rows and nouns: what a damaged row raises, what history records, and how filters read as SQL."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memcli.model import FIELD_NAMES, Change, Event, Filter, Link, Memory, State
from memcli.storage import clock_rows, conditions, digests, rows

NOW = datetime(2026, 5, 3, 12, tzinfo=UTC)
MEMORY = Memory(
    id="m", kind="fact", text="the mill grinds", tags=("a",), data={"n": 1}, confidence=-0.0,
    happened_at=NOW, created_at=NOW, updated_at=NOW,
)  # fmt: skip
LINK = Link("l", "s", "Ann", "owns", "boats", "m", 1.0, NOW, None, NOW, None, {"n": 1})
STATE = State("s", "block", "k", {"n": 1}, 3, NOW, NOW, NOW + timedelta(1))
EVENT = Event(7, NOW, "m", "edit", "cli", "why", {"a": 1}, {"a": 2}, "c", "u")


def memory_row(**columns: Any) -> list[Any]:
    values = {**rows.memory_values(MEMORY), **columns}
    return [values[name] for name in FIELD_NAMES]


def test_what_is_written_is_read_again() -> None:
    assert rows.memory_from_row(memory_row()) == MEMORY
    assert rows.link_from_row(rows.link_values(LINK)) == LINK
    assert rows.state_from_row(rows.state_values(STATE)) == STATE
    assert rows.event_from_row((7, *rows.event_values(EVENT))) == EVENT
    bare = EVENT._replace(before=None, after=None)
    assert rows.event_from_row((7, *rows.event_values(bare))) == bare
    # -0.0 is 0.0 by the time it is read.
    assert str(rows.memory_values(MEMORY)["confidence"]) == "0.0"


def test_what_is_kept_as_json_is_compact_sorted_and_legible_in_any_script() -> None:
    assert rows.to_json({"b": ["é", "日本"], "a": 1}) == '{"a":1,"b":["é","日本"]}'


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("kind", "rumour"), ("source", "hearsay"), ("ended_as", "lost"), ("confidence", 1.5),
        ("confidence", -0.5), ("importance", 1.5), ("importance", -0.5), ("confidence", float("nan")),
        ("access_count", -1), ("access_count", 2**53), ("confirm_count", -1), ("confirm_count", 2**53),
        ("text", 7), ("text", None), ("tags", "{}"), ("tags", "[7]"), ("tags", "x"), ("data", "[]"),
        ("data", "x"), ("happened_at", "soon"), ("happened_at", None), ("trusted", "1"), ("confidence", 1),
        ("session", b"x"),
    ],
)  # fmt: skip
def test_a_row_that_says_what_no_memory_can_be_is_unreadable(column: str, value: Any) -> None:
    with pytest.raises(rows.UNREADABLE):
        rows.memory_from_row(memory_row(**{column: value}))
    values = dict(zip(FIELD_NAMES, memory_row(), strict=True))
    assert rows.is_readable("memories", values)
    assert not rows.is_readable("memories", {**values, column: value})
    assert rows.is_readable("some other table", {})


@pytest.mark.parametrize(
    ("column", "value"),
    [("ended_as", "merged"), ("confidence", 1.0), ("importance", 0.0), ("access_count", 2**53 - 1),
     ("confirm_count", 0), ("session", None), ("ended_why", None), ("supersedes", "x")],
)  # fmt: skip
def test_a_row_at_the_bounds_is_read(column: str, value: Any) -> None:
    assert getattr(rows.memory_from_row(memory_row(**{column: value})), column) == value


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [("links", "data", "[]"), ("links", "created_at", None), ("links", "evidence", 7),
     ("states", "version", "1"), ("states", "value", "{"), ("history", "before", "7"),
     ("history", "at", "then"), ("history", "change", 3)],
)  # fmt: skip
def test_other_rows_that_cannot_be_so_are_unreadable(table: str, column: str, value: Any) -> None:
    names = {"links": rows.LINK_COLUMNS, "states": rows.STATE_COLUMNS, "history": rows.EVENT_COLUMNS}[table]
    made = {"links": rows.link_values(LINK), "states": rows.state_values(STATE),
            "history": rows.event_values(EVENT)}[table]  # fmt: skip
    values = {"number": 7, **dict(zip(names.split(", "), made, strict=True))}
    assert rows.is_readable(table, values)
    assert not rows.is_readable(table, {**values, column: value})


def test_a_row_is_sound_only_as_its_digest_says() -> None:
    row = rows.with_digest(digests.STATE, rows.STATE_COLUMNS, rows.state_values(STATE))
    assert rows.is_sound(digests.STATE, rows.STATE_COLUMNS, row)
    damaged = (*row[:4], 4, *row[5:])
    assert not rows.is_sound(digests.STATE, rows.STATE_COLUMNS, damaged)
    # What is written in its place is known as damaged, too.
    for standing, sound in ((row, True), (damaged, False)):
        written = rows.with_digest(
            digests.STATE, rows.STATE_COLUMNS, rows.state_values(STATE._replace(version=7)), standing
        )
        assert rows.is_sound(digests.STATE, rows.STATE_COLUMNS, written) is sound


def test_only_records_whose_rows_are_as_written_are_told_to_a_sync() -> None:
    held = dict(zip(rows.STATE_COLUMNS.split(", "), rows.state_values(STATE), strict=True))
    row = {**held, "digest": digests.digest_of(digests.STATE, held)}
    columns = clock_rows.covered_columns("state").split(", ")
    [key] = clock_rows.sound_keys("state", [[row[name] for name in columns]])
    assert json.loads(key) == [STATE.space, STATE.area, STATE.key]
    row["version"] = 4
    assert not clock_rows.sound_keys("state", [[row[name] for name in columns]])


def test_history_keeps_what_changed_and_neither_uses_nor_what_has_a_column_of_its_own() -> None:
    change = Change("edit", "cli", "why", "c", undoes="u")
    made = rows.recorded_change(None, MEMORY, change, NOW)
    assert made.before is None and made.after and made.after["text"] == MEMORY.text
    assert {"id", "created_at", "updated_at", "access_count", "accessed_at"}.isdisjoint(made.after)
    assert None not in made.after.values()
    later = replace(MEMORY, text="now oats", access_count=9, updated_at=NOW + timedelta(1))
    event = rows.recorded_change(MEMORY, later, change, NOW)
    assert (event.before, event.after) == ({"text": MEMORY.text}, {"text": "now oats"})
    assert (event.action, event.actor, event.reason, event.change, event.undoes) == (
        "edit", "cli", "why", "c", "u",
    )  # fmt: skip


def test_of_the_erased_no_more_is_left_than_their_mark() -> None:
    change = Change("erase", "cli", None, "c")
    marks = {"m": {"space": "hash"}}
    assert rows.erased_change("m", change, NOW, marks).after == {"space": "hash"}
    assert rows.erased_change("x", change, NOW, marks).after is None
    assert rows.erased_change("m", change, NOW, None).after is None
    assert rows.rewritten_values(EVENT._replace(reason=None)) == {
        "actor": "cli", "reason": None, "before": json.dumps({"a": 1}, separators=(",", ":")),
        "after": json.dumps({"a": 2}, separators=(",", ":")),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("where", "condition", "values"),
    [
        (Filter(spaces=None, live=False), "TRUE", 0),
        (Filter(spaces=("a", "b"), live=False), "m.space IN", 2),
        (Filter(spaces=(), live=False), "m.space IN ()", 0),
        (Filter(spaces=None), "m.ended_at IS NULL", 0),
        (Filter(spaces=None, at=NOW), "m.ended_at IS NULL AND (m.expires_at IS NULL OR", 2),
        (Filter(spaces=None, live=False, kinds=("fact",)), "m.kind IN", 1),
        (Filter(spaces=None, live=False, sessions=("s",)), "m.session IN", 1),
        (Filter(spaces=None, live=False, sources=("learned",)), "m.source IN", 1),
        (Filter(spaces=None, live=False, tags=("a", "b")), "memory_tags", 2),
        (Filter(spaces=None, live=False, since=NOW), "valid_until", 1),
        (Filter(spaces=None, live=False, until=NOW), "valid_from", 1),
        (Filter(spaces=None, live=False, created_since=NOW), "m.created_at >= ?", 1),
        (Filter(spaces=None, live=False, expiring=True), "m.expires_at IS NOT NULL", 0),
        (Filter(spaces=None, live=False, by_itself=True), "m.session IS NULL AND m.expires_at IS NULL", 0),
        (Filter(spaces=None, live=False, trusted=True), "m.trusted = ?", 1),
        (Filter(spaces=None, live=False, trusted=False), "m.trusted = ?", 1),
        (Filter(spaces=None, live=False, min_confidence=0.1), "m.confidence >= ?", 1),
        (Filter(spaces=None, live=False, min_importance=0.1), "m.importance >= ?", 1),
        (Filter(spaces=None, live=False, less_important=0.0), "m.importance < ?", 1),
        (Filter(spaces=None, live=False, updating=("A", "B")), "instr(m.data, ?) > 0 OR instr", 3),
        (Filter(spaces=None, overtaken=True), "OR (m.ended_as IN ('superseded', 'updated') AND", 0),
        (Filter(spaces=None, live=False, overtaken=True), "TRUE", 0),
        (Filter(spaces=None, lapsed=True, at=NOW), "m.ended_at IS NULL AND (m.expires_at <= ?", 2),
        (Filter(spaces=None, lapsed=True), "m.expires_at <= ?", 2),
        (Filter(spaces=None, ended_until=NOW), "m.ended_at <= ?", 1),
        (Filter(spaces=None, past=(NOW, NOW)), "OR m.ended_at IS NULL)", 3),
        (Filter(spaces=None, past=(NOW, NOW), past_only=True), "OR FALSE)", 3),
        (Filter(spaces=None, live=False, past=(NOW, NOW), past_only=True), "OR FALSE)", 3),
        (Filter(spaces=None, live=False, past=(NOW, NOW)), "TRUE", 0),
    ],
)  # fmt: skip
def test_each_field_of_a_filter_is_a_condition_of_its_own(where: Filter, condition: str, values: int) -> None:
    sql, given = conditions.filter_condition(where)
    assert condition in sql and len(given) == values == sql.count("?")


def test_no_filter_of_one_field_speaks_of_another() -> None:
    assert conditions.filter_condition(Filter(spaces=None, live=False))[0] == "TRUE"
    sql, _ = conditions.filter_condition(Filter(spaces=None, lapsed=True, at=NOW, ended_until=NOW))
    assert sql.count("ended_at") == 1
    assert conditions.space_condition(None) == ("TRUE", [])
    assert conditions.space_condition(("a", "b")) == ("space IN (?, ?)", ["a", "b"])
