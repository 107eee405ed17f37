"""What frequent words mean: one sense in all languages, and a lexicon that is whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from memcli.text.semantics import senses
from memcli.text.semantics.senses import name_of, sense_features, senses_of

_LANGUAGES = 8


@pytest.mark.parametrize(
    ("sense", "words"),
    [
        ("day", ["friday", "freitag", "vendredi", "viernes", "venerdì", "domingo", "vrijdag", "piątku"]),
        ("by", ["until", "bis", "avant", "antes", "entro", "até", "tegen", "przed"]),
        ("promise", ["promised", "versprochen", "promis", "prometí", "promesso", "beloofd", "obiecałem"]),
        ("every", ["every", "jeden", "chaque", "cada", "ogni", "cada", "elke", "każdy"]),
        ("number", ["5", "00", "three", "drei", "trois", "tres", "tre", "três"]),
        ("past", ["moved", "gegangen", "compté", "llegó", "andato", "comprou", "maakte", "pracowałem"]),
    ],
)  # fmt: skip
def test_a_sense_is_one_in_all_languages(sense: str, words: list[str]) -> None:
    assert [word for word in words if sense not in senses_of(word)] == []


def test_a_text_is_read_as_senses_in_their_order() -> None:
    features = {*map(name_of, sense_features(["pay", "until", "friday"]))}
    assert {"sense deed", "senses by, day", "senses by with day", "senses deed, then day"} <= features
    assert features == {*map(name_of, sense_features(["send", "before", "monday"]))}
    assert sense_features(["xyzzy"]) == []


def test_each_line_has_a_part_for_each_language() -> None:
    text = Path(senses.__file__).with_name("senses.txt").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert [line for line in lines if line.count(" = ") != 1 or line.count("|") != _LANGUAGES - 1] == []
    named = [line.split(" = ")[0] for line in lines]
    assert len(named) == len(set(named)) > 50


def test_a_future_is_told_by_no_name_or_noun_that_ends_as_a_french_one() -> None:
    over = (
        "Moira paid me back", "Saira brought the key back", "saira called", "Paid for the camera",
        "Barbara hat das Paket gebracht", "Moira m'a rendu les 20 euros", "Moira ha pagado la cena",
        "Laura ha comprato il regalo", "Petra heeft betaald", "I bought extra milk",
    )  # fmt: skip
    ahead = (
        "Moira will pay me back", "Moira apportera le gâteau", "On finira le mur samedi",
        "Je paierai la facture", "Vous recevrez un colis", "Moira pagará la cena", "Laura pagherà domani",
        "A Saira vai pagar",
    )  # fmt: skip
    assert [text for text in over if senses.tells_ahead(text)] == []
    assert [text for text in ahead if not senses.tells_ahead(text)] == []


def test_is_with_a_participle_tells_what_is_so_but_of_who_went_or_did_something_to_themselves() -> None:
    so = (
        "Das Essen ist gebucht", "Le dîner est déjà réservé", "Les billets sont achetés",
        "De tafel is gereserveerd",
        "L'albergo è pagato", "Dinner is confirmed",
    )  # fmt: skip
    over = (
        "Oma ist gefallen", "Elle est arrivée tard", "Elle s'est cassé le bras", "Hij is gisteren vertrokken",
        "È arrivata", "Wir haben gebucht", "J'ai réservé le dîner",
    )  # fmt: skip
    assert [text for text in so if senses.tells_of_past(text)] == []
    assert [text for text in over if not senses.tells_of_past(text)] == []
    # What is so is done.
    assert all(map(senses.tells_done, ("La facture est payée", "Das Essen ist gebucht")))
