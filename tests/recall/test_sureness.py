"""How surely the first hit answers: a judge tells it of notes, the rule of the floor of what was said."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.model import OF_OTHER, Memory
from memcli.recall.ranking import floor
from memcli.recall.ranking.answer_features import answer_features
from memcli.recall.ranking.floor import DEFAULT_CALIBRATION, Evidence
from memcli.recall.ranking.sureness import sureness
from memcli.recall.results import Hit
from tests.conftest import Run

NOW = datetime(2026, 11, 18, 12, 0, tzinfo=UTC)
QUESTION = "What does Dr Weber charge for a check-up?"


def evidence(**changes: Any) -> Evidence:
    found = Evidence(meaning=0.6, words=0.5, known=1, strangers=0, about_owner=False, memories=40, terms=3)
    return found._replace(**changes)


def hits(*texts: str, **fields: Any) -> list[Hit]:
    """Facts, best first, each a quarter behind the one before."""
    given = {"kind": "fact", "happened_at": NOW, "created_at": NOW, "updated_at": NOW, **fields}
    made = [Memory(id=str(place), text=text, **given) for place, text in enumerate(texts)]
    return [Hit(memory, 0.8, 0.5, 0.6, {}, 1.0 - place / 4) for place, memory in enumerate(made)]


NOTES = (
    "Dr Weber is our dentist, his practice is in Mill Lane",
    "Mia goes to Hill School, her class teacher is Mrs Okafor",
    "the boiler is a Vaillant, serviced by Tom Reed in October",
    "spare key of the flat is with Nora on the second floor",
    "Choir rehearses on Tuesdays in the church hall",
    "the car's insurance is with Aviva, renewed every March",
)


def test_what_is_noted_is_answered_for_sure_and_what_is_only_near_is_not(mem: Run) -> None:
    assert mem("remember", "--batch", input="\n".join(NOTES)).returncode == 0

    def weak(question: str) -> bool:
        lines = [json.loads(line) for line in mem("recall", question, "--json").stdout.splitlines()]
        return not lines or lines[0]["weak"]

    assert [each for each in ("who is our dentist?", "where does the choir rehearse?") if weak(each)] == []
    near = ("what does Dr Weber charge?", "how much did the boiler cost?", "how old is Mrs Okafor?")
    assert [each for each in near if not weak(each)] == []


def test_what_is_called_by_another_number_is_shown_and_never_sure(mem: Run) -> None:
    notes = ("P300 firmware: Priya", "Hall 3 holds the saplings", "forklift 4 is due for inspection in June")
    assert mem("remember", "--batch", input="\n".join(notes)).returncode == 0
    for question, weak in (
        ("who does the P300 firmware?", False), ("who does the P900 firmware?", True),
        ("what does hall 3 hold?", False), ("what does hall 5 hold?", True),
        ("when is forklift 6 due for inspection?", True),
    ):  # fmt: skip
        first = json.loads(mem("recall", question, "--json").stdout.splitlines()[0])
        assert first["weak"] is weak, question


def test_of_oneself_no_note_about_another_is_sure_and_a_measure_that_is_noted_is(mem: Run) -> None:
    notes = ("My brother Jan is allergic to bee stings", "Our tenant Paul pays 640 euros rent",
             "Moritz weighs 4.2 kilos now")  # fmt: skip
    assert mem("remember", "--batch", "--force", input="\n".join((*NOTES, *notes))).returncode == 0

    def first(question: str) -> tuple[str, bool]:
        hit = json.loads(mem("recall", question, "--json").stdout.splitlines()[0])
        return hit["text"], hit["weak"]

    assert first("What am I allergic to?") == (notes[0], True)
    assert first("what is Jan allergic to?") == (notes[0], False)
    assert first("how much rent do I pay?") == (notes[1], True)
    assert first("how much does Moritz weigh?") == (notes[2], False)
    assert first("how tall is Moritz?") == (notes[2], True)


@pytest.mark.parametrize(
    ("fields", "changes"),
    [
        ({"kind": "episode", "session": "s"}, {}),
        ({"kind": "episode", "data": {"role": "user"}}, {}),
        ({}, {"meaning": None}),
    ],
)
def test_of_a_talk_and_without_meaning_the_rule_of_the_floor_decides(
    fields: dict[str, Any], changes: dict[str, Any]
) -> None:
    found = evidence(**changes)
    first = hits("Dr Weber's check-up is on 3 May", **fields)
    rule = floor.sureness(found, DEFAULT_CALIBRATION)
    assert sureness(QUESTION, found, first, DEFAULT_CALIBRATION) == rule
    assert sureness(QUESTION, found, [], DEFAULT_CALIBRATION) == rule


def test_what_passes_without_a_session_is_a_note() -> None:
    note = hits("Dr Weber's check-up is on 3 May", kind="episode")
    judged = sureness(QUESTION, evidence(), note, DEFAULT_CALIBRATION)
    assert judged != floor.sureness(evidence(), DEFAULT_CALIBRATION)


def test_features_tell_what_the_question_and_the_first_hit_have_in_common() -> None:
    found = hits("At 9:30 Mia sees Dr Weber", "The car is red")
    features = answer_features("When does Dr Weber see Mia?", evidence(), found, 0.7)
    assert features["score"] == 0.7 and features["says a number"] and not features["says a name"]
    assert features["lead"] == pytest.approx(0.25) and features["covered"] > 0.5
    assert features["asked: when"] == 1.0 and "asked: car" not in features
    alone = answer_features("When does Tom see Dr Weber?", evidence(), found[:1], 0.7)
    assert alone["lead"] == 1.0 and alone["says a name"]
    assert alone["covered"] < features["covered"]


@pytest.mark.parametrize(
    ("question", "text", "told", "untold"),
    [
        ("When is he checked?", "He is checked on Mondays", "asks: when, day", "asks: when, no day"),
        ("Wann kommt der Kaminkehrer?", "Das ist Herr Huber", "asks: when, name", "asks: when, day"),
        ("how much is the rent", "Rent is 720", "asks: how much, number", "asks: how much, no number"),
        ("how much is rent no 2", "Rent no 2 is due", "asks: how much, no number", "another number"),
        ("and who has the key?", "Tom has the key", "asks: who, no name", "asks: what, no name"),
        ("bike colour", "The bike is at Lena's", "asks: , name", "another day"),
    ],
)  # fmt: skip
def test_features_tell_which_values_a_note_has_beside_what_is_asked_for(
    question: str, text: str, told: str, untold: str
) -> None:
    features = answer_features(question, evidence(), hits(text), 0.5)
    assert told in features and untold not in features


@pytest.mark.parametrize(
    ("question", "text", "of_another", "missing"),
    [
        ("What am I allergic to?", "My brother Jan is allergic to bee stings", True, False),
        ("wann muss ich zur Kontrolle", "Mama muss im Mai zur Kontrolle", True, False),
        # Of whom one asks, or who answers, is told of.
        ("who cuts my hair", "Jan cuts our hair on Sundays", False, False),
        ("what can I give jan for dessert?", "My brother Jan is allergic to nuts", False, False),
        ("how do I reach our vicar?", "Vicar's number: Joan Pym, ext. 12", False, False),
        ("What am I allergic to?", "Kiwis and cashews make me wheeze", False, False),
        ("when is my brother's birthday", "Dee's birthday is 9 June", False, True),
        ("when is my brother's birthday", "my brother turns 40 on 9 June", False, False),
        ("Where does Anna work?", "Piet works at the mill", False, True),
    ],
)
def test_features_tell_whether_a_note_is_about_whom_the_question_asks(
    question: str, text: str, of_another: bool, missing: bool
) -> None:
    first = hits(text, data={"judged": {OF_OTHER: 0.9}})
    features = answer_features(question, evidence(), first, 0.5)
    assert (bool(features["another's"]), bool(features["person missing"])) == (of_another, missing)
    assert not answer_features(question, evidence(), hits(text), 0.5)["another's"]


def test_a_word_in_another_form_is_covered() -> None:
    features = answer_features("who repairs bikes", evidence(), hits("Repairing a bike is Tom's job"), 0.5)
    assert features["covered in some form"] == 1 and features["missing"] == 0


@given(st.text(max_size=200), st.text(min_size=1, max_size=200))
def test_no_text_is_too_strange_to_be_asked_about(question: str, text: str) -> None:
    assert 0 <= sureness(question, evidence(), hits(text), DEFAULT_CALIBRATION) <= 1


def test_no_occupation_answers_for_sure_where_somebody_works() -> None:
    named = evidence(known=1, words=0.8)
    for question, job, place in (
        ("where does Priya work?", "Priya is a physiotherapist", "Priya works at the Royal"),
        ("wo arbeitet Priya?", "Priya ist Physiotherapeutin", "Priya arbeitet bei Bosch"),
        ("où travaille Marc ?", "Marc est plombier", "Marc travaille à la mairie"),
        ("¿dónde trabaja Ana?", "Ana es enfermera", "Ana trabaja en el puerto"),
        ("where is Jonas from?", "Jonas likes chess", "Jonas grew up near Leeds"),
    ):
        sure = [sureness(question, named, hits(text), DEFAULT_CALIBRATION) for text in (job, place)]
        assert sure[0] <= 0.3 < sure[1], question
