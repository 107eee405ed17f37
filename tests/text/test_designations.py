"""Things that are told apart by a number."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.text.designations import designations, names_another


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
        # Days, times and measures name nothing.
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
        ("how many halls are there?", "Hall 3 holds the saplings", False),
    ],
)
def test_another_of_the_sort(question: str, text: str, another: bool) -> None:
    assert names_another(question, text) is another


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text_is_read_and_none_names_another_than_itself(one: str, other: str) -> None:
    assert not names_another(one, one)
    assert names_another(one, other) in (True, False)
