"""What a later note says of a plan or an errand: off, moved to another day, done, or nothing."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memcli.text.semantics.plan_outcomes import Told, is_carried_out, is_moved, is_off

# A Saturday and a Sunday.
_BEFORE, _NOW = (datetime(2026, 11, day, 16, tzinfo=UTC) for day in (28, 29))


def _told(newer: str, older: str) -> list[str]:
    new, old = Told(newer, _NOW), Told(older, _BEFORE)
    said = {"off": is_off(new, old), "moved": is_moved(new, old), "done": is_carried_out(new, old)}
    return [what for what, so in said.items() if so]


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (
            "Piano lesson with Herr Brandt on 3 December",
            "Herr Brandt is ill, there's no piano lesson on Thursday",
        ),
        ("Sunday roast at Aunt Jean's on 6 December", "Aunt Jean can't have us on 6 December"),
        ("The Wilsons are coming for dinner on 5 December", "The Wilsons can't make Saturday"),
        (
            "Moira is coming to stay from 4 to 7 December",
            "Moira isn't coming on the 4th after all, she is ill",
        ),
        ("Meeting at the harbour office on 8 December", "The harbour office has called off our meeting"),
        ("Cena con los Ortega el viernes 4 de diciembre", "Los Ortega no vienen el viernes"),
        ("Capodanno a Courmayeur, dal 30 dicembre al 3 gennaio", "Niente più Courmayeur a Capodanno"),
    ],
)
def test_a_plan_is_off(older: str, newer: str) -> None:
    assert _told(newer, older) == ["off"]


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Flying to Lisbon with Callum on 3 March, BA2761", "The Lisbon flight has been moved to 5 March"),
        (
            "Dentist for Rory on Thursday 10 December",
            "Dentist rang: Rory's appointment is now Tuesday 15 December",
        ),
        ("Optician on Tuesday 8 December", "Optician called, I'm down for Thursday 10 December instead"),
        (
            "Zahnarzt am Dienstag, 8. Dezember",
            "Der Zahnarzt hat angerufen, der Termin ist jetzt am 10. Dezember",
        ),
        (
            "Dentiste mardi 8 décembre à 10 h",
            "Le dentiste a appelé, le rendez-vous est maintenant le 10 décembre",
        ),
        ("Visita dal dermatologo l'8 dicembre", "Il dermatologo ha spostato la visita al 10 dicembre"),
    ],
)
def test_a_plan_is_moved(older: str, newer: str) -> None:
    assert _told(newer, older) == ["moved"]


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Need to buy stamps by Friday", "Bought the stamps"),
        ("Must order 6 kg of epoxy from Robbins before 2 December", "Epoxy ordered from Robbins"),
        ("Car tax is £190 and due on 5 December", "Car tax paid"),
        ("I promised Mrs Hartnell photos of the ribs by Friday", "Sent Mrs Hartnell the rib photos"),
        ("Renew the passport by 29 November", "Passport renewal is done"),
        ("Muss bis 4. Dezember die Winterreifen bestellen", "Winterreifen bestellt"),
        ("Il faut acheter des timbres avant le 4 décembre", "Timbres achetés"),
        ("Tengo que devolver los libros antes del 4 de diciembre", "Libros devueltos"),
        ("Ho promesso a Rosanna di montarle la tenda entro domenica", "Montata la tenda a Rosanna"),
    ],
)
def test_an_errand_is_done(older: str, newer: str) -> None:
    assert _told(newer, older) == ["done"]


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        # Another's, another thing, another day.
        ("Dentist for Rory on Thursday 10 December", "Ife's dentist is now on Tuesday 15 December"),
        ("Dinner with Tom on Friday 4 December", "Dinner with Ana is cancelled"),
        ("Moira is coming from 4 to 7 December", "Ben isn't coming on the 5th"),
        ("Choir concert on Saturday 12 December", "No choir practice this Thursday"),
        ("Zahnarzt am Dienstag, 8. Dezember", "Der Tierarzt ist jetzt am Donnerstag, 10. Dezember"),
        # Something is said of one who comes, or of the place.
        ("Dinner with Tom on Friday 4 December", "Tom doesn't eat fish"),
        ("Sunday roast at Aunt Jean's on 6 December", "Aunt Jean can't drive at night"),
        ("Concert in the park on 5 December", "The park is closed for the winter now"),
        ("Meeting with Kim on Wednesday 9 December", "Kim called off her engagement"),
        ("Cena da Davide sabato 5 dicembre", "Davide non mangia il pesce"),
        # Something else was done, or by another.
        ("Need to buy stamps by Friday", "Bought wrapping paper"),
        ("Need to buy stamps by Friday", "The stamps cost 80 cents"),
        ("I have to send Ana the invoice by Friday", "Ana sent the invoice back"),
        ("I have to send Ana the invoice by Friday", "Sent Ana the photos"),
        ("Need to buy stamps by Friday", "I will have bought the stamps"),
        ("Devo comprare i francobolli entro venerdì", "Comprato il pane"),
    ],
)
def test_what_stands_beside_a_plan_says_nothing_of_it(older: str, newer: str) -> None:
    assert _told(newer, older) == []


def test_what_is_so_every_week_is_off_on_the_day_that_is_asked_for() -> None:
    from memcli.text.dates.ahead_spans import span_named

    older, newer = (
        Told("Choir practice is Thursdays at 7.30", _BEFORE),
        Told("No choir practice this Thursday", _NOW),
    )
    days = [span_named(day, _NOW, ahead=True) for day in ("3 December", "10 December")]
    assert [is_off(newer, older, [day]) for day in days if day] == [True, False]
