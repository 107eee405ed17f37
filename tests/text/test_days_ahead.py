"""The days ahead that a text names: of what is due a month, a number or the weekend alone is enough."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from memcli.text.dates.ahead import days_ahead

# A Monday.
_SAID = datetime(2026, 11, 23, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "day", "by"),
    [
        ("El contrato vence a finales de junio", "2027-06-30", False),
        ("My revalidation is due in March, 450 hours logged", "2027-03-01", True),
        ("The tax return, by the end of November", "2026-11-30", True),
        ("De investeerders komen de 14e", "2026-12-14", False),
        ("Bis zum 30. melden", "2026-11-30", True),
        ("Te lo devuelvo antes del 22", "2026-12-22", True),
        ("Ende Mai drei Tage Wien", "2027-05-31", False),
        ("Mid February the plumber comes", "2027-02-15", False),
        ("Am Wochenende zu Debbie", "2026-11-28", False),
        ("Return the books by March 3", "2027-03-03", True),
        ("Le 12 mai chez le notaire", "2027-05-12", False),
    ],
)
def test_what_is_told_to_be_due_names_its_day(text: str, day: str, by: bool) -> None:
    found = days_ahead(text, _SAID, told_due=True)
    assert [each.at.date().isoformat() for each in found] == [day]
    assert found[0].by is by


@pytest.mark.parametrize(
    "text",
    [
        "The shop is quiet in March",
        "Im September ist es noch warm",
        "Rooms on the 3rd are dearer",
        "The gym is full at the weekend",
    ],
)
def test_a_month_a_number_or_the_weekend_alone_may_be_of_any_time(text: str) -> None:
    assert days_ahead(text, _SAID) == []


@pytest.mark.parametrize(
    ("text", "day", "by"),
    [
        ("Steuer bis 30.11. abgeben", "2026-11-30", True),
        ("Rückgabe am 1.12.", "2026-12-01", False),
        ("bis zum 3.1.27 zahlen", "2027-01-03", True),
        ("Contract ends 30.11. 2026", "2026-11-30", False),
        ("Rendez-vous le 5/12 à Lyon", "2026-12-05", False),
        ("pagar el recibo antes del 30/11", "2026-11-30", True),
        # The month first, or the day: whichever can be.
        ("submit by 11/30", "2026-11-30", True),
        ("dentist on 26/11 at 9", "2026-11-26", False),
        ("by month's end", "2026-11-30", True),
    ],
)
def test_a_day_in_numbers_is_read_where_something_leads_to_it(text: str, day: str, by: bool) -> None:
    assert days_ahead(text, _SAID) == days_ahead(text, _SAID, told_due=True)
    [found] = days_ahead(text, _SAID)
    assert (found.at.date().isoformat(), found.by) == (day, by)


def test_a_day_in_numbers_alone_wants_a_text_that_tells_of_what_is_due() -> None:
    for text, day in (("Fr 27.11. Zahnarzt", "2026-11-27"), ("MOT 27/11", "2026-11-27")):
        assert days_ahead(text, _SAID) == []
        assert [each.at.date().isoformat() for each in days_ahead(text, _SAID, told_due=True)] == [day]


@pytest.mark.parametrize(
    "text",
    ["by 3/4 of them", "by 3/4", "on 15/20 machines", "open 24/7", "at 10.30. sharp", "10.1.20.3", "5/12%"],
)
def test_numbers_that_may_be_two_days_or_none_are_none(text: str) -> None:
    assert days_ahead(text, _SAID, told_due=True) == []


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("The roofer comes Thursday 3 December", "2026-12-03"),
        ("Le plombier vient jeudi 3 décembre", "2026-12-03"),
        ("De loodgieter komt donderdag 3 december", "2026-12-03"),
        ("Der Maler kommt am Donnerstag, 3.12.", "2026-12-03"),
        ("La peluquera viene el jueves 3", "2026-12-03"),
        ("L'idraulico viene giovedì 3 alle 15", "2026-12-03"),
        ("Dentista na quinta-feira, 3 de dezembro", "2026-12-03"),
        ("Der Schreiner kommt Donnerstag, den 3.", "2026-12-03"),
        ("The glazier comes on Thursday the 3rd", "2026-12-03"),
        ("Tandarts donderdag de 3e", "2026-12-03"),
        ("Submit the form by Thursday, December 10", "2026-12-10"),
        ("Dentist December 10, a Thursday", "2026-12-10"),
        ("Zahnarzt am 3. Dezember, einem Donnerstag", "2026-12-03"),
        ("Dentiste le 3 décembre (jeudi)", "2026-12-03"),
        # The weekday says which of two days it is.
        ("Dentist Thursday 3/12", "2026-12-03"),
        ("Dentist Thursday 12/3", "2026-12-03"),
        ("Dentist Thursday week", "2026-12-03"),
        ("Vet a week on Thursday", "2026-12-03"),
        ("Dentist Thursday in two weeks", "2026-12-10"),
        ("Besuch von Eva übernächsten Donnerstag", "2026-12-03"),
        ("Zahnarzt nächste Woche Donnerstag", "2026-12-03"),
        ("Dentiste jeudi de la semaine prochaine", "2026-12-03"),
        ("El dentista el jueves de la semana que viene", "2026-12-03"),
        ("Tomorrow, 25 November, the dentist", "2026-11-25"),
    ],
)
def test_a_weekday_beside_a_date_or_a_week_is_of_that(text: str, day: str) -> None:
    said = _SAID + timedelta(days=1)
    found = days_ahead(text, said)
    assert [each.at.date().isoformat() for each in found] == [day]
    assert days_ahead(text, said, told_due=True) == found


@pytest.mark.parametrize(
    "text",
    [
        "Dentist Thursday 3pm",
        "Dentist Thursday at 3",
        "Zahnarzt Donnerstag 15 Uhr",
        "Dentiste jeudi 15h",
        "Open Thursday from 3 to 5",
        "Dinner Thursday, 12 people",
        "Cena giovedì 8 persone",
        "Donnerstag 12. Stock besichtigen",
        "Thursday shelf 12 arrives",
    ],
)
def test_an_hour_or_what_is_counted_behind_a_weekday_is_no_date(text: str) -> None:
    assert [each.at.date().isoformat() for each in days_ahead(text, _SAID, told_due=True)] == ["2026-11-26"]


@pytest.mark.parametrize(
    "text",
    [
        "The shop opens on Mondays",
        "Jeden Donnerstag 3 Stunden Chor",
        "Every Thursday the 3rd graders come",
        "Shelf 12",
    ],
)
def test_a_habit_or_a_number_alone_is_no_day_ahead(text: str) -> None:
    assert days_ahead(text, _SAID, told_due=True) == []
