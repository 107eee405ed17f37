"""What a statement claims, and which claim replaces another for certain."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.text.contradiction.claim_forms import ENDINGS, VERBS
from memcli.text.contradiction.claims import claims, overtaken_claim, replaces


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


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("The bridge is 62 metres long", "The bridge is 4 metres wide", None),
        ("The wall is 3 m high", "The wall is 20 cm thick", None),
        ("The rope is 3 kg", "The rope is 20 m", None),
        ("The lake is 2 km across", "The lake is 40 m deep", None),
        ("The bridge is 62 metres long", "The bridge is 64 metres long", "62 metres long -> 64 metres long"),
        ("The port is 8443", "The port is 8444", "8443 -> 8444"),
    ],
)
def test_two_measures_of_a_thing_stand_beside_each_other(old: str, new: str, told: str | None) -> None:
    assert overtaken_claim(new, old)[1] == told


@given(st.text(), st.text())
def test_any_two_texts_may_be_asked_about(new: str, old: str) -> None:
    assert overtaken_claim(new, new)[1] is None
    assert overtaken_claim(new, old)[1] != ""
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
