"""Whose it is decides among notes; with whom a conversation was tells nothing apart."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memcli.memories import Memories
from memcli.model import Filter
from memcli.recall.holders import WordSearch
from memcli.recall.names_asked import name_shares, names_of_conversations
from memcli.write_policy.direct import put_embedded
from memcli.write_policy.drafts import Draft, new_memory

_NOTES = (
    "Ann likes green tea",
    "Bob likes strong coffee",
    "Ann lives in Bonn",
    "Bob lives in Oslo",
    "Ann keeps the boat in Faro",
    "Bob keeps the boat in Porto",
)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("where does Ann live", "Ann lives in Bonn"),
        ("where does Bob live?", "Bob lives in Oslo"),
        ("what does Ann like", "Ann likes green tea"),
        ("where does Bob keep the boat", "Bob keeps the boat in Porto"),
    ],
)
def test_a_name_that_half_of_the_notes_hold_tells_them_apart(
    memories: Memories, question: str, answer: str
) -> None:
    for text in _NOTES:
        memories.remember(text)
    assert memories.recall(question).hits[0].memory.text == answer


@pytest.mark.parametrize("is_said", [True, False])
def test_only_names_that_turns_hold_are_those_of_a_conversation(memories: Memories, is_said: bool) -> None:
    for text in _NOTES:
        memory = new_memory(memories, Draft(text=text, kind="episode" if is_said else "fact"))
        memory = replace(memory, session="s" if is_said else None)
        put_embedded(memories, memories.model, [memory], memories.change("import"))
    search = WordSearch(memories.store, Filter(spaces=(memories.space,)))
    shares = name_shares(search, "where does Ann live, and Zoe?")
    assert shares == {"Ann": 0.5, "Zoe": 0.0}
    assert names_of_conversations(memories.store, search, shares) == ({"Ann"} if is_said else set())
