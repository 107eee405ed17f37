"""Whose it is decides among notes; with whom a conversation was tells nothing apart."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memcli.memories import Memories
from memcli.model import Filter
from memcli.recall.query.holders import WordSearch
from memcli.recall.query.names_asked import (
    name_shares,
    names_of_conversations,
    speakers_terms,
    without_unheard_surnames,
)
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
    shares = name_shares(memories.store, search, "where does Ann live, and Zoe?")
    assert shares == {"Ann": 0.5, "Zoe": 0.0}
    assert names_of_conversations(memories.store, search, shares) == ({"Ann"} if is_said else set())


def _said(memories: Memories, turns: list[tuple[str, str]]) -> WordSearch:
    for role, text in turns:
        memory = new_memory(memories, Draft(text=text, kind="episode"))
        memory = replace(memory, session="s", data={"role": role})
        put_embedded(memories, memories.model, [memory], memories.change("import"))
    return WordSearch(memories.store, Filter(spaces=(memories.space,)))


@pytest.mark.parametrize("role", ["Gwen", "Gwen Howell", "Dr. Gwen Howell"])
def test_who_speaks_is_known_though_nobody_says_their_name(memories: Memories, role: str) -> None:
    search = _said(memories, [(role, "I signed the lease"), ("Oskar", "Well done"), (role, "!")])
    shares = name_shares(memories.store, search, "where is Gwen's studio, Zoe?")
    assert shares == {"Gwen": pytest.approx(2 / 3), "Zoe": 0.0}
    assert names_of_conversations(memories.store, search, shares) == {"Gwen"}
    assert speakers_terms(search, shares) == {("gwen",)}
    facts = WordSearch(memories.store, Filter(spaces=(memories.space,), kinds=("fact",)))
    assert name_shares(memories.store, facts, "where is Gwen's studio?") == {"Gwen": 0.0}


def test_what_somebody_said_answers_who_asks_for_them_by_name_alone(memories: Memories) -> None:
    _said(memories, [("Gwen", "I signed the lease"), ("Oskar", "Well done, and when?"), ("Gwen", "!")])
    answer = memories.recall("Gwen")
    assert (answer.zone, answer.hits[0].memory.text) == ("sure", "I signed the lease")
    assert memories.recall("Zoe").zone == "none"


def test_the_sort_of_a_speaker_is_no_name(memories: Memories) -> None:
    search = _said(memories, [("user", "I signed the lease"), ("assistant", "Well done")])
    assert name_shares(memories.store, search, "what did the User say?") == {"User": 0.0}
    assert name_shares(memories.store, search, "user") == {}


@pytest.mark.parametrize(
    ("asked", "searched"),
    [
        ("Priya Sharma", "Priya"),
        ("what is Priya Sharma's job?", "what is Priya's job?"),
        ("does Priya Sharma like tea, and Lena Berg too?", "does Priya like tea, and Lena too?"),
        # Another's surname: whom is meant is somebody else.
        ("where does Tom Berger live?", "where does Tom Berger live?"),
        # No surname: what is asked, a noun, somebody of whom none ever heard.
        ("Is Priya Indian?", "Is Priya Indian?"),
        ("wann hat Lena Schule?", "wann hat Lena Schule?"),
        ("Lena Hartmann", "Lena"),
        ("where does Zoe Sharma live?", "where does Zoe Sharma live?"),
    ],
)
def test_a_surname_that_nobody_heard_is_left_out_of_a_known_name(
    memories: Memories, asked: str, searched: str
) -> None:
    for text in ("Priya plants the roses", "Lena paints the fence", "Tom Fischer lives in Bonn"):
        memories.remember(text)
    search = WordSearch(memories.store, Filter(spaces=(memories.space,)))
    shares = name_shares(memories.store, search, asked)
    assert without_unheard_surnames(memories.store, search, asked, shares) == searched


def test_a_known_person_with_a_surname_more_is_found(memories: Memories) -> None:
    for text in ("Priya plants the roses", "Lena paints the fence", "Tom Fischer lives in Bonn"):
        memories.remember(text)
    answer = memories.recall("Priya Sharma")
    assert answer.zone == "sure" and answer.hits[0].memory.text == "Priya plants the roses"
    assert answer.query == "Priya Sharma"


def test_a_spelling_that_is_guessed_counts_as_far_as_it_is_alike(memories: Memories) -> None:
    for text in ("We grow beans on the allotment", "The kubernetes cluster is in Falkenstein"):
        memories.remember(text)
    search = WordSearch(memories.store, Filter(spaces=(memories.space,)))
    (bank,) = search.misspelt((("bank",),)).values()
    (cluster,) = search.misspelt((("kubernets",),)).values()
    (begun,) = search.misspelt((("kube",),)).values()
    assert bank < 0.8 < begun < cluster <= 1
    answer = memories.recall("what's our bank?")
    assert answer.zone != "sure"
