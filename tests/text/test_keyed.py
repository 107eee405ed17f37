"""A key and its value, told again with another."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.judgement.pairs import judge_pair
from memcli.text.keyed import give_one_key_two_values

_WORDS = 2


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("STAGING_DB_HOST=10.0.4.12", "STAGING_DB_HOST=10.0.4.31"),
        ("Resting pulse: 72", "resting pulse: 64."),
        ("Ticket 5520 : in attesa", "Ticket 5520 : chiusa"),
        ("PIN de la alarma: 2210", "PIN de la alarma: 5518"),
    ],
)
def test_another_value_of_the_key_is_an_update(older: str, newer: str) -> None:
    assert give_one_key_two_values(newer, older, _WORDS)
    assert judge_pair(newer, older).update >= 0.8


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("todo: milk", "todo: eggs"),
        ("Ann: yes", "Ann: no"),
        ("Resting pulse: 72", "Resting pulse: 72."),
        ("Resting pulse: 72", "Highest pulse: 180"),
        ("Ham radio club: first Monday of the month", "Ham radio club: field day in June"),
        ("the gym opens 10:30", "the gym opens 11:30"),
        ("http://a.example", "http://b.example"),
        ("a == b", "a == c"),
    ],
)
def test_a_list_a_longer_text_and_what_is_no_key_are_none(older: str, newer: str) -> None:
    assert not give_one_key_two_values(newer, older, _WORDS)


def test_the_keys_of_two_numbered_things_are_two() -> None:
    judged = judge_pair("PC-102 memory: 32 GB", "PC-101 memory: 16 GB")
    assert judged.update == 0.0


@given(st.text(), st.text())
def test_any_two_texts_may_be_asked_about(newer: str, older: str) -> None:
    assert not give_one_key_two_values(newer, newer, _WORDS)
    assert give_one_key_two_values(newer, older, _WORDS) is give_one_key_two_values(older, newer, _WORDS)
