"""Times told by a remembered event: "before the move", "since my surgery"."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.memories import Memories
from memcli.model import Memory
from memcli.recall.ranking.dates import date_match
from memcli.recall.ranking.landmarks import landmark, landmark_memory, says_when
from memcli.text.dates.anchors import Anchor, find_anchor
from memcli.write_policy.drafts import Draft
from tests.conftest import Run, TickingClock

MOVED = datetime(2024, 5, 4, 10, tzinfo=UTC)
DIARY = (
    ("2023-02-10", "The spare keys are with Mrs. Lind next door"),
    ("2023-06-11", "Rent is 740 a month"),
    ("2024-05-04", "We moved from Bergen to Oslo, the truck came at seven"),
    ("2024-05-20", "The spare keys are with Jonas on the second floor"),
    ("2024-06-15", "Rent is 1150 a month"),
    ("2024-09-14", "Knee surgery went well, out for six weeks"),
    ("2024-12-22", "Flew to Rome for the Christmas holidays"),
    ("2025-02-03", "Launched Atlas to the first customers"),
)


def told(text: str, at: datetime = MOVED, **fields: Any) -> Memory:
    defaults: dict[str, Any] = {
        "id": text,
        "kind": "fact",
        "happened_at": at,
        "created_at": at,
        "updated_at": at,
    }
    return Memory(text=text, **{**defaults, **fields})


def filled(memories: Memories, *more: tuple[str, str]) -> None:
    memories.remember_all(
        [
            Draft(text=text, happened_at=datetime.fromisoformat(day).replace(hour=10, tzinfo=UTC))
            for day, text in (*DIARY, *more)
        ]
    )


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("Where did I work before the move?", Anchor("before", "the move")),
        ("Before the move, where were the keys?", Anchor("before", "the move")),
        ("rent before the move", Anchor("before", "the move")),
        ("who helped after my trip to Lisbon", Anchor("after", "my trip to Lisbon")),
        ("what has changed since the surgery?", Anchor("after", "the surgery")),
        ("what did we eat during the holidays in Rome?", Anchor("around", "the holidays in Rome")),
        ("When we launched Atlas, who was on call?", Anchor("around", "we launched Atlas")),
        ("what did we decide two weeks before the launch?", Anchor("before", "the launch", 14, 7)),
        ("what was the weather the day after the surgery", Anchor("after", "the surgery", 1, 1)),
        ("where did we live before moving to Oslo", Anchor("before", "moving to Oslo")),
    ],
)
def test_an_event_is_recognised_with_its_side(question: str, found: Anchor) -> None:
    assert find_anchor(question) == found


@pytest.mark.parametrize(
    "question",
    [
        "When did we launch Atlas?",
        "what must I check before the release?",
        "is it safe to deploy before a weekend?",
        "how long did it take after the move?",
        "what did I eat before 9",
        "what was decided after all",
        "since 2020",
        "look before you leap",
        "",
    ],
)
def test_what_names_no_event_is_left_alone(question: str) -> None:
    assert find_anchor(question) is None


@given(st.text())
def test_any_question_may_be_looked_through(text: str) -> None:
    find_anchor(f"before {text}, what did I do after the {text}")


def test_an_event_is_taken_only_where_one_memory_is_clearly_it() -> None:
    move, other, later = told("move"), told("lunch"), told("again", MOVED + timedelta(days=60))
    memories = {1: move, 2: other}
    assert landmark_memory({1: 1.0}, {1: 0.6, 2: 0.1}, memories, 500) == move
    assert landmark_memory({1: 0.1}, {1: 0.3, 2: 0.1}, memories, 500) is None
    assert landmark_memory({1: 1.0, 3: 1.0}, {1: 0.6, 3: 0.58}, {**memories, 3: later}, 500) is None
    assert landmark_memory({1: 1.0, 2: 1.0}, {1: 0.6, 2: 0.6}, memories, 500) == move  # told the same day
    assert landmark_memory({1: 1.0, 2: 0.5}, None, memories, 500) == move
    assert landmark_memory({1: 0.9}, None, memories, 500) is None
    assert landmark_memory({}, None, {}, 500) is None


def test_the_time_of_an_event_is_told_by_its_memory() -> None:
    def starts(memory: Memory) -> datetime:
        return landmark(Anchor("after", "x"), memory).span.start

    assert starts(told("We moved to Oslo")) == MOVED
    assert starts(told("We moved to Oslo", valid_from=MOVED - timedelta(days=9))).day == 25
    assert starts(told("We moved on 17 March 2024")) == datetime(2024, 3, 17, tzinfo=UTC)
    assert starts(told("We moved in December")) == datetime(2023, 12, 1, tzinfo=UTC)
    before, day = timedelta(days=-40), timedelta(days=1)
    span = landmark(Anchor("before", "x"), told("We moved")).span
    assert date_match(MOVED + before, [span]) == 0.5 and date_match(MOVED + day, [span]) == 0
    assert date_match(MOVED, [span]) == 0  # the event itself is not before itself
    span = landmark(Anchor("after", "x", 7, 7), told("We moved")).span
    assert date_match(MOVED + 7 * day, [span]) == 0.5 > date_match(MOVED, [span]) > 0


def test_what_happened_on_the_right_side_comes_first(memories: Memories) -> None:
    filled(memories)
    for question, best in (
        ("what was the rent before we moved?", "Rent is 740 a month"),
        ("what was the rent after we moved?", "Rent is 1150 a month"),
        ("spare keys since we moved", "The spare keys are with Jonas on the second floor"),
        ("spare keys until we moved", "The spare keys are with Mrs. Lind next door"),
    ):
        settings = memories.settings(min_score=0)
        answer = memories.recall(question, words_only=True, settings=settings)
        assert answer.landmark and answer.landmark.memory.happened_at == MOVED
        others = [hit.memory.text for hit in answer.hits if hit.memory.happened_at != MOVED]
        assert others[0] == best, question


def test_two_events_of_one_name_change_nothing(memories: Memories) -> None:
    filled(memories, ("2025-08-01", "We moved from Oslo to Tromsø"))
    answer = memories.recall("what was the rent before we moved?")
    assert answer.landmark is None and all(not hit.parts["date"] for hit in answer.hits)


def test_what_names_an_event_without_its_day_is_none_and_one_with_it_is_preferred(
    memories: Memories, clock: TickingClock
) -> None:
    clock.instant = datetime(2026, 11, 29, 9, tzinfo=UTC)
    texts = [
        "Rent is 740 a month",
        "The wedding caterer is Rossi",
        "I need to buy a suit for the wedding by 5 May",
    ]
    memories.remember_all([Draft(text=text, kind="fact") for text in texts])
    question = "what did I note before the wedding?"
    answer = memories.recall(question)
    assert answer.landmark is None and not answer.past
    memories.remember(Draft(text="The wedding is on 12 June", kind="fact"))
    answer = memories.recall(question)
    assert answer.landmark and answer.landmark.span.end == datetime(2027, 6, 12, tzinfo=UTC)
    assert set(texts) < {hit.memory.text for hit in answer.hits}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("The wedding is on 12 June", True), ("Umzug am 4. Mai", True), ("We moved to Oslo", True),
        ("Hemos llegado a Madrid", True), ("The wedding caterer is Rossi", False),
        ("I will bring wine to the wedding by Friday", False), ("I will give a talk on Friday", True),
    ],
)  # fmt: skip
def test_a_memory_says_when_its_event_is_by_a_day_or_by_telling_that_it_was(text: str, says: bool) -> None:
    assert says_when(told(text)) is says
    assert says_when(told(text, created_at=MOVED + timedelta(days=9))) is (says or "by Friday" not in text)


def test_no_event_is_taken_from_another_space(memories: Memories) -> None:
    filled(memories)
    memories = memories.in_space("work")
    memories.remember("Rent of the office is 9000")
    assert memories.recall("what was the rent before we moved?").landmark is None


def test_the_event_is_explained(mem: Run) -> None:
    lines = "\n".join(f'{{"text": "{text}", "at": "{day}"}}' for day, text in DIARY)
    assert mem("remember", "--batch", input=lines).returncode == 0
    shown = mem("recall", "what was the rent before the move?", "--explain").stdout
    assert "Rent is 740" in shown.splitlines()[0] and "date +" in shown
    assert "event: 'the move' is " in shown and "preferred is what happened before 2024-05-04" in shown
    assert "Jonas" in mem("recall", "who had the spare keys after the move?").stdout.splitlines()[3]
