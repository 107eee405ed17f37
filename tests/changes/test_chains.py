"""Chains of corrections and merges: followed to what is in force, said, and taken back."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from memcli.changes import revision
from memcli.changes.forgetting.soft import forget_memories
from memcli.changes.provenance import provenance_of
from memcli.changes.story import story_lines
from memcli.changes.undo import undo_change
from memcli.errors import BadInput
from memcli.graph.link_changes import link_entities
from memcli.graph.walk import evidence_memories, is_unsupported, was_retracted
from memcli.memories import Memories
from memcli.model import Ending, Filter, Memory, as_ended
from memcli.storage.lookup import successor
from memcli.tiers.sessions.folding import fold_turns
from memcli.write_policy.admission import admit_drafts
from memcli.write_policy.decision import Decision
from memcli.write_policy.drafts import Draft, new_memory
from memcli.write_policy.settings import WriteOptions
from tests.conftest import Run
from tests.erasure import erase_memories
from tests.tiers.turns import log


def correct(memories: Memories, memory: Memory, text: str) -> Decision:
    return revision.correct_memory(memories, memory, text, WriteOptions())


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
    merged = revision.merge_memories(memories, [one, two])
    new = correct(memories, two, "the pool opens in June")
    assert new.other == merged.id and live(memories) == ["the pool opens in June"]
    assert memories.current_version(one).id == memories.current_version(merged).id == new.memory.id
    other = memories.remember("the lifeguard is called Olu")
    again = revision.merge_memories(memories, [new.memory, other])
    assert memories.current_version(one).id == again.id


def test_undoing_a_merge_after_a_correction_says_what_stays(memories: Memories) -> None:
    one, two = memories.remember("the pool opens in May"), memories.remember("swimming starts in May")
    merged = revision.merge_memories(memories, [one, two])
    new = correct(memories, merged, "the pool opens in June").memory
    change = next(event.change for event in memories.store.history(merged.id) if event.action == "merge")
    undone = undo_change(memories, change)
    assert {each.id for each in undone.memories} == {one.id, two.id}
    assert undone.left == [f"{merged.id} was ended already; {new.id}, which took its place, stays"]
    assert len(live(memories)) == 3
    assert memories.current_version(one).id == one.id


def test_undoing_step_by_step_goes_all_the_way_back(memories: Memories) -> None:
    one, two = memories.remember("the pool opens in May"), memories.remember("swimming starts in May")
    merged = revision.merge_memories(memories, [one, two])
    correct(memories, merged, "the pool opens in June")
    assert not undo_change(memories).left and live(memories) == [merged.text]
    assert not undo_change(memories).left and live(memories) == sorted([one.text, two.text])


def test_what_was_forgotten_after_it_came_back_has_no_successor(memories: Memories) -> None:
    old = memories.remember("the pool opens in May")
    new = correct(memories, old, "the pool opens in June").memory
    revision.restore_memories(memories, [memories.find(old.id)])
    forget_memories(memories, [memories.find(old.id)], "nobody swims")
    with pytest.raises(BadInput, match=f"{old.id} was ended .nobody swims"):
        correct(memories, old, "the pool opens in July")
    assert memories.find(new.id).ended_at is None


def test_what_was_corrected_twice_leads_to_the_later(memories: Memories) -> None:
    old = memories.remember("the pool opens in May")
    correct(memories, old, "the pool opens in June")
    undo_change(memories)
    later = correct(memories, old, "the pool opens in July").memory
    assert memories.current_version(old).id == later.id


# What somebody wrote as a reason is no chain


PHRASES = ("merged into", "superseded by", "folded into", "updated by")


@pytest.mark.parametrize("phrase", PHRASES)
def test_no_reason_sends_a_change_to_another_memory(memories: Memories, phrase: str) -> None:
    one, other = memories.remember("the pool opens in May"), memories.remember("Ann keeps bees")
    forget_memories(memories, [one], f"{phrase} {other.id}")
    for change in (
        lambda: revision.doubt_memory(memories, one),
        lambda: revision.confirm_memory(memories, one),
        lambda: correct(memories, one, "the pool opens in June"),
        lambda: memories.remember(Draft(text="the pool opens in July", supersedes=one.id)),
    ):
        with pytest.raises(BadInput) as refused:
            change()
        assert str(refused.value) == (
            f"{one.id} was ended ({phrase} {other.id}); `mem restore {one.id}` first"
        )
    assert memories.find(other.id) == other
    assert provenance_of(memories, memories.find(one.id)).superseded_by is None


def test_a_reason_lends_a_link_no_evidence(memories: Memories) -> None:
    one, other = memories.remember("Ann works at Acme"), memories.remember("Ann keeps bees")
    link_entities(memories, "Ann", "works_at", "Acme", evidence=one)
    forget_memories(memories, [one], f"merged into {other.id}")
    [said] = memories.store.links()
    assert is_unsupported(said, evidence_memories(memories.store, [said]))


def test_a_turn_that_its_owner_forgot_is_taken_back_whatever_the_reason(memories: Memories) -> None:
    turn = log(memories, "the mast is oiled", session="s")
    fold_turns(memories, "s")
    assert "folded" in memories.find(turn.id).data
    [gone] = forget_memories(memories, [turn], "session s folded")
    assert was_retracted(gone)


def test_a_reason_undoes_nothing(memories: Memories) -> None:
    """Nor does it say of what was changed that it was taken back."""
    kept = memories.remember("the pool opens in May")
    [added] = memories.store.history(kept.id)
    revision.doubt_memory(memories, kept, f"undo of {added.change}")
    assert undo_change(memories).action == "doubt"
    # The undoing of the doubt is no undoing of what the doubt's reason names.
    assert undo_change(memories).change == added.change
    assert memories.find(kept.id).ended_as == "undone"


def test_each_way_of_being_replaced_says_so_and_by_what(memories: Memories) -> None:
    old = memories.remember("the pool opens in May")
    new = correct(memories, old, "the pool opens in June").memory
    other = memories.remember("swimming starts in June")
    merged = revision.merge_memories(memories, [new, other])
    gone = [memories.find(each.id) for each in (old, new, other)]
    assert [(each.ended_as, each.replaced_by) for each in gone] == [
        ("superseded", new.id), ("merged", merged.id), ("merged", merged.id),
    ]  # fmt: skip
    lines = [event.after for event in memories.store.history(old.id)]
    assert lines[-1] and (lines[-1]["ended_as"], lines[-1]["replaced_by"]) == ("superseded", new.id)
    [(back, _)], _ = revision.restore_memories(memories, gone[:1])
    assert (back.ended_at, back.ended_as, back.ended_why, back.replaced_by) == (None, None, None, None)


def test_what_took_a_memorys_place_and_was_erased_is_named_by_nobody(memories: Memories) -> None:
    old, new = memories.remember("Ann lives in Berlin"), memories.remember("Ann now lives in Paris")
    memories.end([old.id], "updated", "updated", new.id)
    erase_memories(memories, [new])
    left = memories.find(old.id)
    assert (left.ended_as, left.replaced_by) == ("updated", None)
    assert memories.current_version(left) == left


def test_a_cycle_ends(memories: Memories) -> None:
    """None can be made by command; a store that was merged with another may hold one."""
    one, two = memories.remember("the pool opens in May"), memories.remember("swimming starts in May")
    now = memories.now()
    tied = [
        replace(as_ended(one, now, "superseded", "", two.id), supersedes=two.id),
        replace(as_ended(two, now, "superseded", "", one.id), supersedes=one.id),
    ]
    memories.store.put(tied, None, now)
    assert memories.current_version(one).id in (one.id, two.id)
    with pytest.raises(BadInput, match="was ended"):
        correct(memories, one, "the pool is shut")
    receipt = erase_memories(memories, memories.store.get([one.id]))
    assert set(receipt.earlier_versions) == {two.id} and receipt.verified
    assert list(memories.store.select(Filter(live=False))) == []


@pytest.mark.parametrize("phrase", PHRASES)
def test_a_forged_reason_by_hand(mem: Run, phrase: str) -> None:
    one = mem("remember", "the pool opens in May").stdout.strip()
    other = mem("remember", "Ann keeps bees").stdout.strip()
    assert mem("forget", one, "--reason", f"{phrase} {other}").returncode == 0
    doubted = mem("doubt", one)
    assert doubted.returncode == 2 and f"mem restore {one}" in doubted.stderr
    assert json.loads(mem("show", other, "--json").stdout)["confidence"] == 1
    gone = json.loads(mem("show", one, "--json").stdout)
    assert (gone["ended_as"], gone["replaced_by"], gone["superseded_by"]) == ("forgotten", None, None)
    # People read what was written, and nothing else.
    assert f"{phrase} {other}" in mem("history", one).stdout and "ended_as" not in mem("history").stdout


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


def test_a_story_says_what_is_so_of_a_memory_and_nothing_of_what_is_not(memories: Memories) -> None:
    kept = memories.remember("the mill grinds rye")
    plain = "\n".join(story_lines(provenance_of(memories, kept)))
    assert "supersedes" not in plain and "ended" not in plain and "last" not in plain and "None" not in plain
    memories.store.touch([kept.id], memories.now())
    later = memories.store.get([kept.id])[0]
    ended = replace(
        later, supersedes="01J8ZQ4X7N3V5T9R2K6M8P0BCD", ended_at=memories.now(), ended_why="enough of it",
        data={"approved": "flood", "overrides": ["echo"], "judged": {"lasting": 0.9, "note": "x"}},
    )  # fmt: skip
    memories.store.put([ended], memories.change("end", "enough of it"), memories.now())
    story = provenance_of(memories, ended)
    told = "\n".join(story_lines(story))
    for word in ("01J8ZQ4X7N3V5T9R2K6M8P0BCD", "enough of it", ", last ", "flood", "echo", "lasting (90%)"):
        assert word in told, word
    assert list(story_lines(story._replace(taken=None)))
    why = story.taken._replace(reason="it was asked for") if story.taken else None
    assert "it was asked for" in "\n".join(story_lines(story._replace(taken=why)))


def test_what_took_a_place_is_told_of_what_was_replaced_and_not_of_what_was_forgotten(
    memories: Memories,
) -> None:
    later = memories.remember("the mill grinds oats")
    ways: tuple[tuple[Ending, Memory | None], ...] = (
        ("updated", later),
        ("merged", later),
        ("forgotten", None),
    )
    for how, expected in ways:
        known = new_memory(memories, Draft(text=f"the mill grinds rye: {how}"))
        ended = replace(as_ended(known, memories.now(), how, "why"), replaced_by=later.id)
        assert successor(memories.store, ended) == expected
        for other in (replace(ended, replaced_by=None), replace(ended, space="barn")):
            assert successor(memories.store, other) is None


def test_what_was_made_of_a_memory_is_told_though_it_has_ended(memories: Memories) -> None:
    source = memories.remember("the mill grinds rye")
    data = {"cites": [source.id]}
    made = [memories.remember(Draft(text=f"{text} rye", data=data)) for text in ("Ann sells", "Bob buys")]
    memories.end([made[0].id], "over")
    assert [each.id for each in provenance_of(memories, source).used_by] == [each.id for each in made]
