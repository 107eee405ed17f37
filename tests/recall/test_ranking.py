"""The stages of ranking, each by itself and together."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.embedding.vectors import unit_vectors
from memcli.memories import Memories
from memcli.model import Memory
from memcli.prompt import budget
from memcli.recall.ranking import coverage, diversity, factors, floor, vectors
from memcli.recall.ranking.dates import date_match
from memcli.recall.ranking.signals import (
    Candidate,
    Weights,
    context_need,
    signals,
    weighed_signals,
)
from memcli.recall.recall import ask_again, recall
from memcli.recall.results import RankingSettings
from memcli.text.asking import capitalised_words
from memcli.text.dates.spans import cut_dates
from memcli.text.question import asking_share, understand_question
from memcli.write_policy.drafts import Draft

NOW = datetime(2026, 11, 18, 12, 0, tzinfo=UTC)  # a Wednesday


# Question


def test_names_that_the_store_is_about_are_not_searched_for() -> None:
    asked = understand_question("What does Caroline paint in Oslo?", {"Caroline"}, NOW)
    assert "Caroline" not in asked.statement and "Oslo" in asked.statement
    assert asked.names("Caroline") and not asked.names("Carol")
    assert capitalised_words("Did Ann's cat see I, Bob?") == ["Ann", "Bob"]


def test_talk_about_the_talk_is_cut_unless_little_would_remain() -> None:
    asked = understand_question(
        "Can you list the databases and tools that I mentioned across our chats?", (), NOW
    )
    assert "mentioned" not in asked.statement and "databases" in asked.statement
    assert understand_question("Can you tell me?", (), NOW).statement == "Can you tell me?"


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("Tell the order in which I brought up my rose garden. Mention only five.", "Tell my rose garden"),
        ("List the different aspects of my thesis in chronological order", "List my thesis"),
        ("Can you give me a short summary of how my thesis went?", "my thesis went?"),
        ("How do I sort a list in order to search it?", "How do I sort a list in order to search it?"),
        ("What did we order in Oslo?", "What did we order in Oslo?"),
        ("Who mentioned the only item on sale?", "Who mentioned the only item on sale?"),
    ],
)
def test_how_the_answer_should_look_is_not_searched_for(question: str, left: str) -> None:
    assert understand_question(question, (), NOW).statement == left


@pytest.mark.parametrize(
    ("question", "about_owner"),
    [
        ("Can you suggest some must-try dishes in Istanbul?", True),
        ("What are some fun things to do in Salem?", True),
        ("Was soll ich heute kochen?", True),
        ("What are some things that Ann has painted?", False),
        ("What are some of Ann's hobbies?", False),
        ("Which US cities did Ann visit?", False),
    ],
)
def test_asking_for_advice_is_asking_about_the_owner(question: str, about_owner: bool) -> None:
    assert understand_question(question, (), NOW).about_owner is about_owner


@pytest.mark.parametrize(
    ("question", "start", "days"),
    [
        ("what did we ship in May 2023?", datetime(2023, 5, 1, tzinfo=UTC), 31),
        ("what happened on 7 May 2023", datetime(2023, 5, 7, tzinfo=UTC), 1),
        ("what happened on May 7th, 2023", datetime(2023, 5, 7, tzinfo=UTC), 1),
        ("meetings in 2022", datetime(2022, 1, 1, tzinfo=UTC), 365),
        ("what broke on 2024-02-29?", datetime(2024, 2, 29, tzinfo=UTC), 1),
        ("what did I do yesterday", datetime(2026, 11, 17, tzinfo=UTC), 1),
        ("what did I do last week", datetime(2026, 11, 9, tzinfo=UTC), 7),
        ("who called last Friday", datetime(2026, 11, 13, tzinfo=UTC), 1),
        ("what did we decide last month", datetime(2026, 10, 1, tzinfo=UTC), 31),
    ],
)
def test_dates_become_spans(question: str, start: datetime, days: int) -> None:
    rest, [span] = cut_dates(question, NOW)
    assert (span.start.astimezone(UTC), (span.end - span.start).days) == (start, days)
    assert rest != question and not any(sign.isdigit() for sign in rest)
    assert date_match(start + timedelta(hours=1), [span]) == 1.0
    assert 0 < date_match(span.end + timedelta(days=3), [span]) < 1
    assert date_match(span.end + timedelta(days=300), [span]) < 0.001


def test_a_month_without_a_year_comes_round() -> None:
    _, [span] = cut_dates("what do we do in December", NOW)
    assert date_match(datetime(2019, 12, 5, tzinfo=UTC), [span]) == 1.0
    assert date_match(datetime(2019, 6, 5, tzinfo=UTC), [span]) < 0.001


@pytest.mark.parametrize("question", ["31 February", "what may I eat", "version 3.11", "the second day"])
def test_what_is_no_date_stays(question: str) -> None:
    assert cut_dates(question, NOW) == (question, [])


@given(st.text())
def test_any_question_is_understood(text: str) -> None:
    asked = understand_question(text, capitalised_words(text), NOW)
    assert isinstance(asked.statement, str)


# Signals


def candidate(**fields: Any) -> Candidate:
    plain = Candidate("text", "", NOW, 0.0, 0.0, 0.0, 0.0, 0.0, in_session=False, leaning=0.0)
    return plain._replace(**fields)


@pytest.mark.parametrize(
    "text", ["Always answer in metres.", "please never suggest fish", "Immer auf Deutsch"]
)
def test_a_standing_instruction_counts_unless_it_is_chatter(text: str) -> None:
    asked = understand_question("how tall is the tower", (), NOW)
    assert signals(asked, candidate(text=text)).standing == 1
    assert signals(asked, candidate(text=text, leaning=0.8)).standing == pytest.approx(0.2)
    # Of something else than is asked it holds as well, and is no answer.
    assert signals(asked, candidate(text=text, standing_out=0.25)).standing == pytest.approx(0.5)
    assert signals(asked, candidate(text=text, standing_out=0.1)).standing == 0
    assert signals(asked, candidate(text="I always said so")).standing == 0


def test_rare_words_tell_more_and_few_words_little_outside_a_session() -> None:
    shares = coverage.term_weights([1, 3], 10)
    assert sum(shares) == pytest.approx(1) and shares[0] > shares[1]
    covered = coverage.coverage([frozenset({1}), frozenset({1, 2, 3})], shares)
    assert covered[1] == pytest.approx(1) and covered[2] == pytest.approx(shares[1])
    asked = understand_question("x", (), NOW)
    assert signals(asked, candidate(words=0.5, in_session=True)).words == 0.5
    assert signals(asked, candidate(words=0.5)).words == 0.125


def test_what_stands_alone_gets_nothing_from_neighbours() -> None:
    assert context_need("user", [], 5) == 0
    assert context_need("user", ["user", "user"], 5) == 0
    assert context_need("user", ["assistant", "assistant"], 5) > 0.9
    assert context_need("user", ["assistant"], 600) < 0.01
    alone = candidate(meaning=0.4, meaning_around=0.9, session_best=0.9, words_around=1.0)
    found = signals(understand_question("x", (), NOW), alone)
    assert (found.context, found.session, found.window) == (0, 0, 0)


def test_who_asks_does_not_answer() -> None:
    assert asking_share("Where are you? [image: a dog?]") == 1
    assert 0 < asking_share("I am home. Where are you?") < 1
    assert asking_share("I am home.") == asking_share("") == 0


def test_cues_count_only_where_they_are_asked_for() -> None:
    says = candidate(text="We moved last May with 3 cats", role="Ann")
    when = signals(understand_question("When did Ann move?", (), NOW), says)
    number = signals(understand_question("How many cats does she have?", (), NOW), says)
    assert (when.when, when.number, when.role) == (1, 0, 1)
    assert (number.when, number.number, number.role) == (0, 1, 0)


def test_factors_are_mild_and_bounded() -> None:
    low = Memory(id="a", kind="fact", text="x", confidence=0, importance=0,
                 happened_at=NOW - timedelta(days=9999), created_at=NOW, updated_at=NOW)  # fmt: skip
    high = Memory(id="b", kind="fact", text="x", confidence=1, importance=1, access_count=10**9,
                  happened_at=NOW, created_at=NOW, updated_at=NOW)  # fmt: skip
    worst, best = factors.factors(low, NOW), factors.factors(high, NOW)
    assert -0.15 < sum(worst.values()) < 0 < sum(best.values()) < 0.1
    future = Memory(id="c", kind="fact", text="x", tags=("release",),
                    happened_at=NOW + timedelta(days=9), created_at=NOW, updated_at=NOW)  # fmt: skip
    assert factors.factors(future, NOW)["recency"] == factors.RECENCY
    assert factors.factors(future, NOW, ["release"])["task"] > 0


# Vectors, diversity


def test_a_later_window_must_be_clearly_nearer() -> None:
    question = np.asarray([1, 0], dtype="<f4")
    first, near, exact = (np.asarray(v, dtype="<f4") for v in ([0.9, 0.436], [0.99, 0.141], [0, 1]))
    assert vectors.judged_window([first.tobytes(), near.tobytes()], question)[0] == pytest.approx(0.9)
    assert vectors.judged_window([exact.tobytes(), near.tobytes()], question)[0] == pytest.approx(0.99)
    assert vectors.nearest_cosine([first.tobytes(), near.tobytes()], question) == pytest.approx(
        0.99, abs=1e-3
    )


def test_near_copies_do_not_fill_the_page() -> None:
    rows = unit_vectors(np.asarray([[1, 0, 0], [1, 0.01, 0], [1, 0.02, 0], [0.8, 0, 0.6]], dtype=np.float32))
    sums = [1.0, 0.99, 0.98, 0.8]
    assert diversity.diversify([0, 1, 2, 3], sums, rows, 3) == [0, 1, 3]
    assert diversity.diversify([0, 1, 2, 3], sums, rows, 4) == [0, 1, 3, 2]
    assert diversity.diversify([], sums, rows, 4) == []


def test_of_ten_paraphrases_two_stand_before_what_else_there_is() -> None:
    copies = [[1, 0.001 * each, 0] for each in range(10)]
    rows = unit_vectors(np.asarray([*copies, [0.6, 0, 0.8], [0.5, 0.8, 0]], dtype=np.float32))
    sums = [1 - 0.01 * each for each in range(10)] + [0.7, 0.6]
    assert diversity.diversify(range(12), sums, rows, 4) == [0, 1, 10, 11]


# Floor


def evidence(**fields: Any) -> floor.Evidence:
    plain = floor.Evidence(meaning=0.5, words=0.0, known=0, strangers=0, about_owner=False, memories=100)
    return plain._replace(**fields)


def test_the_score_passes_a_half_at_the_floor() -> None:
    at_floor = evidence(meaning=floor.expected_evidence(evidence()))
    assert floor.best_score(at_floor) == pytest.approx(0.5)
    assert 0 <= floor.best_score(evidence(meaning=-1.0)) <= floor.best_score(evidence(meaning=1.0)) <= 1


def test_strangers_raise_the_floor_and_the_owner_lowers_it() -> None:
    assert floor.expected_evidence(evidence(strangers=1)) > floor.expected_evidence(evidence(known=1))
    strange = evidence(strangers=1)
    assert floor.expected_evidence(strange._replace(about_owner=True)) < floor.expected_evidence(strange)
    assert floor.expected_evidence(evidence(asking=False)) < floor.expected_evidence(evidence())
    assert floor.expected_evidence(evidence(memories=100_000)) > floor.expected_evidence(evidence(memories=2))
    assert floor.evidence_strength(evidence(meaning=0.1, words=1.0)) > 0


def test_another_models_scale_moves_the_floor_with_it() -> None:
    near = floor.rescaled_calibration(0.7, 0.2)
    assert 0.7 < near.nameless < 0.9 and near.told < near.nameless < near.named < near.strangers
    same = floor.rescaled_calibration(floor._MIDDLE, floor._SPREAD)
    assert same == pytest.approx(floor.DEFAULT_CALIBRATION)


def test_a_question_that_says_much_and_is_met_is_answered_more_surely() -> None:
    near = evidence(meaning=0.6, terms=2)
    assert floor.sureness(near, floor.DEFAULT_CALIBRATION) < floor.sureness(near._replace(terms=5))
    assert floor.sureness(near) > floor.sureness(near._replace(meaning=0.4))
    assert floor.sureness(near._replace(terms=30)) == floor.sureness(near._replace(terms=8))


def test_a_measure_needs_a_memory_that_names_it() -> None:
    near = evidence(meaning=0.7, known=1, terms=3)
    asked = near._replace(asks_measure=True)
    assert floor.sureness(asked) < 0.5 < floor.sureness(near)
    assert floor.sureness(asked) < floor.sureness(asked._replace(attribute=0.5)) <= floor.sureness(near)
    assert floor.sureness(asked._replace(attribute=1.0)) == floor.sureness(near)


def test_one_word_that_a_memory_holds_is_a_sure_answer() -> None:
    one = evidence(meaning=0.5, terms=1)
    assert floor.sureness(one) < 0.5 < floor.sureness(one._replace(words=1.0))
    # Without meaning six tenths of the words answer as likely as not.
    for words, likely in ((0.0, 0.0), (0.6, 0.5), (1.0, 1.0)):
        assert floor.sureness(evidence(meaning=None, words=words)) == pytest.approx(likely, abs=0.01)


# Together


def test_the_parts_add_up_and_the_order_is_theirs(memories: Memories) -> None:
    memories.remember_all(
        [
            Draft(text=text, kind="episode", session="s", data={"role": role}, importance=importance)
            for text, role, importance in (
                ("Shall we adopt a cat?", "ann", 0.5),
                ("Yes! On 3 May.", "bob", 0.9),
                ("The cat is called Tigger", "ann", 0.1),
                ("It rains again", "bob", 0.5),
            )
        ]
    )
    answer = memories.recall(
        "When did Bob adopt a cat?", settings=RankingSettings(min_score=0, diverse=False)
    )
    assert len(answer.hits) >= 3
    for hit in answer.hits:
        assert sum(hit.parts.values()) == pytest.approx(hit.total)
        factors = {"confidence", "importance", "recency", "use", "task", "success"}
        assert set(hit.parts) == {*Weights._fields, *factors}
    assert [hit.total for hit in answer.hits] == sorted((hit.total for hit in answer.hits), reverse=True)


def test_weights_are_applied_by_name() -> None:
    found = Weights(*range(len(Weights._fields)))
    assert weighed_signals(found, Weights())["date"] == found.date * Weights().date


def test_neighbours_come_in_but_not_through_the_filter(memories: Memories) -> None:
    memories.remember_all(
        [
            Draft(text="What was the zebra called?", kind="episode", session="s", data={"role": "ann"}),
            Draft(text="Marty", kind="episode", session="s", data={"role": "bob"}, tags=("secret",)),
        ]
    )
    asked = RankingSettings(min_score=0)
    words_only = memories.recall("zebra", words_only=True, settings=asked)
    assert {hit.memory.text for hit in words_only.hits} == {"What was the zebra called?", "Marty"}
    tagged = memories.recall("zebra", memories.within(tags=("secret",)), words_only=True, settings=asked)
    assert {hit.memory.text for hit in tagged.hits} <= {"Marty"}
    kept = memories.recall("zebra", memories.within(kinds=("fact",)), words_only=True, settings=asked)
    assert kept.hits == []


def test_a_typo_in_a_rare_word_is_survived(memories: Memories) -> None:
    kept = memories.remember("The kubernetes cluster is in Frankfurt")
    memories.remember("Lunch is at noon")
    for typed in ("kuberentes", "kubernets", "Frankfrut", "kuber"):
        answer = memories.recall(typed, words_only=True)
        assert [hit.memory.id for hit in answer.hits] == [kept.id], typed
    assert memories.recall("zzzzzz", words_only=True).hits == []


def test_what_is_missed_says_why(memories: Memories) -> None:
    memories.remember_all([Draft(text=f"tea number {n}") for n in range(5)])
    answer = memories.recall("tea", settings=memories.settings(limit=2))
    assert len(answer.hits) == 2 and answer.misses
    assert {miss.reason.name for miss in answer.misses} <= {
        "beyond the limit", "nearly the same as a better one", "below the floor",
    }  # fmt: skip


@pytest.mark.parametrize("query", ["tea kettle", "who broke the kettle before the move", "does Ann like tea"])
@pytest.mark.parametrize("words_only", [False, True])
def test_asking_again_finds_what_a_recall_of_its_own_would(
    memories: Memories, query: str, words_only: bool
) -> None:
    texts = ("Ann broke the tea kettle", "tea was late", "we moved to Oslo", "the kettle is new")
    memories.remember_all([Draft(text=text, kind="outcome", tags=("failed",)) for text in texts])
    memories.remember_all([Draft(text=f"{name} likes tea") for name in ("Bob", "Cem", "Dee", "Eve")])
    asked = memories.settings(limit=3, min_score=0.0)
    failed = memories.within(kinds=("outcome",), tags=("failed",))
    whole = memories.recall(query, words_only=words_only, settings=asked, touch=False)
    own = memories.recall(query, failed, words_only=words_only, settings=asked, touch=False)
    assert whole.inquiry
    again = ask_again(memories.store, whole.inquiry, failed, asked)
    assert [hit.memory.id for hit in again] == [hit.memory.id for hit in own.hits] and again
    assert [hit.score for hit in again] == pytest.approx([hit.score for hit in own.hits], abs=1e-3)


def test_ranking_needs_no_more_than_a_store(memories: Memories) -> None:
    memories.remember("tea")
    answer = recall(memories.store, None, "tea", memories.within(), NOW, RankingSettings())
    assert answer.hits and answer.degraded


# Budget


def words(text: str) -> int:
    return len(text.split())


@given(st.lists(st.text("ab \n", max_size=40), max_size=8), st.integers(1, 60))
def test_a_page_never_costs_more_than_its_budget(texts: Sequence[str], tokens: int) -> None:
    items = [budget.Item(text, heading) for text, heading in zip(texts, "xyzxyzxy", strict=False)]
    page = budget.fit_page(items, tokens, words, ["open", "close"])
    printed = [*dict.fromkeys(item.heading for item in page.items), *(item.text for item in page.items)]
    if page.items:
        assert sum(words(line) + 1 + line.count("\n") for line in ["open", "close", *printed]) <= tokens
        assert page.tokens <= tokens
    assert len(page.items) + len(page.dropped) == len(items)


def test_a_first_one_that_is_too_long_is_shortened_and_marked() -> None:
    page = budget.fit_page([budget.Item("one two three four five six"), budget.Item("x")], 6, words)
    assert page.items[0].text == f"one two three four{budget.SHORTENED}"
    assert budget.fit_page([budget.Item("a b c")], 1, words).items == []
    assert budget.estimate_tokens("") == 0 and budget.estimate_tokens("abcd") == 2
