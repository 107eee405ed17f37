"""The audit says each thing once, and where it shows less than there is, a sign of that."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memcli.changes.open_questions import close_question, put_question
from memcli.memories import Memories
from memcli.model import Memory
from memcli.upkeep.audit import AuditIssue, audit_memories

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
    [alone] = _of(memories)
    assert alone.check == "contradictions" and "review close" not in alone.remedy
    put_question(memories, ids, "contradiction")
    [issue] = _of(memories)
    assert (issue.check, issue.ids) == ("contradictions", ids)
    assert issue.remedy == f"{alone.remedy}; if both hold: mem review close {' '.join(ids)}"
    # Asked for by itself it is there.
    [question] = _of(memories, "questions")
    assert question.ids == ids
    close_question(memories, pair)
    assert not _of(memories)


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
