"""The same question has the same answer, whichever engine keeps the store."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from benchmarks.conversations import Conversation, Question, load
from benchmarks.data import Stores
from benchmarks.engines import Tally, compare
from memcli import ids
from memcli.config.location import Address, Location, read_location
from memcli.embedding import Embedder
from memcli.memories import Memories
from memcli.model import Memory
from tests.conftest import make_memories

_TEXTS = Path(__file__).parents[3] / "benchmarks" / "languages.txt"
# What a float of 16 bits may turn over, of scores up to 1; of two alike either may come first.
_TIE = 2e-3
FIRST = 10


def _pairs() -> list[tuple[str, str]]:
    """Memories in six languages, and a question for each."""
    lines = [line for line in _TEXTS.read_text("utf-8").splitlines() if line and not line.startswith("#")]
    return [(text.strip(), asked.strip()) for text, asked in (line[3:].split("|") for line in lines)]


@pytest.fixture
def both(tmp_path: Path, database: str, real_model: Callable[[str], Embedder]) -> Iterator[list[Memories]]:
    now = datetime(2026, 5, 3, 12, 0, tzinfo=UTC)
    new_id, chance = ids.id_source(), random.Random(5)
    memories = [
        Memory(
            id=new_id(now), kind=chance.choice(("fact", "preference", "constraint")), text=text,
            importance=chance.random(), tags=("some",) * chance.randint(0, 1),
            happened_at=now - timedelta(days=n), created_at=now - timedelta(days=n), updated_at=now,
        )
        for n, (text, _) in enumerate(_pairs())
    ]  # fmt: skip
    places: list[Location] = [tmp_path / "memory.db", read_location(database)]
    opened = [make_memories(place, lambda: now, model=real_model) for place in places]
    for each in opened:
        each.store.use_model(each.model.open().identity)
        windows = each.model.open().documents([memory.text for memory in memories])
        vectors = {
            memory.id: [row.astype("<f4").tobytes() for row in rows]
            for memory, rows in zip(memories, windows, strict=True)
        }
        each.store.put(memories, None, now, vectors)
    with closing(opened[0]), closing(opened[1]):
        yield opened


def test_a_question_has_the_same_first_ten_on_both_up_to_ties(both: list[Memories]) -> None:
    # The lines go round six languages: each fifth is of each in turn.
    hits, asked = [0, 0], _pairs()[::5]
    for text, question in asked:
        answers: list[dict[str, Any]] = []
        for place, memories in enumerate(both):
            settings = memories.settings(limit=FIRST, min_score=0.0)
            found = memories.recall(question, touch=False, settings=settings).hits
            hits[place] += any(hit.memory.text == text for hit in found)
            answers.append({hit.memory.id: hit.score for hit in found})
        one, other = answers
        assert len(one) == len(other)
        for (first, score), (second, beside) in zip(one.items(), other.items(), strict=True):
            assert first == second or abs(score - beside) < _TIE, question
    # R@10: one memory answers each question.
    assert hits[0] == hits[1] > len(asked) // 3


_SAID = (
    ("a pottery workshop", "we made bowls out of red clay", "What were the bowls made of?"),
    ("a charity run", "I ran ten kilometres for the animal shelter", "Who ran for the animal shelter?"),
    ("my sister", "she moved to Lisbon for a job at a bakery", "Where does the sister work?"),
    ("a road trip", "the car broke down near a lake", "What happened to the car?"),
    ("a book club", "we are reading a novel about whales", "What is the book club reading?"),
    ("our garden", "the tomatoes were eaten by snails", "What ate the tomatoes?"),
    ("a concert", "the violinist played without a score", "Who played without a score?"),
    ("my new camera", "it takes pictures in the dark", "What can the camera do?"),
)


def _conversation() -> Conversation:
    """The first of LoCoMo where MEMCLI_TEST_DATA names the folder of public data; else one made up."""
    if data := os.environ.get("MEMCLI_TEST_DATA"):
        return load(Path(data), ("locomo",))[0]
    talk, at = Conversation("talk", "made up"), datetime(2024, 5, 1, 9, tzinfo=UTC)
    for number, (what, how, asked) in enumerate(_SAID):
        for who, said in (
            ("Ann", f"Hey Ben, last week there was {what}."), ("Ben", f"Oh, {what}? Tell me more!"),
            ("Ann", f"Well, {how}."), ("Ben", "That sounds great, I wish I had been there."),
        ):  # fmt: skip
            at += timedelta(hours=7)
            talk.records.append(
                {"text": f"{who}: {said}", "kind": "episode", "session": f"session {number}", "role": who,
                 "at": at.isoformat()}
            )  # fmt: skip
        talk.questions.append(Question(asked, frozenset([4 * number + 2]), "made up"))
        talk.questions.append(Question(f"When was {what}?", frozenset([4 * number]), "made up"))
    talk.unanswerable.append(Question("What is the name of Ben's dog?", frozenset(), "made up"))
    return talk


def test_a_conversation_has_the_same_answers_on_both(
    tmp_path: Path, database: str, compiled_cache: Path
) -> None:
    place, tally = read_location(database), Tally()
    assert isinstance(place, Address)
    built = Stores(tmp_path, compiled_cache).build(_conversation())
    with closing(built.memories):
        compare(built, place, tally)
    assert tally.asked == len(built.talk.questions) + len(built.talk.unanswerable)
    assert tally.different == []
    one, other = tally.found
    assert one == pytest.approx(other) and sum(one) > len(one) / 2
