"""What may have overtaken what, and what replaces it for certain."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.text.contradiction.claim_forms import ENDINGS, VERBS
from memcli.text.contradiction.claims import claims, replaces
from memcli.text.contradiction.contradictions import may_contradict


@pytest.mark.parametrize(
    ("old", "new", "cosine", "reason"),
    [
        # Cosines as the default model gives them.
        ("I prefer Python", "I prefer Rust now", 0.30, "Python -> Rust"),
        ("Ann prefers Python", "Ann prefers Rust now", 0.59, "Python -> Rust"),
        ("Ann lives in Berlin", "Ann moved to Paris", 0.72, "place: Berlin -> Paris"),
        ("I live in Berlin", "I moved to Paris last month", 0.46, "place: Berlin -> Paris"),
        ("I like olives", "I hate olives", 0.86, "like -> hate"),
        ("The library is open on Sundays", "The library is closed on Sundays", 0.95, "open -> closed"),
        ("The pool is closed in winter", "The pool is open in winter", 0.9, "closed -> open"),
        ("We use Postgres", "We switched to MySQL", 0.45, "switched to"),
        (
            "The meeting is on Tuesday",
            "The meeting was moved to Wednesday",
            0.80,
            "time (day): Tuesday -> Wednesday",
        ),
        ("my salary is 50k", "my salary is 60k", 0.86, "50 k -> 60 k"),
        ("I am vegetarian", "I am vegan", 0.82, "diet: vegetarian -> vegan"),
        ("I take my coffee with milk", "I take my coffee without milk", 0.9, "+without"),
        ("I smoke", "I quit smoking", 0.73, "smoking is gone"),
        ("I drink coffee every morning", "I no longer drink coffee", 0.67, "coffee is gone"),
        ("I am allergic to nuts", "I am not allergic to nuts", 0.97, "+not"),
        ("Olga rents 63 lockers near Parma", "Olga rents 80 lockers near Parma", 0.9, "63 -> 80"),
        ("We have 150 commits on main", "Commits on main have grown to 165", 0.8, "150 commits -> 165"),
    ],
)
def test_what_changed_is_noticed(old: str, new: str, cosine: float, reason: str) -> None:
    assert may_contradict(new, old, cosine) == reason


@pytest.mark.parametrize(
    ("old", "new", "cosine"),
    [
        ("I like tea", "I like hiking", 0.47),
        ("Olga prefers trains", "Olga likes blues", 0.6),
        ("The library is open on Sundays", "On Sundays the library is open", 0.95),
        ("Ann prefers coffee", "Ann loves tea", 0.7),
        ("I live in Berlin", "I work in Potsdam", 0.56),
        ("My wife is called Anna", "My son is called Ben", 0.42),
        ("I prefer window seats", "I prefer vegetarian food", 0.23),
        ("My sister is visiting", "My sister is a nurse", 0.48),
        ("I cannot eat spicy food", "I strongly dislike spicy food", 0.85),
        ("I dislike pixel art games", "I don't enjoy pixel art games", 0.95),
        ("Our office is on the 2nd floor", "Our office is on the second floor", 0.95),
        ("The meeting is at 5pm", "The meeting is at 17:00", 0.95),
        ("My salary is 50k", "my salary is 50k!", 1.0),
        ("Where do I live now?", "I live in Berlin", 0.7),
        ("No problem, talk to you soon", "Talk to you soon", 0.8),
        ("Olga rents 63 lockers near Parma", "Olga sells 80 lockers near Krakow", 0.8),
        ("Jens restored 87 clocks near Espoo", "Jens restored 52 bicycles near Espoo", 0.8),
        # Out of reach: neither text says what a lawnmower runs on.
        ("Ann is against petrol", "Ann has a lawnmower", 0.48),
    ],
)
def test_what_may_stand_together_is_left_alone(old: str, new: str, cosine: float) -> None:
    assert may_contradict(new, old, cosine) is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Ann lives in Berlin", "Ann moved from Berlin to Paris"),
        ("my salary is 50k", "my salary is now 60k"),
        ("Our landlord is Mr. Kern", "Our new landlord is Mrs. Doll"),
        ("I live in Berlin", "I live in New York now"),
        ("Ann works at Siemens", "Ann joined Bosch"),
        ("The meeting is on Tuesday", "The meeting was moved to Wednesday"),
        ("My dog is called Rex", "My dog is now called Bello"),
        ("Amara is the CTO", "Felix is now the CTO"),
        ("The cluster has 3 nodes", "The cluster now has 5 nodes"),
    ],
)
def test_what_says_itself_that_it_is_new_replaces_another_value(old: str, new: str) -> None:
    assert replaces(new, old) and not replaces(old, old) and not replaces(new, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Ann lives in Berlin", "Ann lives in Paris"),
        ("Ann lives in Berlin", "She lives in Paris now"),
        ("Ann lives in Berlin", "Bob lives in Paris now"),
        ("My friend is Mr. Holm", "My new friend is Mrs. Ek"),
        ("My sister is a nurse", "My sister is visiting now"),
        ("Rita lives in Graz during the week", "Rita now lives in Linz at weekends"),
        ("My budget is 900", "My budget is now 500 for food"),
        ("I live in Berlin", "I live in Paris now if I must"),
        ("I drink coffee", "I prefer tea now"),
        ("", "is now"),
    ],
)
def test_what_may_hold_beside_it_replaces_nothing(old: str, new: str) -> None:
    assert not replaces(new, old)


@given(st.text(), st.text(), st.floats(-1, 1))
def test_any_two_texts_may_be_asked_about(new: str, old: str, cosine: float) -> None:
    assert may_contradict(new, new, cosine) is None
    assert may_contradict(new, old, cosine) != ""
    assert not replaces(new, new)


_ODD = (
    "version",
    "version 3",
    "the",
    "to",
    "from",
    "at",
    "in a",
    "5",
    "of",
    "no",
    "not to",
    "2024",
    "A",
    "on on",
)


@pytest.mark.parametrize("verb", sorted({*VERBS, *" ".join(verbs for verbs, _ in ENDINGS).split()}))
def test_any_words_may_follow_a_verb(verb: str) -> None:
    for rest in _ODD:
        for subject in ("The team", "I", "Ann no"):
            assert isinstance(claims(f"{subject} {verb} {rest}"), tuple)
