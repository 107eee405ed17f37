"""Who or what is the new one of something takes the place of the one that was told; one more does not."""

from __future__ import annotations

import pytest

from memcli.judgement.pairs import judge_pair
from memcli.recall.ranking.replacement import SAID


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        ("Tariq is the new captain", "The captain is Lena"),
        ("our new dentist is Dr Falk", "Our dentist is Dr Haug"),
        ("La nueva jefa es Marta", "Mi jefa es Lola"),
    ],
)
def test_the_new_one_is_in_the_place_of_the_one_before(newer: str, older: str) -> None:
    assert judge_pair(newer, older, 0.5).update >= SAID


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        ("Callum is the new team lead for search", "Team lead of payments: Ingeborg"),
        ("Is Tariq the new captain?", "The captain is Lena"),
        ("Tariq is the new captain of the juniors", "The captain is Lena"),
        ("We have a new cat, Misha", "Our cat is called Semaphore"),
    ],
)
def test_of_something_else_one_more_or_a_question_is_not(newer: str, older: str) -> None:
    # By the form, that is; what a judge makes of the words is its own.
    assert not judge_pair(newer, older, 0.5).certain


def test_who_says_far_more_repeats_nothing() -> None:
    older = "Hey Ann! Long time no see!"
    newer = (
        "Yep, Ann! I'm planning a ring-toss tournament for the shelter's fundraiser later this month, the "
        "whole club helps, and we still look for prizes"
    )
    assert judge_pair(newer, older, 0.9).same == 0
    assert judge_pair("I moved to Turku", older, 0.9).same > 0
