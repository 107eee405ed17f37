"""What stands on the page: what bears on the question; more where it is asked for, or needed together."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import timedelta

import numpy as np
import pytest

from memcli.memories import Memories
from memcli.model import Memory
from memcli.recall.page import near_misses, page_rows
from memcli.recall.ranking.attribution import said_by_another
from memcli.recall.results import Hit, RankingSettings
from memcli.recall.scoring import Ranking
from memcli.text.asking import asks_for_several, is_asked, name_runs
from memcli.text.question import says_something, understand_question
from memcli.times import now
from memcli.write_policy.drafts import Draft
from tests.conftest import Run

NOW = now()


def hits(totals: Sequence[float], sessions: int = 1) -> list[Hit]:
    return [
        Hit(
            Memory(
                id=f"M{n}", space="default", kind="fact", text=f"note {n}", created_at=NOW, updated_at=NOW,
                happened_at=NOW - timedelta(days=n % sessions),
            ),
            total, None, total, {}, total,
        )
        for n, total in enumerate(totals)
    ]  # fmt: skip


def ranking(totals: Sequence[float], **changes: object) -> Ranking:
    some = hits(totals)
    vectors = np.eye(len(totals), dtype=np.float32)
    whole = Ranking(
        some, list(range(len(totals))), [each / totals[0] for each in totals], vectors, 500, asking=True,
        several=False,
    )  # fmt: skip
    return whole._replace(**changes)  # type: ignore[arg-type]


def test_the_page_ends_where_hits_fall_far_behind() -> None:
    totals = [1.0, 0.95, 0.9, 0.68, 0.66, 0.4]
    assert page_rows(ranking(totals), RankingSettings()) == [0, 1, 2]
    assert page_rows(ranking([1.0, 0.9, 0.8, 0.7, 0.6]), RankingSettings()) == [0, 1, 2, 3]
    reasons = [miss.reason.name for miss in near_misses(ranking(totals), [0, 1, 2], RankingSettings())]
    assert reasons == ["far behind the best"] * 3


def test_what_was_shown_before_pushes_no_other_off_the_page() -> None:
    totals = [0.613, 0.47]
    often, once = hits(totals)
    assert page_rows(ranking(totals), RankingSettings()) == [0]
    used = ranking(totals, hits=[often._replace(parts={"use": 0.03}), once])
    assert page_rows(used, RankingSettings()) == [0, 1]


def test_who_says_how_many_gets_up_to_that_many() -> None:
    asked = RankingSettings(limit=4, whole=True)
    assert page_rows(ranking([1.0, 0.5, 0.4, 0.4, 0.3]), asked) == [0, 1, 2, 3]
    assert page_rows(ranking([1.0, 0.9, 0.8, 0.7, 0.6], sureness=0.0), asked) == [0, 1, 2, 3]
    weak = ranking([1.0] * 9, sureness=0.0)
    sizes = {total: len(page_rows(weak._replace(total=total), RankingSettings())) for total in (30, 44, 500)}
    assert sizes == {30: 3, 44: 4, 500: 5}


def test_in_a_small_store_a_question_gets_few_and_a_category_more() -> None:
    alike = [1.0 - n / 100 for n in range(12)]
    assert len(page_rows(ranking(alike, total=30), RankingSettings())) == 3
    assert len(page_rows(ranking(alike, total=500), RankingSettings())) == 10
    assert len(page_rows(ranking(alike, total=30, asking=False), RankingSettings())) == 10


def test_what_several_answer_together_covers_every_day() -> None:
    totals = [1.0 - n / 100 for n in range(20)]
    together = ranking(totals, several=True, hits=hits(totals, sessions=14))
    page = page_rows(together, RankingSettings())
    assert page[:10] == list(range(10)) and page[10:] == [10, 11, 12, 13]


def test_words_alone_have_no_likeness_to_be_far_behind_by() -> None:
    assert len(page_rows(ranking([1.0, 0.5, 0.4], vectors=None), RankingSettings())) == 3


def test_a_small_store_shows_one_to_three_lines(mem: Run) -> None:
    things = ("kettle", "printer", "drill", "ladder", "tent", "radio", "scale", "globe", "stove", "lamp")
    notes = [f"The {thing} stands in room {n} of house {h}" for h in (1, 2) for n, thing in enumerate(things)]
    notes += ["My dentist is Dr. Okafor in Leeds", "Rent is due on the first of the month"]
    assert mem("remember", "--batch", input="\n".join(notes)).returncode == 0
    lines = mem("recall", "who is my dentist?", "--json").stdout.splitlines()
    assert 1 <= len(lines) <= 3 and "Okafor" in lines[0]
    explained = mem("recall", "who is my dentist?", "--json", "--explain", "-n", "1").stdout.splitlines()
    assert json.loads(explained[-1])["floor"]["zone"] == "sure"


# How it is asked


@pytest.mark.parametrize(
    "text",
    ["who runs infra", "list my trips", "welche Batterien brauche ich", "à quelle heure", "¿cuánto pago?",
     "Qual è il mio numero", "is it raining", "by when must it be in", "wat kost dat"],
)  # fmt: skip
def test_questions_are_told_from_categories_and_statements(text: str) -> None:
    assert is_asked(text)


@pytest.mark.parametrize(
    "text",
    ["programming languages", "quantum chromodynamics", "I'm setting up the CI", "quality of sleep", ""],
)
def test_what_is_no_question(text: str) -> None:
    assert not is_asked(text)


def test_what_asks_for_several() -> None:
    for text in ("what food did she make", "list all my trips", "how has his diet changed",
                 "which books does Tim read", "What has Melanie painted?", "Summarize the project",
                 "in what ways does she relax"):  # fmt: skip
        assert asks_for_several(text), text
    for text in (
        "when is my dentist due",
        "What are some good hotels?",
        "who runs infra?",
        "where is this bus",
    ):
        assert not asks_for_several(text), text


def test_names_stand_in_runs_and_a_sentences_beginning_is_none() -> None:
    assert name_runs("Priya Sharma's phone number") == [("Priya", "Sharma")]
    assert name_runs("Jonas's phone number") == [("Jonas",)]
    assert name_runs("Where does Dr. Okafor live, Ann?") == [("Okafor",), ("Ann",)]
    assert name_runs("Programming languages I like") == []


def test_a_known_person_with_a_surname_more_is_known(memories: Memories) -> None:
    memories.remember("Priya owns infrastructure")
    evidence = memories.recall("what does Priya Sharma own?", touch=False).evidence
    assert evidence and (evidence.known, evidence.strangers) == (1, 0)
    evidence = memories.recall("what does Zlatan Sharma own?", touch=False).evidence
    assert evidence and (evidence.known, evidence.strangers) == (0, 1)


def test_a_question_of_names_alone_keeps_them() -> None:
    names = {"Ann", "Bob"}
    assert understand_question("Who is Ann?", names, NOW).statement == "Who is Ann?"
    assert "Bob" in understand_question("Ann and Bob", names, NOW).statement
    assert "Bob" not in understand_question("What does Bob paint?", names, NOW).statement


# Who said it


def test_an_almost_empty_turn_is_not_lifted_by_its_speaker() -> None:
    assert not says_something("Ann: No no no.", "Ann") and says_something("Ann: I paint lakes", "Ann")


def test_what_another_said_is_told_and_nothing_hidden(memories: Memories) -> None:
    turns = (
        ("Ann", "I painted a lake at sunrise last weekend"),
        ("Bob", "That sounds lovely, well done"),
        ("Ann", "The lake is near my sister's farm"),
        ("Bob", "I was busy with the taxes all week"),
    )
    memories.remember_all(
        [
            Draft(text=f"{who}: {said}", kind="episode", session="one", data={"role": who})
            for who, said in turns
        ]
    )
    answer = memories.recall("What lake did Bob paint at sunrise?", touch=False)
    assert answer.attribution and answer.attribution[:2] == ("Bob", "Ann") and answer.weak
    assert answer.attribution.memory_id in {hit.memory.id for hit in answer.hits}
    right = memories.recall("What lake did Ann paint at sunrise?", touch=False)
    assert (
        right.attribution is None
        and said_by_another(understand_question("a lake", (), NOW), right.hits) is None
    )
