"""Whether one note meets whom a question names, the thing, and a measure: half of it is no sure answer."""

from __future__ import annotations

import json

import pytest

from memcli.recall.ranking.sureness_rules.measure_told import tells_measure
from memcli.recall.ranking.sureness_rules.one_note import is_met_by_another
from tests.conftest import Run

CHECK = "Rory's asthma check is on 7 January at 9"
EYES = "Ife's eye test has been moved to 8 January at 4"
CELIAC = "Elia è celiaco"


@pytest.mark.parametrize(
    ("question", "first", "others", "another"),
    [
        ("when is Rory's eye test?", CHECK, [EYES], True),
        ("when is Rory's eye test?", EYES, [CHECK], True),
        ("when is Rory's asthma check?", CHECK, [EYES], False),
        # Nobody else was tested for it: the words may only be others.
        ("where does Callum work?", "Callum is a night nurse at the RUH", ["Callum's car is a Volvo"], False),
        ("Bianca è celiaca?", CELIAC, ["La maestra di Elia è Stefania", "Il prof di Bianca è Rinaldi"], True),
        ("Elia è celiaco?", CELIAC, ["La maestra di Elia è Stefania", "Il prof di Bianca è Rinaldi"], False),
        ("wann hat Levke einen Zahnarzttermin?", "Fiete hat am 12. Dezember einen Zahnarzttermin",
         ["Levke hat am 10. Dezember einen Sehtest"], True),
        ("wann hat Fiete einen Zahnarzttermin?", "Fiete hat am 12. Dezember einen Zahnarzttermin",
         ["Levke hat am 10. Dezember einen Sehtest"], False),
        ("when is the eye test?", EYES, [CHECK], False),
    ],
)  # fmt: skip
def test_a_note_of_another_person_or_thing_is_told(
    question: str, first: str, others: list[str], another: bool
) -> None:
    assert is_met_by_another(question, first, others) is another


@pytest.mark.parametrize(
    ("question", "note", "told"),
    [
        ("how much was the microscope?", "Bought Ife's microscope, a Bresser, £89", True),
        ("how much was the microscope?", "The microscope is on shelf 4", False),
        ("how far is my Sunday run?", "Sunday mornings I run along the canal, 9 km", True),
        ("how far is my Sunday run?", "The Sunday run costs £5", False),
        ("how long is the meeting?", "The meeting is on 12 December", False),
        ("quanto è costato il trattorino?", "Il trattorino, un Husqvarna, è costato 1.890 euro", True),
        ("combien pèse Pacha ?", "Pacha pèse 31 kilos", False),
        ("how tall is Ife?", "Ife takes a size 2 shoe", False),
        ("how much were the tickets each?", "The tickets were £60", False),
        ("where is the microscope?", "The microscope was £89", False),
    ],
)
def test_a_measure_is_told_of_the_thing_and_of_the_sort_that_is_asked(
    question: str, note: str, told: bool
) -> None:
    assert tells_measure(question, note) is told


def test_what_is_met_by_two_notes_is_weak_and_a_measure_that_is_noted_is_sure(mem: Run) -> None:
    notes = (
        CHECK, EYES, "Rory's teacher is Miss Oyelaran", "The spare key is with Gwen", "Choir is on Thursdays",
        "Bought Ife's microscope, a Bresser, £89, hidden in the paint cupboard at the yard",
        "Ife wants a microscope for Christmas", "House insurance is with Aviva",
    )  # fmt: skip
    assert mem("remember", "--batch", "--force", input="\n".join(notes)).returncode == 0

    def weak(question: str) -> bool:
        return bool(json.loads(mem("recall", question, "--json").stdout.splitlines()[0])["weak"])

    assert weak("when is Rory's eye test?")
    assert not weak("when is Rory's asthma check?")
    assert not weak("how much was the microscope?")
