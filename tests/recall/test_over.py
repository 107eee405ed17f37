"""What was so for a time that is over: marked on a page, below what is in force, and alone no sure answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import pytest

from memcli.config.location import Location
from memcli.embedding import Embedder
from memcli.memories import Memories
from memcli.recall.records import hit_line, hit_record
from memcli.tiers.context.answer import piece_entry
from memcli.tiers.context.gather import gather
from memcli.write_policy.drafts import Draft
from tests.conftest import TickingClock, make_memories

_TEXTS = (
    ("2026-11-10", "Mo is on call this week"),
    ("2026-11-10", "Tom is on a business trip to Lyon this week, back Friday"),
    ("2026-11-16", "Ferran is off until the 23rd, Priya covers webhooks"),
    ("2026-11-09", "Jonas hat donnerstags Flöte bei Frau Petri, 15 Uhr"),
    ("2026-11-16", "Frau Petri ist krank, diese Woche keine Flöte"),
    ("2026-11-09", "Lukas starts at Bosch this week"),
    ("2026-11-09", "La biblioteca está cerrada hasta el viernes"),
    ("2026-11-09", "Papa est en déplacement à Lyon cette semaine"),
    ("2026-11-09", "Giulia è in ferie questa settimana"),
    ("2026-11-09", "O João está de férias até sexta"),
    ("2026-11-09", "Sanne is deze week vrij"),
)


@pytest.fixture
def memories(
    own_store: Location, clock: TickingClock, real_model: Callable[[str], Embedder]
) -> Iterator[Memories]:
    with make_memories(own_store, clock, model=real_model) as memories:
        for day, text in _TEXTS:
            clock.instant = datetime.fromisoformat(f"{day}T09:00:00+00:00")
            memories.remember(Draft(text=text, kind="fact"))
        clock.instant = datetime(2026, 12, 10, 9, tzinfo=UTC)
        yield memories


@pytest.mark.parametrize(
    ("question", "first", "day"),
    [
        ("who is on call this week?", "Mo", "11-16"),
        ("where is Tom?", "Tom", "11-16"),
        ("is Ferran off?", "Ferran", "11-24"),
        ("¿está cerrada la biblioteca?", "La", "11-14"),
        ("Giulia è in ferie?", "Giulia", "11-16"),
        ("o João está de férias?", "O", "11-14"),
        ("is Sanne vrij?", "Sanne", "11-16"),
    ],
)
def test_who_asks_for_now_gets_what_is_over_as_weak(
    memories: Memories, question: str, first: str, day: str
) -> None:
    answer = memories.recall(question)
    assert answer.weak and answer.hits[0].memory.text.split()[0] == first
    assert answer.hits[0].over and f"{answer.hits[0].over:%m-%d}" == day


def test_what_is_in_force_stands_above_what_is_over(memories: Memories, clock: TickingClock) -> None:
    memories.remember(Draft(text="Priya is on call this week", kind="fact"))
    answer = memories.recall("who is on call?")
    assert not answer.weak
    assert [hit.memory.text.split()[0] for hit in answer.hits if "on call" in hit.memory.text] == [
        "Priya",
        "Mo",
    ]
    # It was so this week only, and is again as it was.
    told = [hit for hit in memories.recall("hat Jonas Flöte?").hits if "Flöte" in hit.memory.text]
    assert [(hit.memory.text.split()[0], hit.updated_by, bool(hit.over)) for hit in told] == [
        ("Jonas", None, False), ("Frau", None, True),
    ]  # fmt: skip


def test_what_lasts_and_what_was_asked_of_then_is_not_over(memories: Memories, clock: TickingClock) -> None:
    assert memories.recall("where does Lukas work?").hits[0].over is None
    assert not any(hit.over for hit in memories.recall("who was on call last month?").hits)
    clock.instant = datetime(2026, 11, 12, 9, tzinfo=UTC)
    answer = memories.recall("who is on call this week?")
    assert not answer.weak and answer.hits[0].over is None


def test_every_form_says_since_when(memories: Memories) -> None:
    answer = memories.recall("who is on call this week?")
    hit = answer.hits[0]
    assert hit_record(hit, answer)["over_since"] == "2026-11-16"
    assert "(over since 2026-11-16)" in hit_line(hit)
    page = gather(memories, "who is on call this week?")
    [entry] = [piece_entry(piece) for piece in page.pieces if piece.id == hit.memory.id]
    assert "over since 2026-11-16" in entry
