"""What an undo leaves alone: what another space has, what waits for its owner, what an agent did not do."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memcli.changes.foreign_lines import is_among, put_foreign, read_ranges
from memcli.changes.past_changes import events_of_change
from memcli.changes.undo import undo_change
from memcli.changes.values_before import note_change, replace_values, values_before
from memcli.config.config import Config
from memcli.errors import BadInput, NotFound, Refused
from memcli.memories import Memories
from memcli.model import Change, Event, Filter, Memory, State
from memcli.storage import areas
from memcli.storage.sqlite.file.opening import open_database
from memcli.storage.states import read_state
from memcli.tiers.context import blocks
from memcli.upkeep import spaces
from memcli.upkeep.copies.rollback import roll_back
from memcli.upkeep.copies.snapshots import create_snapshot, opened_snapshot
from memcli.write_policy.admission import admit_drafts
from memcli.write_policy.direct import put_embedded
from memcli.write_policy.drafts import Draft
from memcli.write_policy.settings import WriteOptions
from tests.erasure import erase_memories
from tests.standin import StandIn


def change_of(memories: Memories, memory: Memory) -> str:
    [event] = memories.store.history(memory.id)
    assert event.change
    return event.change


def test_a_change_of_two_spaces_is_taken_back_in_the_space_at_hand(memories: Memories) -> None:
    whole = memories.as_one_change(memories.new_id(memories.now()), "cli")
    here, there = whole.remember("the mill grinds"), whole.in_space("barn").remember("the owl hoots")
    assert change_of(memories, here) == change_of(memories, there)
    undone = undo_change(memories, change_of(memories, here))
    assert [each.id for each in undone.memories] == [here.id]
    assert memories.store.get([there.id]) == [there]


def test_a_rollback_of_one_space_is_not_taken_back_from_another(memories: Memories) -> None:
    """Not even where a memory that it ended has moved there since."""
    snapshot, barn = create_snapshot(memories, "one"), memories.in_space("barn")
    blocks.put_block(memories, "owner", "keeps bees")
    moved = memories.remember("the mill grinds")
    with opened_snapshot(memories, snapshot) as then:
        back = roll_back(memories, then, "one", "default")
    assert back.change and back.values and back.memories
    spaces.move_memories(memories, [moved], "barn")
    undone = undo_change(barn, back.change)
    assert [each.id for each in undone.memories] == [moved.id] and not undone.values
    assert not list(blocks.blocks(memories))


@pytest.mark.parametrize("space", ["default", None])
def test_a_rollback_goes_back_as_far_as_it_reached(memories: Memories, space: str | None) -> None:
    """One of a space not beyond its walls, where a memory has moved since; one of the store in each space."""
    snapshot, barn = create_snapshot(memories, "one"), memories.in_space("barn")
    stays, moves = memories.remember("the mill grinds"), memories.remember("the owl hoots")
    with opened_snapshot(memories, snapshot) as then:
        back = roll_back(memories, then, "one", space)
    spaces.move_memories(memories, memories.store.get([moves.id]), "barn")
    undone = undo_change(memories, back.change)
    reached = [stays.id] if space else [stays.id, moves.id]
    assert sorted(each.id for each in undone.memories) == sorted(reached)
    assert [each.ended_at is None for each in barn.store.get([moves.id])] == [space is None]


def test_what_another_machine_did_last_is_not_the_last_change(memories: Memories) -> None:
    kept = memories.remember("the mill grinds")
    [added] = memories.store.history(kept.id)
    told = added._replace(action="edit", change=memories.new_id(memories.now()), at=memories.now(), before={})
    assert put_foreign(memories, [told], "/a/folder") == 1
    undone = undo_change(memories)
    assert undone.change == added.change and [each.id for each in undone.memories] == [kept.id]
    # Nor was it tried, and found to leave nothing to take back.
    assert not undone.passed


def changed_block(memories: Memories, label: str, value: str | None, space: str = "default") -> Change:
    """A change that writes one value (or drops it), noted so that it can be undone."""
    now = memories.now()
    change = Change("rollback", "cli", None, memories.new_id(now))
    name = (space, areas.BLOCK.name, label)
    written = [] if value is None else [State(*name, value, 1, now, now)]
    with memories.store.writing():
        note_change(memories, change, space, now)
        replace_values(memories, change, written, [name] if value is None else [], now)
    return change


def block(memories: Memories, label: str, space: str = "default") -> object:
    state = read_state(memories.store, space, areas.BLOCK.name, label)
    return state.value if state else None


def test_changes_of_values_and_of_memories_go_back_one_after_the_other_the_newest_first(
    memories: Memories,
) -> None:
    first = memories.remember("the mill grinds")
    one = changed_block(memories, "a", "one")
    second = memories.remember("an owl hoots at night")
    two = changed_block(memories, "a", "two")
    assert undo_change(memories).change == two.id and block(memories, "a") == "one"
    assert [each.id for each in undo_change(memories).memories] == [second.id]
    assert undo_change(memories).change == one.id and block(memories, "a") is None
    assert [each.id for each in undo_change(memories).memories] == [first.id]
    with pytest.raises(NotFound, match="nothing to undo"):
        undo_change(memories)


def test_of_a_store_without_memories_changes_of_values_are_undone_and_done_again(memories: Memories) -> None:
    one, two = changed_block(memories, "a", "one"), changed_block(memories, "b", "two")
    undone = undo_change(memories)
    assert (undone.change, undone.values, block(memories, "b")) == (two.id, ["block/b"], None)
    assert undo_change(memories).change == one.id and block(memories, "a") is None
    with pytest.raises(NotFound, match="nothing to undo"):
        undo_change(memories)
    [again] = [each for each in values_before(memories.store) if each.is_of_change and each.undoes == one.id]
    assert undo_change(memories, again.change).values == ["block/a"] and block(memories, "a") == "one"


def test_a_value_goes_back_through_all_changes_of_it_but_not_through_what_its_owner_wrote(
    memories: Memories,
) -> None:
    changes = [changed_block(memories, "a", text) for text in ("one", None, "three", "four")]
    for change, expected in zip(reversed(changes), ("three", None, "one", None), strict=True):
        undone = undo_change(memories)
        assert (undone.change, undone.left, block(memories, "a")) == (change.id, [], expected)
    one = changed_block(memories, "b", "one")
    now = memories.now()
    memories.store.drop_state("default", areas.BLOCK.name, "b")
    # By another hand, and of the same number by chance.
    theirs = State("default", areas.BLOCK.name, "b", "theirs", 2, now, now)
    memories.store.put_state(theirs)
    two = changed_block(memories, "b", "two")
    assert undo_change(memories).change == two.id and block(memories, "b") == "theirs"
    assert undo_change(memories, one.id).left and block(memories, "b") == "theirs"


def test_what_was_written_over_since_stays_and_what_another_space_changed_is_its_own(
    memories: Memories,
) -> None:
    one, barn = changed_block(memories, "a", "one"), changed_block(memories, "b", "barn's", "barn")
    changed_block(memories, "a", "two")
    undone = undo_change(memories, one.id)
    assert undone.left == ["block/a was changed again since"] and not undone.values
    with pytest.raises(NotFound):
        undo_change(memories, barn.id)
    assert undo_change(memories.in_space("barn")).change == barn.id


def test_notes_of_another_shape_undo_nothing(memories: Memories) -> None:
    change, now = changed_block(memories, "a", "one"), memories.now()
    [good] = [each for each in memories.store.states(area=areas.VALUE_BEFORE.name) if "/block/" in each.key]
    shapes: list[dict[str, Any]] = [{"before": {"value": 1}}, {"before": 7}, {"change": 7}, {"area": None}]
    for n, spoilt in enumerate(shapes):
        memories.store.put_state(good._replace(key=f"k{n}", value={**good.value, **spoilt}))
    memories.store.put_state(good._replace(key="k9", value="no object"))
    notes = [each for each in values_before(memories.store) if not each.is_of_change]
    assert [(each.change, each.name[2], each.before) for each in notes] == [(change.id, "a", None)]
    assert good.expires_at and good.expires_at > now


def test_a_value_keeps_a_number_that_nobody_has_read_and_when_it_was_made(memories: Memories) -> None:
    changed_block(memories, "a", "one")
    before = read_state(memories.store, "default", areas.BLOCK.name, "a")
    assert before and before.version == 2
    now = memories.now()
    change = Change("rollback", "cli", None, memories.new_id(now))
    for version, wanted in ((9, 10), (1, 11)):
        new = State("default", areas.BLOCK.name, "a", "x", version, now, now)
        assert replace_values(memories, change, [new], [], now) == 1
        after = read_state(memories.store, "default", areas.BLOCK.name, "a")
        assert after and (after.version, after.created_at) == (wanted, before.created_at)
    gone = ("default", areas.BLOCK.name, "never there")
    assert replace_values(memories, change, [], [gone], now) == 0


@pytest.mark.parametrize(
    ("named", "found"),
    [("1", True), ("9", False), ("1234567", False), ("99999999", False), ("ZZZZZZZZ", False)],
)
def test_a_line_is_named_by_its_number_and_a_change_by_its_id(
    memories: Memories, named: str, found: bool
) -> None:
    change = change_of(memories, memories.remember("the mill grinds"))
    if found:
        assert events_of_change(memories, named)[0] == change
    else:
        with pytest.raises(NotFound):
            events_of_change(memories, named)
    with pytest.raises(BadInput, match="the id is empty"):
        events_of_change(memories, "")
    assert events_of_change(memories, change[-8:])[0] == events_of_change(memories, change[:25])[0] == change


def test_an_end_of_an_id_that_two_changes_share_is_not_enough(memories: Memories) -> None:
    for text in ("the mill grinds", "an owl hoots at night"):
        memories.remember(text)
    with pytest.raises(BadInput, match="fits 2 changes"):
        events_of_change(memories, next(memories.store.history()).change[:6])  # type: ignore[index]


@pytest.mark.parametrize(
    ("number", "among"), [(1, False), (2, True), (4, True), (5, False), (7, True), (8, False)]
)
def test_which_lines_are_another_machines(number: int, among: bool) -> None:
    assert is_among(number, [(2, 4, "/a"), (7, 7, "/b")]) is among
    assert not is_among(number, [])


def test_lines_of_one_folder_that_follow_each_other_are_one_range(memories: Memories) -> None:
    kept = memories.remember("the mill grinds")
    [line] = memories.store.history(kept.id)

    def told(n: int) -> Event:
        return line._replace(change=memories.new_id(memories.now()), reason=str(n), at=memories.now())

    assert put_foreign(memories, [told(1), told(2)], "/a") == 2 and put_foreign(memories, [told(3)], "/a")
    assert put_foreign(memories, [told(4)], "/b") == 1
    assert put_foreign(memories, [], "/b") == 0
    memories.remember("an owl hoots at night")
    put_foreign(memories, [told(5)], "/b")
    assert read_ranges(memories) == [(2, 4, "/a"), (5, 5, "/b"), (7, 7, "/b")]
    assert read_ranges(memories, "/b") == [(5, 5, "/b"), (7, 7, "/b")]


def test_an_agent_is_told_by_its_name_which_change_is_not_its_own(
    memories: Memories, agent: Memories
) -> None:
    kept = memories.remember("the mill grinds")
    with pytest.raises(Refused, match=f"the change {change_of(memories, kept)} is by {memories.origin}"):
        undo_change(agent, change_of(memories, kept))
    # A line of old may be of no change, and has its number.
    [line] = memories.store.history(kept.id)
    with pytest.raises(Refused, match=f"the change {line.number} is by"):
        agent.check_undo([line._replace(change=None)])


def test_a_text_that_an_undo_brings_back_has_its_vectors_again(memories: Memories) -> None:
    kept = memories.remember("the mill grinds rye")
    everything = Filter(spaces=None)
    before = list(memories.store.each_vector(everything))
    put_embedded(memories, memories.model, [replace(kept, text="an owl hoots")], memories.change("edit"))
    assert list(memories.store.each_vector(everything)) != before
    undo_change(memories)
    assert list(memories.store.each_vector(everything)) == before
    assert not memories.store.wanting(everything)


def test_what_an_agent_may_not_take_back_stays(memories: Memories, agent: Memories) -> None:
    back = changed_block(memories, "a", "one")
    with pytest.raises(Refused, match="taking back a change"):
        undo_change(agent, back.id)
    assert block(memories, "a") == "one"
    now, area = memories.now(), next(each for each in areas.ALL if each.waits)
    asked = State(memories.space, area.name, "q", {"change": memories.new_id(now)}, 1, now, now)
    memories.store.put_state(asked)
    with pytest.raises(Refused, match="withdrawing what waits for review"):
        undo_change(agent, asked.value["change"])
    assert undo_change(memories, asked.value["change"]).withdrawn == [f"{area.name}/q"]


def test_who_is_untrusted_by_now_takes_no_rollback_back_that_was_its_own(
    memories: Memories, agent: Memories
) -> None:
    snapshot = create_snapshot(memories, "one")
    blocks.put_block(memories, "owner", "keeps bees")
    given = {"MEMCLI_ORIGIN": agent.origin, "MEMCLI_UNTRUSTED_ORIGINS": "nobody"}
    trusted = Memories(memories.store, Config(given), StandIn, clock=memories.now)
    with opened_snapshot(trusted, snapshot) as then:
        back = roll_back(trusted, then, "one", None)
    assert back.change and back.values and not back.memories
    with pytest.raises(Refused, match="taking back a rollback"):
        undo_change(agent, back.change)
    assert not list(blocks.blocks(memories))


def test_what_a_change_erased_is_named_and_the_rest_taken_back(memories: Memories) -> None:
    gone = memories.remember("an owl hoots at night")
    whole = memories.as_one_change(memories.new_id(memories.now()), "cli")
    kept = whole.remember("the mill grinds rye")
    erase_memories(whole, [gone])
    undone = undo_change(memories, change_of(memories, kept))
    assert [each.id for each in undone.memories] == [kept.id] and memories.find(kept.id).ended_at
    assert undone.left == [f"{gone.id} was erased for good"]


def test_what_cannot_be_read_any_more_is_named_and_the_rest_of_a_rollback_taken_back(
    memories: Memories, own_home: Path
) -> None:
    snapshot = create_snapshot(memories, "one")
    broken, kept = memories.remember("the mill grinds rye"), memories.remember("an owl hoots at night")
    with opened_snapshot(memories, snapshot) as then:
        back = roll_back(memories, then, "one", None)
    with closing(open_database(own_home / "memory.db")) as db:
        db.execute("UPDATE memories SET kind = 'zebra' WHERE id = ?", (broken.id,))
    undone = undo_change(memories, back.change)
    assert undone.left == [f"{broken.id} is gone"] and [each.id for each in undone.memories] == [kept.id]
    assert memories.find(kept.id).ended_at is None


def test_what_holds_beside_its_double_is_as_it_was_again(memories: Memories) -> None:
    """Only what would come back from its end stays ended where another says the same."""
    draft = Draft(text="the mill grinds rye", kind="fact")
    forced = WriteOptions(force=True)
    [one], [two] = (admit_drafts(memories, memories.model, [draft], forced) for _ in range(2))
    assert one.memory.id != two.memory.id
    memories.store.put([replace(one.memory, importance=0.9)], memories.change("edit"), memories.now())
    undone = undo_change(memories)
    assert undone.left == [] and memories.find(one.memory.id).importance == one.memory.importance


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ("1234567", "no change of the number 1234567 in"),
        ("12345678", "no change '12345678'"),
        # A digit, and no number.
        ("²", "no change '²'"),
        ("①", "no change '①'"),
    ],
)
def test_few_digits_are_a_number_and_many_an_end_of_an_id(memories: Memories, named: str, said: str) -> None:
    memories.remember("the mill grinds rye")
    with pytest.raises(NotFound, match=said):
        undo_change(memories, named)
