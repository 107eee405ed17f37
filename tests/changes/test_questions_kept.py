"""Which open questions stand, which are dropped, and what tells of their memories where they came from."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from memcli.changes import open_questions, revision
from memcli.changes.provenance import provenance_of
from memcli.graph.link_changes import link_entities
from memcli.memories import Memories
from memcli.model import UPDATE_OF, Memory, as_ended
from memcli.recall.closed_questions import ClosedQuestions
from memcli.storage.lookup import merged_into
from memcli.write_policy.direct import put_embedded
from memcli.write_policy.drafts import Draft, new_memory
from memcli.write_policy.settings import WriteOptions
from tests.erasure import erase_memories


def put(memories: Memories, text: str, **fields: Any) -> Memory:
    memory = replace(new_memory(memories, Draft(text=text, kind="fact")), **fields)
    put_embedded(memories, memories.model, [memory], memories.change("import"))
    return memory


def test_a_question_is_dropped_when_a_memory_of_it_is_over_and_an_answer_when_it_is_gone(
    memories: Memories,
) -> None:
    kites = [put(memories, f"kite {n} is red") for n in range(6)]
    ids = [each.id for each in kites]
    for pair in (ids[:2], ids[2:4], ids[4:]):
        assert open_questions.put_question(memories, pair, "contradiction")
        assert not open_questions.put_question(memories, pair, "contradiction")
    open_questions.close_question(memories, kites[4:])
    assert open_questions.drop_settled_questions(memories) == 0
    memories.end([ids[0], ids[4]], "lost")
    assert open_questions.drop_settled_questions(memories) == 1
    assert [each.older.id for each in open_questions.open_questions(memories)] == [ids[2]]
    assert ClosedQuestions(memories.store, (memories.space,)).holds(ids[4], ids[5])
    erase_memories(memories, memories.store.get([ids[4]]))
    open_questions.drop_settled_questions(memories)
    assert not ClosedQuestions(memories.store, (memories.space,)).holds(ids[4], ids[5])


def test_what_a_judge_doubted_is_unsettled_until_somebody_says_or_one_is_over(memories: Memories) -> None:
    def pairs() -> list[tuple[str, str]]:
        found = open_questions.unsettled_pairs(memories, new)
        return sorted((each.older.id, each.newer.id) for each in found)

    old = [put(memories, f"kite {n} is red") for n in range(4)]
    elsewhere = put(memories, "the kite of the barn is red", space="barn")
    doubted = [*(each.id for each in old), elsewhere.id]
    new = [put(memories, f"kite {n} is blue", data={"judged": {f"{UPDATE_OF}{each}": 0.9}})
           for n, each in enumerate(doubted)]  # fmt: skip
    open_questions.put_question(memories, [old[0].id, new[0].id], "contradiction")
    open_questions.note_both_hold(memories, new[1], [old[1].id])
    memories.end([old[2].id], "lost")
    assert pairs() == sorted([(old[0].id, new[0].id), (old[3].id, new[3].id)])
    newest_first = [each.newer.id for each in open_questions.unsettled_pairs(memories, new)]
    assert newest_first == [new[3].id, new[0].id]
    # Whatever was asked for: a question that stands is unsettled.
    assert len(open_questions.unsettled_pairs(memories, [])) == 1
    open_questions.note_both_hold(memories, new[0], [old[0].id])
    assert pairs() == [(old[3].id, new[3].id)]


def test_of_what_holds_side_by_side_the_first_alone_stands_for_both(memories: Memories) -> None:
    kites = [put(memories, f"kite {n} is red") for n in range(6)]

    def without_closed(some: list[Memory]) -> list[Memory]:
        return ClosedQuestions(memories.store, (memories.space,)).without_closed(some)

    assert without_closed(kites) == kites
    for one, other in ((0, 2), (1, 4)):
        open_questions.note_both_hold(memories, kites[other], [kites[one].id])
    assert without_closed(kites) == [kites[n] for n in (0, 1, 3, 5)]
    assert without_closed(kites[::-1]) == [kites[n] for n in (5, 4, 3, 2)]


def test_the_story_of_a_memory_names_who_took_it_and_what_rests_on_it(memories: Memories) -> None:
    kept, other = memories.remember("Ann works at Acme"), memories.remember("the owl hoots at night")
    link = link_entities(memories, "Ann", "works_at", "Acme", evidence=kept).link
    link_entities(memories, "owl", "hoots_at", "night", evidence=other)
    story = provenance_of(memories, kept)
    assert [each.id for each in story.links] == [link.id]
    record = story.to_record()
    assert (record["taken_by"], record["policy_now"][:4]) == (memories.origin, "take") and record["taken_at"]
    later = revision.correct_memory(memories, kept, "Ann works at Bolt", WriteOptions()).memory
    story = provenance_of(memories, memories.store.get([kept.id])[0])
    assert story.superseded_by == later.id and [each.id for each in story.used_by] == [later.id]
    memories.store.put(
        [replace(later, id=memories.new_id(memories.now()), space="barn")], None, memories.now()
    )
    untold = provenance_of(memories, next(memories.in_space("barn").store.select(
        memories.in_space("barn").within())))  # fmt: skip
    assert untold.taken is None and untold.to_record()["taken_at"] is None


def test_a_circle_of_merges_ends(memories: Memories) -> None:
    one, two = memories.remember("the mill grinds rye"), memories.remember("an owl hoots at night")
    now = memories.now()
    memories.store.put(
        [as_ended(one, now, "merged", "merged", two.id), as_ended(two, now, "merged", "merged", one.id)],
        None,
        now,
    )
    assert merged_into(memories.store, memories.store.get([one.id])[0]).id in (one.id, two.id)
    gone = memories.remember("the well is dry")
    memories.store.put([as_ended(gone, now, "merged", "merged", memories.new_id(now))], None, now)
    assert merged_into(memories.store, memories.store.get([gone.id])[0]).id == gone.id
