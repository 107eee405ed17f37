"""What keeps two statements apart, whatever a judge says of them."""

from __future__ import annotations

import pytest

from memcli.judgement.pairs import judge_pair
from memcli.text.semantics.debts import is_beside_debt
from memcli.text.semantics.distinct import begin_with_others, one_is_to_be_done


@pytest.mark.parametrize(
    ("newer", "older", "apart"),
    [
        ("Nico doesn't eat mushrooms at all", "Elsa no longer eats mushrooms", True),
        ("Luca adesso mangia il pesce", "Marta non mangia il pesce", True),
        ("Nico doesn't eat mushrooms", "Nico eats no mushrooms", False),
        ("She no longer eats mushrooms", "Elsa no longer eats mushrooms", False),
        ("Mushrooms are nothing for Elsa", "Elsa eats no mushrooms", False),
        ("our Nico eats no fish", "Nico eats no fish", False),
        ("Kettles are broken", "The kettle is broken", False),
        ("", "Elsa eats fish", False),
    ],
)
def test_who_begins_two_statements_keeps_them_apart(newer: str, older: str, apart: bool) -> None:
    assert begin_with_others(newer, older) is begin_with_others(older, newer) is apart


@pytest.mark.parametrize(
    ("task", "other", "apart"),
    [
        ("I have to hand in the rota before Friday", "The rota meeting is on Friday at 8", True),
        ("I must register for the exam by Tuesday", "The exam is on Tuesday at 10", True),
        ("Ich muss die Liste bis Donnerstag schicken", "Die Besprechung ist am Donnerstag", True),
        ("Je dois imprimer les partitions avant lundi", "La chorale répète lundi", True),
        ("Tengo que pagar al veterinario el lunes", "El veterinario viene el lunes", True),
        ("Devo pagare il veterinario lunedì", "Il veterinario viene lunedì", True),
        ("I have to call Ann", "I must call Ann", False),
        # Who has something need do nothing.
        ("We have a black cat", "Our cat is black", False),
        ("Tengo un gato", "Mi gato es negro", False),
    ],
)
def test_what_is_to_be_done_is_not_what_it_is_done_for(task: str, other: str, apart: bool) -> None:
    assert one_is_to_be_done(task, other) is one_is_to_be_done(other, task) is apart


TYRES = "Sandro mi deve 150 euro per le gomme"


@pytest.mark.parametrize(
    ("newer", "older", "beside"),
    [
        ("Bertolino ha cambiato la guarnizione del frigo, 140 euro", TYRES, True),
        ("Chiara vuole la torta per 110 persone, non più per 90", TYRES, True),
        ("Il signor Quaglia porta l'affitto a 1.420 euro da gennaio", TYRES, True),
        ("The hall hire is £45 an evening", "I owe Bronwen £35 for the rivets", True),
        ("Hinnerk schuldet mir 45 Euro", "Der Strom kostet 98 Euro im Monat", True),
        ("Sandro mi ha reso 100 euro", TYRES, False),
        ("Le gomme costano 180 euro", TYRES, False),
        ("Sandro mi deve 180 euro", TYRES, False),
        ("The rivets came to £45", "I owe Bronwen £35 for the rivets", False),
        ("Bronwen's brother came to stay", "I owe Bronwen £35 for the rivets", False),
        ("The rent is £940 now", "The rent is £890", False),
    ],
)
def test_a_debt_and_an_amount_in_another_matter_both_hold(newer: str, older: str, beside: bool) -> None:
    assert is_beside_debt(newer, older) is beside
    if beside:
        assert judge_pair(newer, older, 0.6).both == 1.0
