"""Words that make a statement hold for a while, or not quite."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.text.english.hedges import speculative_phrase, transient_phrase


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("Use the other printer just for now", "for now"),
        ("For today only I work from home", "For today only"),
        ("The build is temporarily broken", "temporarily"),
        ("This afternoon I'm at the dentist", "This afternoon"),
        ("I am in Rome at the moment", "at the moment"),
        ("I'm away until tomorrow", "until tomorrow"),
        ("Right now I'm using Firefox", "Right now"),
        ("Ich bin im Moment krank", "im Moment"),
        ("Je travaille ici pour l’instant", "pour l'instant"),
        ("Por ahora uso vim", "Por ahora"),
    ],
)
def test_what_will_not_last_says_so(text: str, phrase: str) -> None:
    assert transient_phrase(text) == phrase


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("Maybe we should move to Oslo", "Maybe"),
        ("MAYBE WE SHOULD WAIT", "MAYBE"),
        ("Perhaps the cache is stale", "Perhaps"),
        ("I might be allergic to nuts", "I might"),
        ("We might paint the fence some day", "We might"),
        ("She might even resign", "She might"),
        ("I think we could use Redis", "I think we could"),
        ("Not sure but the port is 8080", "Not sure but"),
        ("What if we used Rust", "What if"),
        ("The tap might be loose", "might be"),
        ("Ann may be allergic to nuts", "may be"),
        ("Vielleicht ziehen wir um", "Vielleicht"),
        ("Peut-être demain", "Peut-être"),
        ("Quizás mañana", "Quizás"),
    ],
)
def test_a_guess_says_so(text: str, phrase: str) -> None:
    assert speculative_phrase(text) == phrase


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
    assert speculative_phrase(text) is None


@given(st.text())
def test_any_text_may_be_asked_about(text: str) -> None:
    for rule in (transient_phrase, speculative_phrase):
        assert rule(text) is None or rule(text)
