"""What an undo leaves alone: what another space has, what waits for its owner, what an agent did not do."""

from __future__ import annotations

from memcli.changes.foreign_lines import put_foreign
from memcli.changes.undo import undo_change
from memcli.memories import Memories
from memcli.model import Memory
from memcli.tiers.context import blocks
from memcli.upkeep import spaces
from memcli.upkeep.copies.rollback import roll_back
from memcli.upkeep.copies.snapshots import create_snapshot, opened_snapshot


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


def test_what_another_machine_did_last_is_not_the_last_change(memories: Memories) -> None:
    kept = memories.remember("the mill grinds")
    [added] = memories.store.history(kept.id)
    told = added._replace(action="edit", change=memories.new_id(memories.now()), at=memories.now(), before={})
    assert put_foreign(memories, [told], "/a/folder") == 1
    undone = undo_change(memories)
    assert undone.change == added.change and [each.id for each in undone.memories] == [kept.id]
