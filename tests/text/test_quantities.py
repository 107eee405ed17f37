"""Numbers, times and days as values, however they are written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.text.numbers.quantities import quantities


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("we start at half nine", "start is 9:30"),
        ("um halb neun", "um 8:30 Uhr"),
        ("21.30 Uhr", "half past nine"),
        ("22:00", "at 10 pm"),
        ("twenty-five chairs", "25 chairs"),
        ("three thousand", "3000"),
        ("1,200 euros", "1200 Euro"),
        ("drei Tassen", "trois tasses"),
        ("version 3.1.2", "v 3.1.2"),
    ],
)
def test_one_number_in_two_writings_is_one(one: str, other: str) -> None:
    assert quantities(one).numbers == quantities(other).numbers != frozenset()


@pytest.mark.parametrize(
    ("one", "other"), [("on Mondays", "montags"), ("le 3 mars", "3 March"), ("viernes", "venerdì")]
)
def test_one_day_in_two_languages_is_one(one: str, other: str) -> None:
    assert quantities(one).calendar == quantities(other).calendar != frozenset()


@pytest.mark.parametrize("text", ["eine Katze", "un chat", "um Hilfe bitten", "Julie"])
def test_an_article_is_no_number_and_a_name_no_month(text: str) -> None:
    assert quantities(text) == (frozenset(), frozenset())


@given(st.text(max_size=200))
def test_no_text_is_too_strange(text: str) -> None:
    quantities(text)
