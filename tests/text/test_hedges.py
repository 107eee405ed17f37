"""Words that make a statement hold for a while."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.text.english.hedges import transient_phrase


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("Use the other printer just for now", "for now"),
        ("The build is temporarily broken", "temporarily"),
        ("I am in Rome at the moment", "at the moment"),
        ("Je travaille ici pour l’instant", "pour l'instant"),
        ("Por ahora uso vim", "Por ahora"),
    ],
)
def test_what_will_not_last_says_so(text: str, phrase: str) -> None:
    assert transient_phrase(text) == phrase


@pytest.mark.parametrize(
    "text",
    [
        "From now on, deploy on Mondays", "The Temporary table holds sessions", "We use temporary tables",
        "Until recently I smoked", "I prefer to work right away", "I never deploy on Fridays",
        "My cat's name is Maybe", "Maybe is the name of our cat", "He has great might",
        "May is the best month",
        'She said "maybe later"', "The band Perhaps plays rock", "In Haskell the Maybe monad is used",
        "Considering the price, it is good", "How about you?", "I was wondering if you could help",
        "I've been dreaming of this for a while now", "I never say maybe", "Run `maybe --for now`", "",
    ],
)  # fmt: skip
def test_a_plain_statement_does_not(text: str) -> None:
    assert transient_phrase(text) is None


@given(st.text())
def test_any_text_may_be_asked_about(text: str) -> None:
    assert transient_phrase(text) is None or transient_phrase(text)
