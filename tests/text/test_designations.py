"""Things that are told apart by a number."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.text.numbers.designations import designations, names_another


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("What is in hall 5?", {("hall", "5")}),
        ("P900 firmware: Priya", {("p", "p900")}),
        ("¿quién usa la sala B12?", {("b", "b12")}),
        ("Bahnsteig 4, Gleis 7", {("bahnsteig", "4"), ("gleis", "7")}),
        ("api-03 has 4 GB", {("api", "api03")}),
        ("what blocks ticket #882?", {("ticket", "882")}),
        ("Raum 3.14 und Version 2.4", {("raum", "3.14"), ("version", "2.4")}),
        ("host 10.0.0.5 is in room B2.14", {("host", "10.0.0.5"), ("b", "b2.14")}),
        ("apartment 4B, batch 2024-07", {("apartment", "4b"), ("batch", "2024-07")}),
        ("Yoga is in Hall four", {("hall", "4")}),
        ("the third floor, the 4th floor", {("floor", "3"), ("floor", "4")}),
        ("im dritten Stock", {("stock", "3")}),
        ("au 3e étage, la troisième porte", {("etage", "3"), ("porte", "3")}),
        ("en el tercer piso, 2º izquierda", {("piso", "3"), ("izquierda", "2")}),
        ("al terzo piano", {("piano", "3")}),
        ("no terceiro andar", {("andar", "3")}),
        ("op de derde verdieping", {("verdieping", "3")}),
        # Days, times and measures name nothing.
        ("on the third of May, am dritten Mai, met once", set()),
        ("on 3 May at 9, born 8 September", set()),
        ("im Mai 12 Grad und 500mg um 20h", set()),
        ("up to 40 people", set()),
    ],
)
def test_what_is_called_by_a_number(text: str, names: set[tuple[str, str]]) -> None:
    assert designations(text) == names


@pytest.mark.parametrize(
    ("question", "text", "another"),
    [
        ("who does the P900 firmware?", "P300 firmware: Priya", True),
        ("what is in hall 5", "Hall 3 holds the saplings", True),
        ("wer sitzt in Raum 12?", "In Raum 14 sitzt Jana", True),
        ("what is in hall 3", "Hall 3 holds the saplings", False),
        ("what blocks ticket 883?", "Ticket #882 waits for Ann", True),
        ("who is in Raum 3.15?", "In Raum 3.14 sitzt Jana", True),
        ("what is new in version 2.5?", "Version 2.4 of the API is frozen", True),
        ("who lives in 4C, apartment 4C?", "Apartment 4B: the Okafors", True),
        ("where is the S12", "S-12 is in the shed", False),
        ("where is batch 2024-08?", "Batch 2024-07 is in the freezer", True),
        ("what is in hall 5", "Halls 3 and 5 hold the saplings", False),
        ("what is in hall 5", "Hall 1 to 6 are locked at night", False),
        ("is hall 5 near hall 3?", "Hall 3 holds the saplings", False),
        ("what is in hall 5", "The saplings are in the big hall", False),
        ("what is on the third floor?", "The canteen is on the fourth floor", True),
        ("what is on floor 4?", "The canteen is on the fourth floor", False),
        ("what is on the 3rd floor?", "The canteen is on floor four", True),
        ("what is in Hall three?", "Yoga is in Hall four", True),
        ("what is in hall 4?", "Yoga is in Hall four", False),
        ("was ist im dritten Stock?", "Die Kantine ist im vierten Stock", True),
        ("qu'est-ce qu'il y a au troisième étage ?", "La cantine est au quatrième étage", True),
        ("¿qué hay en el tercer piso?", "La cantina está en el cuarto piso", True),
        ("cosa c'è al terzo piano?", "La mensa è al quarto piano", True),
        ("o que há no terceiro andar?", "A cantina fica no quarto andar", True),
        ("wat is er op de derde verdieping?", "De kantine is op de vierde verdieping", True),
        ("what was my first car?", "My second car is a Volvo", True),
        ("what is on the third floor?", "Offices: second to fourth floor", False),
        ("what is on the third floor?", "The third and fourth floor are offices", False),
        ("what is on the third floor?", "The canteen is upstairs", False),
        ("how many halls are there?", "Hall 3 holds the saplings", False),
    ],
)
def test_another_of_the_sort(question: str, text: str, another: bool) -> None:
    assert names_another(question, text) is another


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text_is_read_and_none_names_another_than_itself(one: str, other: str) -> None:
    assert not names_another(one, one)
    assert names_another(one, other) in (True, False)
