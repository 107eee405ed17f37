"""An undo right after a night takes back the night, whatever that did; undone, it is all there again."""

from __future__ import annotations

import pytest

from memcli.changes import open_questions
from memcli.changes.past_changes import last_change
from memcli.changes.undo import undo_change
from memcli.changes.values_before import values_before
from memcli.errors import Refused
from memcli.graph import proposed_links
from memcli.memories import Memories
from memcli.model import Memory
from memcli.recall.closed_questions import ClosedQuestions
from memcli.storage import areas
from memcli.storage.ledger import Clock, state_key
from memcli.write_policy.drafts import Draft
from memcli.write_policy.review import list_held
from tests.conftest import TickingClock
from tests.consolidation.test_steps import again, put, run
from tests.erasure import erase_memories


def asked_about(memories: Memories) -> list[set[str]]:
    return [{each.older.id, each.newer.id} for each in open_questions.open_questions(memories)]


def kites(memories: Memories, clock: TickingClock) -> tuple[Memory, Memory, Memory]:
    """Two that contradict each other, and what was remembered last."""
    older = put(memories, "my kite's type is delta")
    clock.advance(days=1)
    return older, put(memories, "my kite's type is parafoil"), memories.remember("the blue cup is cracked")


def test_after_a_night_that_only_asked_an_undo_withdraws_its_questions(
    memories: Memories, clock: TickingClock
) -> None:
    older, newer, last = kites(memories, clock)
    report = run(memories, "contradict")
    undone = undo_change(memories)
    assert (undone.change, undone.memories, len(undone.withdrawn)) == (report.run, [], 1)
    assert again(memories, last).ended_at is None and not asked_about(memories)
    back = undo_change(memories, undone.undo)
    assert len(back.waiting) == 1 and not back.values and asked_about(memories) == [{older.id, newer.id}]
    # It is the last change again; after it comes what was done before.
    assert undo_change(memories).change == report.run
    assert [each.id for each in undo_change(memories).memories] == [last.id]


def test_after_a_night_that_only_proposed_an_undo_withdraws_that(memories: Memories) -> None:
    memories.remember("Nadia works at Helio. Pablo is Nadia's brother.")
    report = run(memories, "distil")
    waiting = [*proposed_links.list_proposed_links(memories)]
    undone = undo_change(memories)
    assert undone.change == report.run and len(undone.withdrawn) == 2
    undo_change(memories, undone.undo)
    assert [*proposed_links.list_proposed_links(memories)] == waiting


def test_after_a_night_that_only_noted_an_undo_takes_back_its_notes(
    memories: Memories, clock: TickingClock
) -> None:
    said = {"kind": "episode", "session": "s", "data": {"role": "user"}}
    older = put(memories, "My Zotero library has 45 sources, tagged by theme and date.", **said)
    clock.advance(days=3)
    put(memories, "My Zotero library has now reached 52 sources, how do I organize them by theme?", **said)
    memories.remember("the blue cup is cracked")
    report = run(memories, "contradict")
    assert report.counts() == {"contradict": {"relate": 1}}
    noted = again(memories, older).data["updated_by"]
    undone = undo_change(memories)
    assert undone.change == report.run and "updated_by" not in again(memories, older).data
    undo_change(memories, undone.undo)
    assert again(memories, older).data["updated_by"] == noted


def test_what_its_owner_has_answered_is_no_longer_the_nights(memories: Memories, clock: TickingClock) -> None:
    older, newer, last = kites(memories, clock)
    run(memories, "contradict")
    open_questions.close_question(memories, [older, newer])
    assert [each.id for each in undo_change(memories).memories] == [last.id]
    assert ClosedQuestions(memories.store, (memories.space,)).holds(older.id, newer.id)


def test_a_question_that_is_open_anew_is_left_as_it_is(memories: Memories, clock: TickingClock) -> None:
    older, newer, _ = kites(memories, clock)
    run(memories, "contradict")
    undone = undo_change(memories)
    open_questions.put_question(memories, [older.id, newer.id], "contradiction")
    back = undo_change(memories, undone.undo)
    assert not back.waiting and ["changed again" in line for line in back.left] == [True]
    assert len(asked_about(memories)) == 1


def test_what_was_held_waits_again(memories: Memories) -> None:
    memories.remember("the blue cup is cracked")
    memories.remember_all([Draft(text="Ann may keep bees", source="inferred", confidence=0.4)])
    [held] = list_held(memories)
    undone = undo_change(memories)
    assert undone.withdrawn == [f"held/{held.memory.id}"] and not [*list_held(memories)]
    undo_change(memories, undone.undo)
    assert [each.memory for each in list_held(memories)] == [held.memory]


def test_what_another_machine_put_before_its_owner_is_not_the_last_change(memories: Memories) -> None:
    last = memories.remember("Nadia works at Helio. Pablo is Nadia's brother.")
    run(memories, "distil")
    states = [*memories.store.states(area=areas.PROPOSED_LINK.name)]
    keys = [state_key(each.space, each.area, each.key) for each in states]
    memories.store.put_clocks(Clock("state", key, n, "/a/folder", {}) for n, key in enumerate(keys, start=1))
    assert [event.memory for event in last_change(memories)[1]] == [last.id]


def test_what_was_erased_meanwhile_does_not_wait_again(memories: Memories) -> None:
    said = memories.remember("Nadia works at Helio. Pablo is Nadia's brother.")
    run(memories, "distil")
    undone = undo_change(memories)
    erase_memories(memories, [said], None)
    assert not undo_change(memories, undone.undo).is_any
    assert not [each for each in values_before(memories.store) if each.before]
    assert not [*memories.store.states(area=areas.PROPOSED_LINK.name)]


def test_no_agent_withdraws_what_waits_or_brings_it_back(
    memories: Memories, agent: Memories, clock: TickingClock
) -> None:
    kites(memories, clock)
    run(memories, "contradict")
    with pytest.raises(Refused, match="waits for review"):
        undo_change(agent)
    undone = undo_change(memories)
    with pytest.raises(Refused, match="waits for review"):
        undo_change(agent, undone.undo)
    assert not asked_about(memories)


def test_the_night_after_one_that_was_undone_asks_again_what_still_stands(
    memories: Memories, clock: TickingClock
) -> None:
    older, newer, _ = kites(memories, clock)
    run(memories, "contradict")
    undo_change(memories)
    assert run(memories, "contradict").counts() == {"contradict": {"ask": 1}}
    assert asked_about(memories) == [{older.id, newer.id}]
    assert not run(memories, "contradict").counts()


def test_a_question_that_a_night_settled_stands_open_again_where_the_night_is_undone(
    memories: Memories, clock: TickingClock
) -> None:
    older, newer, _ = kites(memories, clock)
    run(memories, "contradict")
    clock.advance(days=1)
    night = memories.as_one_change(memories.new_id(memories.now()), "consolidation")
    night.end([older.id], "lived out", "expired")
    assert open_questions.drop_settled_questions(night) == 1 and not asked_about(memories)
    undo_change(memories, night.shared_change)
    assert asked_about(memories) == [{older.id, newer.id}]
