"""The audit says each thing once, and where it shows less than there is, a sign of that."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from memcli.changes.open_questions import close_question, put_question
from memcli.changes.undo import undo_change
from memcli.consolidation.run import consolidate
from memcli.errors import NotFound
from memcli.memories import Memories
from memcli.model import UPDATE_OF, Memory
from memcli.recall.closed_questions import ClosedQuestions
from memcli.tiers.context.start import answer_at_start
from memcli.upkeep.audit import AuditIssue, audit_memories, fix_issue
from memcli.write_policy.drafts import Draft, new_memory

PORTS = ("The staging server listens on port 8443", "The staging server listens on port 8444")


@pytest.fixture
def pair(memories: Memories) -> list[Memory]:
    return [memories.remember(text) for text in PORTS]


def _of(memories: Memories, *checks: str) -> list[AuditIssue]:
    return list(audit_memories(memories, checks))


def test_a_contradiction_and_the_question_about_it_are_one_issue(
    memories: Memories, pair: list[Memory]
) -> None:
    ids = [each.id for each in pair]
    # Doubted when it was written, so it is open before any night asks.
    [alone] = _of(memories)
    assert (alone.check, alone.ids) == ("contradictions", ids)
    assert alone.remedy.endswith(f"; if both hold: mem review close {' '.join(ids)}")
    put_question(memories, ids, "contradiction")
    assert _of(memories) == [alone]
    # Asked for by itself it is there.
    [question] = _of(memories, "questions")
    assert question.ids == ids
    close_question(memories, pair)
    assert not _of(memories)


def test_what_the_start_of_a_session_counts_stands_among_the_questions(memories: Memories) -> None:
    """Before any night, and of episodes, too, which no other check looks at."""
    olds = [memories.remember(f"{name} lives in the barn") for name in "ABCDEFG"]
    for number, old in enumerate(olds):
        kind = "episode" if number % 2 else "fact"
        doubting = {"judged": {f"{UPDATE_OF}{old.id}": 0.8}}
        new = replace(new_memory(memories, Draft(text=f"news {number}", kind=kind)), data=doubting)
        memories.store.put([new], memories.change("import"), memories.now())
    [*_, more] = [piece for piece in answer_at_start(memories, ("open",)).pieces if piece.tier == "open"]
    assert more.text == "2 more: `mem audit --check questions`"
    issues = _of(memories, "questions")
    assert [issue.ids[0] for issue in issues] == [each.id for each in reversed(olds)]
    # With all checks each pair is told by one of them.
    told = [frozenset(issue.ids) for issue in _of(memories, "contradictions", "questions")]
    assert len(told) == len(set(told)) == len(olds)
    close_question(memories, memories.store.get(issues[0].ids))
    assert _of(memories, "questions") == issues[1:]


@pytest.mark.parametrize("turned", [False, True])
def test_what_was_never_doubted_is_no_question(memories: Memories, pair: list[Memory], turned: bool) -> None:
    third = memories.remember("The ferry leaves at noon")
    with pytest.raises(NotFound, match="no question about"):
        close_question(memories, [pair[0], third])
    close_question(memories, pair[::-1] if turned else pair)
    assert ClosedQuestions(memories.store, (memories.space,)).holds(pair[0].id, pair[1].id)


def test_memories_of_one_text_and_the_question_about_two_of_them_are_one_issue(memories: Memories) -> None:
    first = memories.remember("Tea is in the red tin")
    copies = [memories.in_space(f"s{n}").remember(first.text) for n in range(2)]
    same = [first, *copies]
    memories.store.put(
        [replace(each, space="default") for each in copies], memories.change("move"), memories.now()
    )
    put_question(memories, [same[1].id, same[2].id], "duplicate")
    assert [each.check for each in _of(memories)] == ["duplicates"]
    put_question(memories, [same[0].id, same[1].id], "contradiction")
    assert [each.check for each in _of(memories)] == ["duplicates", "questions"]


@pytest.mark.parametrize("other", [
    {"valid_until": datetime(2031, 1, 1, tzinfo=UTC)}, {"valid_from": datetime(2020, 1, 1, tzinfo=UTC)},
    {"tags": ("done",)}, {"kind": "preference"}, {"trusted": False},
])  # fmt: skip
def test_what_a_night_would_not_merge_is_no_duplicate(memories: Memories, other: dict[str, Any]) -> None:
    """Of one text, but not true at the same time, not both done, not both its owner's."""
    said = new_memory(memories, Draft(text="Tea is in the red tin"))
    elsewhere = [replace(said, id=memories.new_id(memories.now()), **fields) for fields in ({}, other)]
    memories.store.put([said, *elsewhere], memories.change("import"), memories.now())
    [issue] = _of(memories, "duplicates")
    assert issue.ids == [said.id, elsewhere[0].id] and issue.safe
    # Nor where one of them became so since it was looked at.
    changed = replace(elsewhere[0], **other)
    memories.store.put([changed], memories.change("edit"), memories.now())
    assert fix_issue(memories, issue) is None
    assert [each for each in _of(memories, "duplicates") if said.id in each.ids] == []
    memories.store.put([elsewhere[0]], memories.change("edit"), memories.now())
    assert fix_issue(memories, issue) and not _of(memories, "duplicates")


def test_what_was_brought_back_after_a_night_had_merged_it_is_merged_by_its_owner_alone(
    memories: Memories,
) -> None:
    said = new_memory(memories, Draft(text="Tea is in the red tin"))
    some = [replace(said, id=memories.new_id(memories.now())) for _ in range(2)]
    memories.store.put(some, memories.change("import"), memories.now())
    consolidate(memories)
    undo_change(memories)
    [issue] = _of(memories, "duplicates")
    assert issue.ids == [each.id for each in some] and not issue.safe
    assert issue.remedy == f"mem merge {' '.join(issue.ids)}"
    assert fix_issue(memories, issue) is None and len(_of(memories, "duplicates")) == 1


def test_a_question_that_no_check_finds_is_told(memories: Memories) -> None:
    texts = ("Ann keeps bees", "The ferry leaves at noon")
    ids = [memories.remember(text).id for text in texts]
    put_question(memories, ids, "contradiction")
    [issue] = _of(memories)
    assert issue.check == "questions" and issue.ids == ids


def test_a_text_that_is_cut_ends_with_an_ellipsis(memories: Memories) -> None:
    long = f"The boiler in the cellar {'hums and ' * 9}rattles"
    memory = memories.remember(long)
    memories.store.put([replace(memory, confidence=0.3)], memories.change("doubt"), memories.now())
    [issue] = _of(memories, "low-confidence")
    shown = issue.detail.partition(": ")[2].strip("'")
    assert shown.endswith("…") and len(shown) == 70 and long.startswith(shown[:-1])
