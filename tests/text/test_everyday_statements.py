"""Everyday statements written twice, and those that only look like it (`benchmarks/everyday.txt`)."""

from __future__ import annotations

from pathlib import Path

import pytest

from memcli.text.comparison.duplicates import compare_texts

_LIST = Path(__file__).parents[2] / "benchmarks" / "everyday.txt"
_PAIRS = [
    tuple(part.strip() for part in line.split("|"))
    for line in _LIST.read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]
_CHANGED = [(old, new) for label, old, new in _PAIRS if label == "changed"]
_SAME = [(old, new) for label, old, new in _PAIRS if label == "same"]


@pytest.mark.parametrize(("old", "new"), _CHANGED)
@pytest.mark.parametrize("cosine", [0.75, 0.9, 0.99])
def test_a_changed_statement_is_never_the_same(old: str, new: str, cosine: float) -> None:
    assert compare_texts(new, old, cosine).verdict != "same"
    assert compare_texts(old, new, cosine).verdict != "same"


def test_most_that_mean_the_same_are_the_same() -> None:
    found = [
        (old, new) for old, new in [*_SAME, *((new, old) for old, new in _SAME)]
        if compare_texts(new, old, 0.93).verdict == "same"
    ]  # fmt: skip
    assert len(found) >= 0.8 * 2 * len(_SAME), len(found)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The user's favorite color is blue", "User's favourite colour is blue"),
        ("I love hiking in the mountains", "I really love hiking in the mountains"),
        ("The user lives in Berlin", "User is living in Berlin"),
        ("I prefer dark mode in all my editors", "I like dark mode in all my editors"),
        ("I work at Google as a software engineer", "I am a software engineer at Google"),
        ("Ann is allergic to peanuts", "Ann has a peanut allergy"),
        ("My dog's name is Rex", "Rex is my dog's name"),
        ("The main database is PostgreSQL", "We use PostgreSQL for the main database"),
        ("I prefer tea to coffee", "I like tea more than coffee"),
        ("Nginx serves the static files", "The static files are served by Nginx"),
        ("Bob is the manager of the data team", "Bob manages the data team"),
        ("I like to go running", "I like running"),
    ],
)
def test_spelling_form_and_little_words_change_nothing(old: str, new: str) -> None:
    assert compare_texts(new, old, 0.92).verdict == "same" == compare_texts(old, new, 0.92).verdict
