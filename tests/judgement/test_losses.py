"""What would be lost with an older statement that a newer one updates: a night asks, and ends nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.judgement.losses import loses_by_ending


@pytest.mark.parametrize(
    ("older", "newer", "loses"),
    [
        ("Staging is Postgres 15 on host db-stg-2", "Staging got upgraded to Postgres 16", True),
        ("Our standup is on Tuesdays at 9:30", "Standup is now at 9:45", True),
        ("Our standup is on Tuesdays at 9:30", "Standup is now on Mondays at 9:45", False),
        ("The team lead is Kevin", "Maria is the new team lead", False),
        ("Rent is 740 a month", "Rent is 790 now", False),
        ("I live in Berlin", "I moved to Hamburg", False),
        ("Peter works at Siemens and plays the cello", "Peter now works at Bosch", True),
        ("My phone is an old Nokia", "My phone is a Samsung", False),
        # Nothing in them says that they are of one thing.
        ("Lunch with Petra is cancelled", "Nina called, we go skiing from Friday until Sunday", True),
        ("Der Termin fällt aus", "Freitagabend Essen mit Jonas", True),
    ],
)
def test_values_and_words_in_whose_place_none_are_told_are_lost(older: str, newer: str, loses: bool) -> None:
    assert loses_by_ending(older, newer) is loses


@pytest.mark.parametrize(
    ("older", "newer", "loses"),
    [
        ("I work at Acme since May", "I no longer work at Acme", False),
        ("I work at Acme since May", "I no longer work at Acme, I joined Cardia", False),
        # Something else is denied there.
        ("Imogen is in Year 4", "Imogen began at Parkside, the old place had no places left", True),
        ("My brother-in-law Peter works at Siemens", "Peter no longer works at Siemens", True),
    ],
)
def test_what_is_denied_is_no_loss_but_for_who_somebody_is(older: str, newer: str, loses: bool) -> None:
    assert loses_by_ending(older, newer) is loses


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("My brother-in-law Peter works at Siemens", "Peter now works at Bosch"),
        ("Peter, my brother-in-law, works at Siemens", "Peter now works at Bosch"),
        ("my sister anna lives in berlin", "anna lives in munich now"),
        ("Uncle Ronan drives the minibus", "Ronan drives the van now"),
        ("Our plumber Stan charges 60 an hour", "Stan now charges 75 an hour"),
        ("Stan is our plumber and charges 60 an hour", "Stan charges 75 an hour now"),
        ("My neighbour Sue drives a Golf", "Sue drives a Tesla now"),
        ("Our bassist Kit lives in Leeds", "Kit lives in York now"),
        ("Mein Schwager Peter arbeitet bei Siemens", "Peter arbeitet jetzt bei Bosch"),
        ("unser nachbar klaus fährt einen golf", "klaus fährt jetzt einen tesla"),
        ("Mon beau-frère Luc travaille chez Renault", "Luc travaille maintenant chez Peugeot"),
        ("Nuestra casera Elena vive en Cádiz", "Elena vive ahora en Sevilla"),
        ("Mio cognato Marco lavora alla Fiat", "Marco ora lavora alla Ferrari"),
        ("A minha vizinha Ana tem um gato", "A Ana agora tem um cão"),
        ("Mijn zwager Jan werkt bij Philips", "Jan werkt nu bij ASML"),
        ("Nasz sąsiad Adam jeździ golfem", "Adam jeździ teraz teslą"),
    ],
)
def test_who_somebody_is_is_lost_where_the_newer_does_not_say_it(older: str, newer: str) -> None:
    assert loses_by_ending(older, newer)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Our dentist is Dr Clarke", "Dr Clarke retired, we see Dr Patel now"),
        ("Mi dentista es el doctor Lanza", "Me atiende ahora la doctora Cué, Lanza se jubiló"),
        ("My brother-in-law Peter works at Siemens", "My brother-in-law Peter now works at Bosch"),
        ("Our trainer Gary sits in room 4", "Gary, who does the training, sits in room 5"),
        ("Tom is a student", "Tom is a teacher now"),
    ],
)
def test_where_the_part_itself_is_updated_or_told_again_nothing_is_lost(older: str, newer: str) -> None:
    assert not loses_by_ending(older, newer)


@pytest.mark.parametrize(
    ("other", "loses"),
    [
        ("Peter is my brother-in-law", False),
        ("Tom is my brother-in-law", True),
        ("Peter is not my brother-in-law", True),
        ("Peter plays the cello", True),
    ],
)
def test_what_another_statement_of_the_same_tells_is_no_loss(other: str, loses: bool) -> None:
    older, newer = "My brother-in-law Peter works at Siemens", "Peter now works at Bosch"
    assert loses_by_ending(older, newer, [other]) is loses


def test_each_of_several_others_tells_a_part() -> None:
    older, newer = "My sister Anna sings in the choir and works at Siemens", "Anna now works at Bosch"
    others = ["Anna is my sister", "Anna sings in the choir at St Mary"]
    assert [loses_by_ending(older, newer, some) for some in ([], others[:1], others[1:], others)] == [
        True, True, True, False,
    ]  # fmt: skip


# Of each language an event of a day, what is told beside, and a newer day of it.
_PUT_RIGHT = {
    "en": ("The trip is on {} March {}", "The trip is on {} March now, not the {}",
           ("from Heathrow", "back on 9 January", "at 14:20", "with Ida", "booking KX44P2", "on Monday")),
    "de": ("Die Reise ist am {}. März {}", "Die Reise ist jetzt am {}. März, nicht am {}.",
           ("ab Frankfurt", "zurück am 9. Januar", "um 14:20", "mit Ida", "Buchung KX44P2", "montags")),
    "fr": ("Le voyage est le {} mars {}", "Le voyage est le {} mars maintenant, pas le {}",
           ("de Roissy", "retour le 9 janvier", "à 14h20", "avec Ida", "dossier KX44P2", "lundi")),
    "es": ("El viaje es el {} de marzo {}", "El viaje es ahora el {} de marzo, no el {}",
           ("desde Barajas", "vuelta el 9 de enero", "a las 14:20", "con Ida", "reserva KX44P2", "lunes")),
    "it": ("Il viaggio è il {} marzo {}", "Il viaggio è il {} marzo adesso, non il {}",
           ("da Malpensa", "ritorno il 9 gennaio", "alle 14:20", "con Ida", "codice KX44P2", "lunedì")),
}  # fmt: skip


@given(st.sampled_from(sorted(_PUT_RIGHT)), st.integers(0, 5), st.integers(10, 18), st.integers(19, 28))
def test_a_day_that_is_put_right_loses_whatever_else_was_told(
    language: str, which: int, day: int, new: int
) -> None:
    older, newer, beside = _PUT_RIGHT[language]
    assert loses_by_ending(older.format(day, beside[which]), newer.format(new, day))


@pytest.mark.parametrize("language", sorted(_PUT_RIGHT))
def test_a_day_that_is_put_right_and_was_all_that_was_told_is_no_loss(language: str) -> None:
    older, newer, _ = _PUT_RIGHT[language]
    assert not loses_by_ending(older.format(12, "").strip(), newer.format(19, 12))
