"""Uniting what replicas know: in any order, grouping and repetition the same."""

from __future__ import annotations

from functools import reduce
from itertools import permutations
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from memcli.sync.records.merge import END, Record, conflict, end_in_force, sum_of, united
from memcli.sync.records.stamps import clock_of, stamped

STAMPS = st.integers(0, 6)
VALUES = st.sampled_from([None, 0, 1, "a", ["b"], {"c": [1]}])
REGISTERS = {
    **dict.fromkeys(("text", "kind", "data.x"), VALUES),
    **{f"tag:{tag}": st.sampled_from([None, tag]) for tag in "ab"},
    **{f"{END}{number}": st.sampled_from([None, ["2026", "forgotten", None]]) for number in (1, 2)},
    "trusted": st.booleans(),
    "uses": st.tuples(st.integers(0, 3), st.sampled_from([None, "2025", "2026"])).map(list),
    "changes": st.lists(st.builds(lambda at: {"at": at}, st.sampled_from("abc")), max_size=2, unique_by=str),
}


@st.composite
def records(draw: st.DrawFn) -> Record:
    names = draw(st.sets(st.sampled_from(sorted(REGISTERS)), min_size=1))
    fields: dict[str, Any] = {name: draw(REGISTERS[name]) for name in sorted(names)}
    # Lists that are united come sorted, as uniting leaves them.
    if "changes" in fields:
        fields["changes"] = sorted(fields["changes"], key=lambda each: str(each["at"]))
    stamps = {name: draw(STAMPS) for name in fields}
    return Record(
        "memory", "k", fields, stamps, draw(st.integers(0, 1)), tuple(draw(st.sets(st.sampled_from("xyz"))))
    )


def same(one: Record, other: Record) -> bool:
    return one._replace(before=()) == other._replace(before=()) and set(one.before) == set(other.before)


@given(records(), records())
def test_uniting_is_commutative(one: Record, other: Record) -> None:
    assert same(united(one, other), united(other, one))


@given(records(), records(), records())
def test_uniting_is_associative(one: Record, two: Record, three: Record) -> None:
    assert same(united(united(one, two), three), united(one, united(two, three)))


@given(records(), records())
def test_uniting_is_idempotent(one: Record, other: Record) -> None:
    both = united(one, other)
    assert same(united(one, one), one) and same(united(both, other), both) and same(united(both, one), both)


@given(st.lists(records(), min_size=3, max_size=3), st.randoms())
def test_in_whatever_order_and_however_often_it_comes_to_the_same(some: list[Record], dice: Any) -> None:
    wanted = reduce(united, some)
    for order in permutations(some):
        again = [*order, *dice.choices(some, k=3)]
        assert same(reduce(united, again), wanted)


@given(records(), records())
def test_what_either_distrusts_is_distrusted(one: Record, other: Record) -> None:
    known = [each.fields["trusted"] for each in (one, other) if "trusted" in each.fields]
    if known and one.epoch == other.epoch:
        assert united(one, other).fields["trusted"] is all(known)


def changed(record: Record, at: int, **fields: Any) -> Record:
    """The record after its owner changed it, at that time by his clock."""
    now = {name: value for name, value in record.fields.items() if not name.startswith(END)}
    now["end"] = end_in_force(record)
    clock = clock_of(record, now)
    return stamped(record.kind, record.key, {**now, **fields}, clock, {}, at)


BEGIN = stamped("memory", "k", {"text": "a", "kind": "fact", "end": None}, None, {}, 1_000)
ENDED = ["2026-05-03T12:00:00.000Z", "forgotten", None]


def test_who_has_seen_a_change_is_later_whatever_his_clock_says() -> None:
    ahead = changed(BEGIN, 90_000, text="b")
    behind = changed(united(BEGIN, ahead), 2_000, text="c")
    assert united(ahead, behind).fields["text"] == "c"


def test_changes_of_different_fields_both_stand() -> None:
    both = united(changed(BEGIN, 5, text="b"), changed(BEGIN, 9_000, kind="outcome"))
    assert (both.fields["text"], both.fields["kind"]) == ("b", "outcome")


def test_what_was_ended_stays_ended_whatever_else_is_changed_later() -> None:
    both = united(changed(BEGIN, 2_000, end=ENDED), changed(BEGIN, 99_000, text="later"))
    assert end_in_force(both) == ENDED and both.fields["text"] == "later"


def test_a_restore_takes_back_the_ends_that_it_has_seen_and_no_other() -> None:
    here, there = changed(BEGIN, 2_000, end=ENDED), changed(BEGIN, 3_000, end=[*ENDED[:2], "other"])
    restored = changed(here, 99_000, end=None)
    assert end_in_force(united(restored, here)) is None
    assert end_in_force(united(restored, there)) == [*ENDED[:2], "other"]
    seen = changed(united(here, there), 1, end=None)
    assert end_in_force(united(seen, united(here, there))) is None


def test_only_who_had_not_seen_the_other_is_in_conflict_with_him() -> None:
    first = stamped("state", "k", {"value": 1}, None, {}, 1)
    second, other = changed(first, 2, value=2), changed(first, 3, value=3)
    third = changed(second, 4, value=4)
    assert conflict(second, other) and conflict(third, other)
    assert not conflict(first, third) and not conflict(second, second)
    assert sum_of(1) in third.before
