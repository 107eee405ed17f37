"""Chains of corrections and merges: followed to what is in force, said, and taken back."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from memcli.changes import changing as changes
from memcli.changes.forgetting.erase import erase
from memcli.changes.forgetting.soft import forget
from memcli.changes.undo import undo
from memcli.errors import BadInput
from memcli.memories import Memories
from memcli.model import Filter, Memory
from memcli.write_policy.admission import admit_drafts
from memcli.write_policy.decision import Decision
from memcli.write_policy.drafts import Draft
from memcli.write_policy.settings import WriteOptions
from tests.conftest import Run


def correct(memories: Memories, memory: Memory, text: str) -> Decision:
    return changes.correct(memories, memory, text, WriteOptions())


def live(memories: Memories) -> list[str]:
    return sorted(memory.text for memory in memories.store.select(memories.within()))


def test_what_was_replaced_in_fact_is_said(memories: Memories) -> None:
    first = memories.remember("the pool opens in May")
    second = correct(memories, first, "the pool opens in June")
    assert second.notes == ()
    third = correct(memories, first, "the pool opens in July")
    assert third.other == second.memory.id and third.memory.supersedes == second.memory.id
    assert third.notes == (f"{first.id} is superseded already; replacing {second.memory.id}",)
    [fourth] = admit_drafts(
        memories, memories.model, [Draft(text="the pool opens in August", supersedes=first.id[-8:])]
    )
    assert fourth.other == third.memory.id and first.id in fourth.notes[0]
    dry = admit_drafts(
        memories,
        memories.model,
        [Draft(text="the pool never opens", supersedes=second.memory.id)],
        dry_run=True,
    )[0]
    assert dry.other == fourth.memory.id and live(memories) == ["the pool opens in August"]


def test_a_chain_through_a_merge_is_followed(memories: Memories) -> None:
    one, two = memories.remember("the pool opens in May"), memories.remember("swimming starts in May")
    merged = changes.merge(memories, [one, two])
    new = correct(memories, two, "the pool opens in June")
    assert new.other == merged.id and live(memories) == ["the pool opens in June"]
    assert memories.current(one).id == memories.current(merged).id == new.memory.id
    other = memories.remember("the lifeguard is called Olu")
    again = changes.merge(memories, [new.memory, other])
    assert memories.current(one).id == again.id


def test_undoing_a_merge_after_a_correction_says_what_stays(memories: Memories) -> None:
    one, two = memories.remember("the pool opens in May"), memories.remember("swimming starts in May")
    merged = changes.merge(memories, [one, two])
    new = correct(memories, merged, "the pool opens in June").memory
    change = next(event.change for event in memories.store.history(merged.id) if event.action == "merge")
    undone = undo(memories, change)
    assert {each.id for each in undone.memories} == {one.id, two.id}
    assert undone.left == [f"{merged.id} was ended already; {new.id}, which took its place, stays"]
    assert len(live(memories)) == 3
    assert memories.current(one).id == one.id


def test_undoing_step_by_step_goes_all_the_way_back(memories: Memories) -> None:
    one, two = memories.remember("the pool opens in May"), memories.remember("swimming starts in May")
    merged = changes.merge(memories, [one, two])
    correct(memories, merged, "the pool opens in June")
    assert not undo(memories).left and live(memories) == [merged.text]
    assert not undo(memories).left and live(memories) == sorted([one.text, two.text])


def test_what_was_forgotten_after_it_came_back_has_no_successor(memories: Memories) -> None:
    old = memories.remember("the pool opens in May")
    new = correct(memories, old, "the pool opens in June").memory
    changes.restore(memories, [memories.find(old.id)])
    forget(memories, [memories.find(old.id)], "nobody swims")
    with pytest.raises(BadInput, match=f"{old.id} was ended .nobody swims"):
        correct(memories, old, "the pool opens in July")
    assert memories.find(new.id).ended_at is None


def test_what_was_corrected_twice_leads_to_the_later(memories: Memories) -> None:
    old = memories.remember("the pool opens in May")
    correct(memories, old, "the pool opens in June")
    undo(memories)
    later = correct(memories, old, "the pool opens in July").memory
    assert memories.current(old).id == later.id


def test_a_cycle_ends(memories: Memories) -> None:
    """None can be made by command; a store that was merged with another may hold one."""
    one, two = memories.remember("the pool opens in May"), memories.remember("swimming starts in May")
    now = memories.now()
    tied = [
        replace(one, ended_at=now, ended_why=f"superseded by {two.id}", supersedes=two.id),
        replace(two, ended_at=now, ended_why=f"superseded by {one.id}", supersedes=one.id),
    ]
    memories.store.put(tied, None, now)
    assert memories.current(one).id in (one.id, two.id)
    with pytest.raises(BadInput, match="was ended"):
        correct(memories, one, "the pool is shut")
    receipt = erase(memories, memories.store.get([one.id]))
    assert set(receipt.earlier_versions) == {two.id} and receipt.verified
    assert list(memories.store.select(Filter(live=False))) == []


def test_by_hand(mem: Run) -> None:
    first = mem("remember", "the pool opens in May").stdout.strip()
    second = mem("correct", first, "the pool opens in June").stdout.strip()
    done = mem("remember", "the pool opens in July", "--supersedes", first)
    assert done.returncode == 0 and f"replacing {second}" in done.stderr
    told = json.loads(mem("correct", first, "the pool is shut", "--json").stdout)
    assert told["decision"]["other"] == done.stdout.strip() and told["decision"]["notes"]
    mem("forget", told["id"])
    gone = mem("correct", first, "the pool is open")
    assert gone.returncode == 2 and "restore" in gone.stderr and gone.stderr.count("\n") == 1
