"""What differs between two states: what is the same hides nothing of what is not."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memcli.errors import NotFound
from memcli.memories import Memories
from memcli.model import Link, Memory, State
from memcli.storage import areas
from memcli.upkeep.copies.difference import How, as_going_back, counts, differences
from memcli.upkeep.copies.sides import Side, without_erased
from memcli.upkeep.copies.snapshots import create_snapshot, snapshot_differences
from memcli.write_policy.drafts import Draft, new_memory


def test_among_many_that_are_the_same_the_one_that_is_not_is_told(memories: Memories) -> None:
    now = memories.now()
    some = [new_memory(memories, Draft(text=f"boat {n} is red", kind="fact")) for n in range(40)]
    links = [
        Link(memories.new_id(now), "default", f"Ann{n}", "knows", "Bob", None, 1.0, None, None, now, None, {})
        for n in range(40)
    ]
    values = [State("default", areas.BLOCK.name, f"b{n}", {"label": f"b{n}", "versions": []}, 1, now, now)
              for n in range(40)]  # fmt: skip
    old = Side(
        {each.id: each for each in some},
        {each.id: each for each in links},
        {(each.space, each.area, each.key): each for each in values},
    )
    changed = replace(some[7], text="boat 7 is blue")
    ended = links[7]._replace(ended_at=now)
    told = values[7]._replace(
        value={"label": "b7", "versions": [{"text": "x", "at": "2026-01-01T00:00:00Z"}]}
    )
    new = Side(
        {**old.memories, changed.id: changed},
        {**old.links, ended.id: ended},
        {**old.values, (told.space, told.area, told.key): told},
    )
    assert not list(differences(old, old))
    found = [(each.what, each.how) for each in differences(old, new)]
    assert ("fact", How.CHANGED) in found and ("link", How.ENDED) in found and len(found) == 3


AT = datetime(2026, 5, 3, 12, tzinfo=UTC)
LIVE = Memory(id="m", kind="fact", text="the owl hoots", happened_at=AT, created_at=AT, updated_at=AT)
OVER = replace(LIVE, ended_at=AT, ended_as="forgotten", ended_why="so")
EDGE = Link("l", "default", "Ann", "knows", "Bob", "m", 1.0, None, None, AT, None, {})


def told(old: list[Any], new: list[Any]) -> list[tuple[Any, ...]]:
    """What differs, as (what, how, text, fields)."""

    def side(some: list[Any]) -> Side:
        return Side(
            {each.id: each for each in some if isinstance(each, Memory)},
            {each.id: each for each in some if isinstance(each, Link)},
            {(each.space, each.area, each.key): each for each in some if isinstance(each, State)},
        )

    return [(each.what, each.how, each.text, each.fields) for each in differences(side(old), side(new))]


@pytest.mark.parametrize(
    ("old", "new", "how", "fields"),
    [
        (None, LIVE, How.ADDED, {}), (LIVE, None, How.GONE, {}),
        (None, OVER, None, {}), (OVER, None, None, {}),
        (LIVE, LIVE, None, {}), (OVER, OVER, None, {}), (LIVE, replace(LIVE, access_count=3), None, {}),
        (LIVE, replace(LIVE, updated_at=AT + timedelta(1)), None, {}),
        (LIVE, OVER, How.ENDED, {"ended_at", "ended_as", "ended_why"}),
        (OVER, LIVE, How.RESTORED, {"ended_at", "ended_as", "ended_why"}),
        (OVER, replace(OVER, ended_why="no"), How.CHANGED, {"ended_why"}),
        (LIVE, replace(LIVE, importance=0.9), How.CHANGED, {"importance"}),
        (OVER, replace(OVER, ended_why="no", importance=0.9), How.CHANGED, {"importance"}),
        (LIVE, replace(LIVE, data={"n": 1}), How.CHANGED, {"data.n"}),
    ],
)  # fmt: skip
def test_how_a_memory_differs(old: Memory | None, new: Memory | None, how: How | None, fields: Any) -> None:
    found = told([old] if old else [], [new] if new else [])
    assert [(each[0], each[1], {*each[3]}) for each in found] == ([("fact", how, {*fields})] if how else [])


@pytest.mark.parametrize(
    ("old", "new", "how", "fields"),
    [
        (None, EDGE, How.ADDED, {}), (EDGE, None, How.GONE, {}), (EDGE, EDGE, None, {}),
        (EDGE, EDGE._replace(data={"confirmed": 3}), None, {}),
        (EDGE, EDGE._replace(data={"evidence": ["x"]}), How.CHANGED, {"evidence"}),
        (EDGE, EDGE._replace(ended_at=AT), How.ENDED, {"ended_at"}),
        (EDGE._replace(ended_at=AT), EDGE, How.RESTORED, {"ended_at"}),
        (EDGE, EDGE._replace(valid_until=AT), How.CHANGED, {"valid_until"}),
    ],
)  # fmt: skip
def test_how_a_link_differs(old: Link | None, new: Link | None, how: How | None, fields: Any) -> None:
    found = told([old] if old else [], [new] if new else [])
    assert [(each[0], each[1], {*each[3]}) for each in found] == ([("link", how, {*fields})] if how else [])
    assert all(isinstance(value, str | float | list | None) for each in found for value in
               (pair[1] for pair in each[3].values()))  # fmt: skip


def value(area: areas.Area, said: Any, key: str = "k", space: str = "default") -> State:
    return State(space, area.name, key, said, 1, AT, AT)


def block(text: str | None, **more: Any) -> State:
    return value(areas.BLOCK, {"versions": [{"text": "before"}, {"text": text}], **more})


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (None, block("x"), ("block", How.ADDED, "x")), (block("x"), None, ("block", How.ENDED, "x")),
        (block("x"), block("x"), None), (block("x"), block("y"), ("block", How.CHANGED, "y")),
        (block("x"), block(None), ("block", How.ENDED, "x")),
        (block(None), block("x"), ("block", How.RESTORED, "x")),
        (block(None), block(None, max_chars=9), ("block", How.CHANGED, "")),
        (value(areas.BLOCK, {"versions": []}), block("x"), ("block", How.CHANGED, "x")),
        (None, value(areas.TASK, {"goal": "move"}), ("task", How.ADDED, "move")),
        (None, value(areas.HELD, {"memory": {"text": "held"}}), ("review", How.ADDED, "held")),
        (None, value(areas.HELD, {"memory": "odd"}), ("review", How.ADDED, "")),
        (value(areas.CHECKPOINT_SAVE, "a"), value(areas.CHECKPOINT_SAVE, "b"),
         ("checkpoint", How.CHANGED, "")),
        (value(areas.PROCEDURE_FILE, {"text": "abc"}), value(areas.PROCEDURE_FILE, {"text": "abd"}),
         ("procedure file", How.CHANGED, "")),
    ],
)  # fmt: skip
def test_how_a_keyed_value_differs(old: State | None, new: State | None, expected: Any) -> None:
    found = told([old] if old else [], [new] if new else [])
    assert [each[:3] for each in found] == ([expected] if expected else [])


def test_differences_stand_by_kind_then_links_then_values_and_are_counted_so() -> None:
    other = replace(LIVE, id="a", kind="policy")
    found = differences(
        Side({}, {"l": EDGE}, {}),
        Side({"m": LIVE, "a": other}, {}, {("default", "block", "k"): block("x")}),
    )
    assert [each.what for each in found] == ["fact", "policy", "link", "block"]
    assert counts(found) == {
        "fact": {"added": 1}, "policy": {"added": 1}, "link": {"gone": 1}, "block": {"added": 1},
    }  # fmt: skip
    # Going back removes nothing of memories and links: what came since ends, what is gone comes back.
    assert [each.how for each in as_going_back(found)] == [How.RESTORED, How.RESTORED, How.ENDED, How.ADDED]
    record = found[0].to_record()
    assert (record["how"], record["id"], record["fields"]) == ("added", "m", {})


def test_what_belongs_to_one_checkpoint_is_one_difference() -> None:
    def saved(key: str, said: Any) -> State:
        return value(areas.CHECKPOINT_SAVE, said, key)

    record = value(areas.CHECKPOINT, {"id": "01J8ZQ4X7N3V5T9R2K6M8P0BCD"}, "job")
    one, two = saved("01J8ZQ4X7N3V5T9R2K6M8P0BCD/1", "a"), saved("01J8ZQ4X7N3V5T9R2K6M8P0BCD/2", "b")
    assert told([record], [record, one, two]) == [("checkpoint", How.ADDED, "", {})]
    [(_, how, _, _)] = told([record, one], [record, two])
    assert how is How.CHANGED


@pytest.mark.parametrize("is_erased", [True, False])
def test_of_a_copy_only_what_was_not_erased_is_brought_back(is_erased: bool) -> None:
    class Erased:
        def memory(self, memory: Memory) -> bool:
            return is_erased

        link = value = memory

    name = ("default", "block", "k")
    then = Side({"m": LIVE}, {"l": EDGE}, {name: block("x")})
    changed = Side({"m": replace(LIVE, text="new")}, {"l": EDGE._replace(confidence=0.5)}, {name: block("y")})
    for now, left in ((then, then), (Side({}, {}, {}), Side({}, {}, {})), (changed, changed)):
        found = without_erased(then, now, Erased())  # type: ignore[arg-type]
        assert found == (left if is_erased else then)
    used = replace(LIVE, access_count=5)
    assert without_erased(then, Side({"m": used}, {}, {}), Erased()).memories == {"m": LIVE}  # type: ignore[arg-type]


def test_what_differs_in_a_space_that_is_none_is_not_nothing(memories: Memories) -> None:
    memories.remember("the owl hoots")
    create_snapshot(memories, "one")
    assert snapshot_differences(memories, "one", None, "default") == []
    with pytest.raises(NotFound):
        snapshot_differences(memories, "one", None, "nowhere")


def test_what_is_the_same_hides_no_difference_behind_it(memories: Memories) -> None:
    drafts = [Draft(text=f"the {thing} hums", kind="fact") for thing in ("mill", "owl", "saw")]
    some = [new_memory(memories, draft) for draft in drafts]
    here = {each.id: each for each in some}
    there = {**here, some[2].id: replace(some[2], text="the saw sings")}
    found = list(differences(Side(here, {}, {}), Side(there, {}, {})))
    assert [(each.how, each.text) for each in found] == [(How.CHANGED, "the saw sings")]
