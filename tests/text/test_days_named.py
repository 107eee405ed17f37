"""Days by other names, in lists and ranges, and as others tell of them: in seven languages."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memcli.text.dates.ahead import days_ahead
from memcli.text.dates.ahead_asked import spans_asked
from memcli.text.dates.ahead_names import with_days_named
from memcli.text.question import understand_question

# A Wednesday.
_NOW = datetime(2026, 12, 2, 9, tzinfo=UTC)
_SUNDAY = datetime(2026, 12, 6, 9, tzinfo=UTC)


def _named(text: str, said: datetime = _NOW, *, told_due: bool = True) -> list[str]:
    return [
        f"{day.at:%m-%d}" + (f"..{day.end:%m-%d}" if day.last else "")
        for day in days_ahead(text, said, told_due=told_due)
    ]


def _asked(question: str) -> list[str]:
    asked = understand_question(question, (), _NOW)
    return [f"{span.start:%m-%d}" for span in spans_asked(asked.text, _NOW, asked.statement, asked.dates)]


@pytest.mark.parametrize(
    "text",
    [
        "Exams 7, 8 and 10 December",
        "Exams on December 7, 8 and 10",
        "Exams on the 7th, 8th and 10th of December",
        "Exams on 7, 8, 10 December",
        "Prüfungen am 7., 8. und 10. Dezember",
        "Prüfungen am 7., 8. und 10.12.",
        "Examens les 7, 8 et 10 décembre",
        "Exámenes los días 7, 8 y 10 de diciembre",
        "Esami il 7, l'8 e il 10 dicembre",
        "Exames a 7, 8 e 10 de dezembro",
        "Examens op 7, 8 en 10 december",
    ],
)
def test_each_day_of_a_list_is_named(text: str) -> None:
    assert _named(text) == ["12-07", "12-08", "12-10"]


def test_the_days_of_a_list_are_of_one_month_and_year() -> None:
    assert _named("Prüfungen am 7., 8. und 10. Januar") == ["01-07", "01-08", "01-10"]
    days = days_ahead("Exams on 7 and 8 December 2027", _NOW)
    assert [(day.at.year, day.at.day) for day in days] == [(2027, 7), (2027, 8)]


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("Flat 12 and 10 December", ["12-10"]),
        ("Room 7, 10 December", ["12-10"]),
        ("December 7 and 8 people come", ["12-07"]),
        ("December 7, 8 pm", ["12-07"]),
    ],
)
def test_other_numbers_beside_a_date_name_no_day(text: str, days: list[str]) -> None:
    assert _named(text) == days


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("Do bis So Messe", "12-03..12-06"),
        ("Messe Do-So", "12-03..12-06"),
        ("Trade fair Thu–Sun", "12-03..12-06"),
        ("Thurs. to Sun. in Rome", "12-03..12-06"),
        ("jeu-dim à Lyon", "12-03..12-06"),
        ("jue-dom en Soria", "12-03..12-06"),
        ("gio-dom a Roma", "12-03..12-06"),
        ("qui a dom em Faro", "12-03..12-06"),
        ("do t/m zo in Gent", "12-03..12-06"),
        # Of one week: all workdays alone are those of every week.
        ("Conference Mon–Wed", "12-07..12-09"),
        ("In Berlin Monday through Wednesday", "12-07..12-09"),
        ("Mo bis Mi in Berlin", "12-07..12-09"),
        ("Lunes a miércoles en Madrid", "12-07..12-09"),
        ("In Berlin next Monday to Friday", "12-07..12-11"),
    ],
)
def test_days_from_one_to_another_may_be_abbreviated_and_are_of_one_week(text: str, days: str) -> None:
    assert _named(text) == [days]
    assert not any(day.weekly for day in days_ahead(text, _NOW, told_due=True))


@pytest.mark.parametrize(
    "text", ["Open Mon–Fri", "I work Monday to Friday", "Geöffnet Mo–Do", "Shop hours Mon to Wed"]
)
def test_workdays_and_hours_of_opening_are_of_every_week(text: str) -> None:
    assert all(day.weekly for day in days_ahead(text, _NOW, told_due=True))


@pytest.mark.parametrize(
    "text",
    ["Do-it-yourself", "Was soll ich tun, so geht das", "what to do until so", "qui e qua", "Sun is out"],
)
def test_words_that_look_like_abbreviations_are_none(text: str) -> None:
    assert _named(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Skiing 28 December to 3 January",
        "Skiing Dec 28–Jan 3",
        "28/12–3/1 ski",
        "12/28–1/3 skiing",
        "Ski vom 28.12. bis zum 3.1.",
        "du 28/12 au 3/1 au ski",
        "Ski vom 28. Dezember bis 3. Januar",
    ],
)
def test_days_go_on_across_the_end_of_a_year(text: str) -> None:
    assert _named(text) == ["12-28..01-03"]


_EVES = {
    "12-24": (
        "Christmas Eve",
        "Heiligabend",
        "veille de Noël",
        "Nochebuena",
        "vigilia di Natale",
        "véspera de Natal",
        "Kerstavond",
    ),
    "12-25": (
        "Christmas Day",
        "1. Weihnachtstag",
        "jour de Noël",
        "Día de Navidad",
        "giorno di Natale",
        "dia de Natal",
        "Eerste Kerstdag",
    ),
    "12-26": ("Boxing Day", "zweiter Weihnachtsfeiertag", "Santo Stefano", "Tweede Kerstdag"),
    "12-31": (
        "New Year's Eve",
        "Silvester",
        "Saint-Sylvestre",
        "Nochevieja",
        "San Silvestro",
        "véspera de Ano Novo",
        "Oudejaarsavond",
        "Oud en nieuw",
    ),
    "01-01": (
        "New Year’s Day",
        "Neujahr",
        "jour de l'an",
        "Año Nuevo",
        "Capodanno",
        "Ano Novo",
        "Nieuwjaarsdag",
    ),
}


@pytest.mark.parametrize("day", _EVES)
def test_a_holiday_is_a_day_in_notes_and_questions(day: str) -> None:
    for name in _EVES[day]:
        assert _named(f"{name}: Anna") == _named(f"Anna, {name}") == [day], name
    for name in _EVES[day]:
        assert _asked(f"what is on {name}?") == [day], name


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("Christmas at Mum's", ["12-25"]),
        ("home for Christmas", ["12-25"]),
        ("an Weihnachten in Wien", ["12-25"]),
        ("Noël chez mamie", ["12-25"]),
        ("Navidad con mi madre", ["12-25"]),
        ("A Natale da nonna", ["12-25"]),
        ("Kerst bij oma", ["12-25"]),
        ("Heiligabend bis Silvester in den Bergen", ["12-24..12-31"]),
        # A time of the year, a word before others, a name, and what is so each year.
        ("The Christmas tree is in the cellar", []),
        ("I love Christmas", []),
        ("Noel in Paris", []),
        ("Every Christmas Eve we eat fish", []),
        ("Last Christmas I was in Rome", []),
    ],
)
def test_christmas_is_a_day_where_it_is_no_time_word_or_name(text: str, days: list[str]) -> None:
    assert _named(text) == days


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("Hiking the weekend after next", "12-19..12-20"),
        ("Wandern am übernächsten Wochenende", "12-12..12-13"),
        ("Rando le week-end d'après", "12-12..12-13"),
        ("El finde que viene no, el otro, vamos a Ronda", "12-12..12-13"),
    ],
)
def test_the_weekend_after_next_is_behind_the_next(text: str, days: str) -> None:
    assert _named(text, told_due=False) == [days]


@pytest.mark.parametrize(
    "text",
    [
        "Mum said the party is on Saturday",
        "Anna told me that the concert is on Saturday at 8",
        "Heard that school starts later on Saturday",
        "Ben let me know the game is on Saturday",
        "We now meet at the library on Saturday",
        "Wir treffen uns jetzt am Samstag",
        "Nos vemos ahora el sábado",
        "We zien elkaar nu op zaterdag",
        "The meeting got moved to Saturday",
    ],
)
def test_what_somebody_said_is_on_a_day_or_is_so_now_is_ahead(text: str) -> None:
    assert _named(text, told_due=False) == ["12-05"]


@pytest.mark.parametrize(
    "text",
    ["Mum said she bought shoes on Saturday", "Tom told me a joke on Saturday", "I met Tom on Saturday"],
)
def test_what_somebody_said_was_is_not(text: str) -> None:
    assert _named(text) == []


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Concert moved to Sunday", "12-13"),
        ("Konzert auf Sonntag verschoben", "12-13"),
        ("Concierto aplazado al domingo", "12-13"),
        ("Concert moved to this Sunday", "12-06"),
        ("Concert today moved to Sunday", "12-06"),
        ("Concert on Sunday", "12-06"),
    ],
)
def test_what_is_moved_on_a_sunday_to_sunday_is_on_the_next(text: str, day: str) -> None:
    assert _named(text, _SUNDAY)[-1] == day


def test_other_names_leave_all_else_as_it_is() -> None:
    assert with_days_named("Café, so what’s on, Sun?") == "cafe, so what's on, sun?"
