"""Two things that a number tells apart, and one thing whose number changed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.text.numbers.numbered import are_numbered


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("server 1 is down", "server 2 is down"),
        ("The server number 17 runs nginx", "The server number 18 runs nginx"),
        ("Shelf 12 holds box 12", "Shelf 13 holds box 13"),
        ("Ticket 821 liegt bei Ole", "Ticket 822 liegt bei Ole"),
        ("Das Regal 12 hält Schrauben", "Das Regal 13 hält Schrauben"),
        ("Le quai 3 est fermé", "Le quai 4 est fermé"),
        ("server 1 is down", "server 2 is up"),
        ("PC-101: 16 GB RAM", "PC-102: 32 GB RAM"),
        ("prodotto_009 prezzo 9,90", "prodotto_010 prezzo 12,50"),
        ("DB1 is in rack 7", "DB2 is in rack 9"),
    ],
)
def test_things_that_a_number_names_are_two(older: str, newer: str) -> None:
    assert are_numbered(newer, older) and are_numbered(older, newer)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("we meet in room 5", "we meet in room 6"),
        ("The port is 8443 now", "The port is 8444 now"),
        ("Tomo 40 mg de omeprazol", "Tomo 20 mg de omeprazol"),
        ("El alquiler son 720 al mes", "El alquiler son 650 al mes"),
        ("Fitnessstudio kostet 29,90 im Monat", "Fitnessstudio kostet 24,90 im Monat"),
        ("Vendor quote for the boiler: £2,780 fitted", "Vendor quote for the boiler: £2,300 fitted"),
        ("Lisa geht in die 4b zu Frau Temme", "Lisa geht in die 3b zu Frau Temme"),
        ("Ann is reading 5 books now", "Ann is reading 6 books now"),
        ("server 1 is down", "server 1 is down"),
        ("1", "2"),
    ],
)
def test_another_value_of_one_thing_is_one(older: str, newer: str) -> None:
    assert not are_numbered(newer, older) and not are_numbered(older, newer)


@given(st.text(), st.text())
def test_any_two_texts_may_be_asked_about(newer: str, older: str) -> None:
    assert not are_numbered(newer, newer)
    assert are_numbered(newer, older) is are_numbered(older, newer)
