"""Days as people write them in short, in seven languages, and what only looks like one."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memcli.text.dates.ahead import days_ahead, weekdays_every_week
from memcli.text.dates.ahead_lapsing import lapses
from memcli.text.dates.ahead_names import with_days_named
from memcli.text.dates.ahead_other_weekday import other_weekday
from memcli.text.dates.ahead_short import spelt_out

# A Monday.
_SAID = datetime(2026, 11, 9, 9, tzinfo=UTC)


def _named(text: str, *, told_due: bool = True) -> list[str]:
    return [f"{each.at:%m-%d}" for each in days_ahead(text, _SAID, told_due=told_due)]


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("rm 4 dressing change tmrw", "11-10"),
        ("2moro dentist", "11-10"),
        ("call plumber fri am", "11-13"),
        ("meeting w/ kate wed 10am", "11-11"),
        ("cath change rm 9 due thurs", "11-12"),
        ("dc postponed to mon, chest inf", "11-16"),
        ("i do hers sat 21", "11-21"),
        ("cpr refresher wed 25/11 0900", "11-25"),
        ("send it by EOD friday", "11-13"),
        ("Rechnung Huber bis Mi.", "11-11"),
        ("invoice Meier rausschicken bis Do", "11-12"),
        ("Elternabend Do 19 Uhr", "11-12"),
        ("Termin am Di, Zimmer 3", "11-10"),
        ("envoyer le devis avant ven.", "11-13"),
        ("RDV dentiste jeu 15h", "11-12"),
        ("entregar el informe antes del vie", "11-13"),
        ("entro ven. mandare il preventivo", "11-13"),
        ("dentista gio alle 15", "11-12"),
        ("entregar até sex.", "11-13"),
        ("consulta qui 15h", "11-12"),
        ("rapport inleveren voor vr", "11-13"),
        ("tandarts do 15 uur", "11-12"),
        ("fire drill sometime next wk", "11-16"),
    ],
)
def test_a_short_day_is_one_where_something_tells_so(text: str, day: str) -> None:
    assert _named(text) == [day]


@pytest.mark.parametrize(
    "text",
    [
        "I am so happy.", "I can do 10:30", "So 10:30 works for me", "the sun is out", "I sat 3 exams",
        "I sat by the sun", "Tot zo!", "Dit is voor ma", "le jeu est fini", "il mare", "para ter dinheiro",
        "mon ami vient", "karta pobytu ważna do lata", "the file is a .fri", "protect from sun",
    ],
)  # fmt: skip
def test_other_words_are_no_short_days(text: str) -> None:
    assert _named(text) == []
    assert spelt_out(text) == text


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("parking permit runs out 13.11 renew!!", "11-13"),
        ("gültig bis 31.12", "12-31"),
        # Where the month might come first, the day does.
        ("pay electricity bill by 12/11", "11-12"),
        ("due 11/12", "12-11"),
        ("GLS invoice due 11th", "11-11"),
        ("hand it in by the 14th", "11-14"),
        ("Steuererklärung bis Monatsende", "11-30"),
        ("Miete überweisen bis Ende des Monats", "11-30"),
        ("payer avant la fin de mois", "11-30"),
        ("pagar antes de finales de mes", "11-30"),
        ("entro fine mese", "11-30"),
        ("até ao final do mês", "11-30"),
        ("voor eind van de maand", "11-30"),
        ("due eom", "11-30"),
        ("bis Jahresende kündigen", "12-31"),
    ],
)
def test_a_day_by_which_something_is_due_needs_no_judge(text: str, day: str) -> None:
    assert _named(text, told_due=False) == [day]


@pytest.mark.parametrize(
    "text",
    ["price fell by 13.11", "bis 13.11 Uhr", "by 9.10", "up by 3/4", "gültig bis 12.10 €", "costs 13.11"],
)
def test_a_number_that_is_no_day_is_none(text: str) -> None:
    assert _named(text) == []


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("linen delivery now tue+fri not mon", {1, 4}),
        ("Wäsche kommt jetzt Di + Fr", {1, 4}),
        ("yoga is now on Tuesday and Friday", {1, 4}),
        ("choir now on Tuesday", set()),
        ("we now meet next Tuesday and Friday", set()),
    ],
)
def test_several_weekdays_from_now_on_are_a_habit(text: str, days: set[int]) -> None:
    assert weekdays_every_week(text) == days
    assert bool(_named(text)) is not bool(days)


@pytest.mark.parametrize(
    ("text", "lasting"),
    [
        ("Ferran is off until Friday", True),
        ("Chefin bis Freitag nicht da", True),
        ("cerrado hasta el viernes", True),
        ("fermé jusqu'à vendredi", True),
        ("está de férias até sexta", True),
        ("send the slides by Friday", False),
        ("Rechnung bis Freitag", False),
        ("Das muss bis Freitag fertig sein", False),
        ("I have to finish it until Friday", False),
    ],
)
def test_until_a_day_something_is_so_or_to_be_done(text: str, lasting: bool) -> None:
    assert [each.lasting for each in days_ahead(text, _SAID)] == [lasting]


def test_a_weekday_beside_a_date_that_is_over_is_no_slip() -> None:
    late = datetime(2026, 11, 26, 9, tzinfo=UTC)
    for text in ("release slips to Tuesday 24 November", "rendez-vous mardi 24 novembre"):
        assert other_weekday(text, late) is None
    slip = other_weekday("Party on Thursday 4 December", late)
    assert slip is not None and slip.taken == slip.date
    # Half a year ago is not what is meant.
    assert other_weekday("see you Monday 5 January", late) is not None


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Mo is on call this week", "11-16"),
        ("Tom is on a trip to Lyon this week, back Friday", "11-16"),
        ("Ferran is off until the 23rd, Priya covers webhooks", "11-24"),
        ("Frau Petri ist krank, diese Woche keine Flöte", "11-16"),
        ("the pool is closed from 9 to 15 November", "11-16"),
        ("Papa est en déplacement cette semaine", "11-16"),
        ("La biblioteca está cerrada hasta el viernes", "11-14"),
        ("Giulia è in ferie questa settimana", "11-16"),
        ("O João está de férias até sexta", "11-14"),
        ("Sanne is deze week vrij", "11-16"),
        # What lasts, is every week, or is to be done, says of no end.
        ("Lukas starts at Bosch this week", None),
        ("Nina zieht diese Woche um", None),
        ("yoga every Friday", None),
        ("send the slides by Friday", None),
        ("Anna's birthday is on 5 December", None),
        ("staging listens on 8085", None),
    ],
)
def test_until_when_something_is_so(text: str, day: str | None) -> None:
    ends = lapses(text, _SAID)
    assert (ends and f"{ends:%m-%d}") == day


def test_what_is_written_out_stays_as_it_is() -> None:
    assert with_days_named("Call Tom on Friday") == "call tom on friday"
