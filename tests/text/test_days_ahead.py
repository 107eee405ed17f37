"""The days ahead that a text names: of what is due a month, a number or the weekend alone is enough."""

from __future__ import annotations

from datetime import UTC, datetime

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
