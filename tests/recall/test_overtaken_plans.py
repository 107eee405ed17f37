"""What a later note says is off, moved or done stands below that note: on the agenda and in a context."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from memcli.changes.open_questions import note_both_hold
from memcli.config.location import Location
from memcli.embedding import Embedder
from memcli.memories import Memories
from memcli.model import UPDATE_OF
from memcli.tiers.context.profile import profile
from memcli.tiers.context.start import answer_at_start
from memcli.write_policy.drafts import Draft
from tests.conftest import TickingClock, make_memories

# A Monday.
_MONDAY = datetime(2026, 11, 30, 16, tzinfo=UTC)


@pytest.fixture
def memories(
    own_store: Location, clock: TickingClock, real_model: Callable[[str], Embedder]
) -> Iterator[Memories]:
    clock.instant = _MONDAY
    with make_memories(own_store, clock, model=real_model) as memories:
        yield memories


def _tell(memories: Memories, *texts: str) -> list[str]:
    """Remember texts, six hours one after the other, the last before the Monday; their ids."""
    begin = _MONDAY - timedelta(days=2)
    return [
        memories.remember(Draft(text=text, happened_at=begin + n * timedelta(hours=6))).id
        for n, text in enumerate(texts)
    ]


def _page(memories: Memories, question: str) -> list[tuple[str, bool]]:
    """The first word of each memory found for sure, and whether it is told that another updates it."""
    answer = memories.recall(question)
    return (
        []
        if answer.weak
        else [(hit.memory.text.split()[0], hit.updated_by is not None) for hit in answer.hits]
    )


@pytest.mark.parametrize(
    ("plan", "later", "question"),
    [
        ("Moira is coming to stay from 4 to 7 December", "Called: Moira isn't coming on the 4th after all",
         "what's on on 5 December?"),
        ("Meeting at the harbour office on 8 December", "The harbour office has called off our meeting",
         "what's on on 8 December?"),
        ("Dentist for Rory on Thursday 10 December", "Surgery rang: Rory's dentist is now on 15 December",
         "what do I have on 10 December?"),
        ("Capodanno a Courmayeur, dal 30 dicembre al 3 gennaio", "Niente più Courmayeur a Capodanno",
         "cosa facciamo a Capodanno?"),
    ],
)  # fmt: skip
def test_the_page_of_the_day_shows_the_later_note_above_the_plan(
    memories: Memories, plan: str, later: str, question: str
) -> None:
    _tell(memories, plan, later)
    assert _page(memories, question) == [
        (later.split(maxsplit=1)[0], False),
        (plan.split(maxsplit=1)[0], True),
    ]


def test_what_was_judged_an_update_comes_along_though_no_word_finds_it(memories: Memories) -> None:
    old, new, last = _tell(
        memories, "I work at Bosch as an engineer", "Started at Siemens", "And now on to Airbus, from spring"
    )
    for newer, older in ((new, old), (last, new)):
        [memory] = memories.store.get([newer])
        judged = replace(memory, kind="fact", data={"judged": {f"{UPDATE_OF}{older}": 0.75}})
        memories.store.put([judged], memories.change("edit"), memories.now())
    answer = memories.recall("who is an engineer at Bosch?", words_only=True)
    assert [(hit.memory.id, hit.updated_by, hit.found_as) for hit in answer.hits] == [
        (old, new, None),
        (last, None, new),
        (new, last, old),
    ]
    # What was told to be another matter does not.
    [second] = memories.store.get([new])
    note_both_hold(memories, second, [old])
    answer = memories.recall("who is an engineer at Bosch?", words_only=True)
    assert [hit.memory.id for hit in answer.hits if hit.updated_by] == []


def test_what_both_hold_is_not_marked(memories: Memories) -> None:
    plan, later = _tell(
        memories,
        "Meeting at the harbour office on 8 December",
        "The harbour office has called off our meeting",
    )
    [newer] = memories.store.get([later])
    note_both_hold(memories, newer, [plan])
    assert _page(memories, "what's on on 8 December?") == [("Meeting", False)]


def test_the_next_appointment_is_none_that_is_off_given_up_or_a_maybe(memories: Memories) -> None:
    _tell(
        memories, "Physio with Hannah on Monday 7 December at 11",
        "Book club is reading Persuasion this month",
        "I've given up the Tuesday swim, the lido is closed", "Maybe we go to the market on Saturday",
        "Choir trip on Wednesday 2 December", "The choir trip is cancelled",
    )  # fmt: skip
    told = memories.recall("what's my next appointment?").hits
    assert told[0].memory.text.startswith("Physio")
    assert [hit.updated_by is not None for hit in told if hit.memory.text.startswith("Choir")] in ([], [True])
    due = {
        piece.text.split()[0] for piece in answer_at_start(memories, ("due",)).pieces if not piece.updated_by
    }
    assert due.isdisjoint({"I've", "Maybe", "Choir"})


def test_an_errand_that_is_done_is_counted_and_stands_last_below_what_says_so(memories: Memories) -> None:
    _tell(
        memories, "Need to buy stamps by 29 November", "I promised Olga the recipe by 29 November",
        "Must call the bank by 29 November", "Bought the stamps", "Sent Olga the recipe",
        "Called Mum about the party",
    )  # fmt: skip
    pieces = answer_at_start(memories, ("due",)).pieces
    assert [piece.text.split()[0] for piece in pieces] == ["Must", "2"]
    assert _page(memories, "what have I still got to do?") == [
        ("Must", False), ("Bought", False), ("Need", True), ("Sent", False), ("I", True),
    ]  # fmt: skip


@pytest.mark.parametrize("question", ["what have I still got to do?", "was muss ich noch erledigen?"])
def test_what_is_still_to_be_done_is_what_is_open(memories: Memories, question: str) -> None:
    _tell(
        memories, "Need to send Karl the contract by 4 December", "I have to book the chimney sweep",
        "I'm Nora, I teach chemistry", "Basil likes the window seat",
    )  # fmt: skip
    assert _page(memories, question) == [("Need", False), ("I", False)]


def test_a_profile_has_what_somebody_says_in_plain_words(memories: Memories) -> None:
    _tell(
        memories, "I'm Imogen, I restore wooden boats at Avoncliff Boatyard",
        "Sunday mornings I run along the canal to Dundas and back, 9 km", "I gave up smoking in May",
        "Most evenings I walk the dog by the river",
    )  # fmt: skip
    told = profile(memories)
    assert [each.text[:10] for each in (*told.name, *told.work)] == ["I'm Imogen"] * 2
    assert {each.text.split()[0] for each in told.habits} == {"Sunday", "I", "Most"}
