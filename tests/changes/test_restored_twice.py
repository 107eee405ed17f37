"""What was forgotten and said anew since is not brought back beside itself."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memcli.changes.forgetting.soft import forget_memories
from memcli.changes.past_changes import last_change
from memcli.changes.revision import merge_memories, restore_memories
from memcli.changes.undo import undo_change
from memcli.memories import Memories
from memcli.model import Memory
from memcli.write_policy.drafts import Draft
from tests.conftest import Run

TEXT = "The staging server listens on port 8443"


def _live(memories: Memories) -> list[str]:
    return [each.id for each in memories.store.select(memories.within(), order="oldest")]


@pytest.fixture
def old(memories: Memories) -> Memory:
    kept = memories.remember(Draft(text=TEXT, tags=("ops",), importance=0.9))
    forget_memories(memories, [kept], "moved on")
    return kept


@pytest.mark.parametrize("again", [TEXT, "the staging server listens on port 8443."])
def test_what_stands_is_confirmed_and_the_old_one_stays_ended(
    memories: Memories, old: Memory, again: str
) -> None:
    new = memories.remember(Draft(text=again, tags=("net",), confidence=0.8))
    [(stays, decision)], _ = restore_memories(memories, [old])
    assert decision.action == "reinforce" and decision.other == new.id and stays.ended_at
    assert _live(memories) == [new.id]
    [known] = memories.store.get([new.id])
    assert (known.confidence, known.tags, known.importance) == (0.9, ("net", "ops"), 0.9)
    # It is one change, which can be taken back.
    undo_change(memories)
    assert memories.store.get([new.id])[0].tags == ("net",)


def test_it_comes_back_by_force_and_where_nothing_says_just_that(memories: Memories, old: Memory) -> None:
    memories.remember("The staging server listens on port 9443")
    memories.remember(Draft(text=TEXT, kind="preference"))
    memories.in_space("other").remember(TEXT)
    [(back, decision)], _ = restore_memories(memories, [old])
    assert decision.action == "take" and back.ended_at is None and back.id == old.id
    forget_memories(memories, [back], "again")
    new = memories.remember(TEXT)
    [(back, decision)], _ = restore_memories(memories, [old], force=True)
    assert back.ended_at is None and {back.id, new.id} <= set(_live(memories))


def test_what_passes_stands_for_nothing_that_lasts(memories: Memories, old: Memory) -> None:
    new = memories.remember(TEXT)
    until = memories.now().replace(year=2099)
    memories.store.put([replace(new, expires_at=until)], memories.change("edit"), memories.now())
    [(back, _)], _ = restore_memories(memories, [old])
    assert back.ended_at is None


def test_of_two_of_one_text_the_first_comes_back(memories: Memories, old: Memory) -> None:
    twin = memories.remember(TEXT)
    forget_memories(memories, [twin], "both")
    after, _ = restore_memories(memories, [old, twin])
    assert [decision.action for _, decision in after] == ["take", "reinforce"]
    assert _live(memories) == [old.id]


def test_an_undo_of_forgetting_leaves_what_was_said_anew(memories: Memories, old: Memory) -> None:
    forgetting = last_change(memories)[0]
    new = memories.remember(TEXT)
    undone = undo_change(memories, forgetting)
    assert undone.left == [f"{old.id} stays ended: {new.id} says the same by now"]
    assert _live(memories) == [new.id]


def test_an_undo_brings_back_what_its_own_change_has_ended(memories: Memories, old: Memory) -> None:
    restore_memories(memories, [old])
    other = memories.in_space("other").remember(TEXT)
    memories.store.put([replace(other, space="default")], memories.change("move"), memories.now())
    both = [old.id, other.id]
    merged = merge_memories(memories, memories.store.get(both))
    assert _live(memories) == [merged.id] and merged.text == TEXT
    assert not undo_change(memories).left
    assert _live(memories) == both
    forget_memories(memories, memories.store.get(both), "both at once")
    assert not undo_change(memories).left
    assert _live(memories) == both


def test_what_is_in_that_state_already_is_told_and_not_recorded(mem: Run) -> None:
    first, second = (mem("remember", text).stdout.strip() for text in (TEXT, "The attic has two windows"))
    mem("forget", first)
    history = mem("history").stdout
    forgotten = mem("forget", first)
    assert (forgotten.returncode, forgotten.stdout) == (0, f"{first}\n")
    assert forgotten.stderr == f"mem: {first} is ended already; nothing was recorded\n"
    live = mem("restore", second)
    assert (live.returncode, live.stdout) == (0, f"{second}\n")
    assert live.stderr == f"mem: {second} is live already; nothing was recorded\n"
    assert mem("history").stdout == history
    both = mem("restore", first, second)
    assert both.returncode == 0 and both.stdout.split() == [first, second]
    assert both.stderr == f"mem: {second} is live already; nothing was recorded\n"


def test_by_hand(mem: Run) -> None:
    old = mem("remember", TEXT).stdout.strip()
    mem("forget", old)
    new = mem("remember", TEXT).stdout.strip()
    said = mem("restore", old)
    assert (said.returncode, said.stdout.strip()) == (0, new)
    assert said.stderr.splitlines() == [
        f"mem: known already; it is confirmed ({new})",
        f"mem: {old} stays ended; --force brings it back all the same",
    ]
    assert mem("list", "--format", "ids").stdout.split() == [new]
    assert mem("restore", old, "--force").stdout.strip() == old
    assert len(mem("list", "--format", "ids").stdout.split()) == 2
