"""Days from one to another, parts of days and weekends, as a text names them: in seven languages."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memcli.text.dates.ahead import days_ahead, weekdays_every_week

_MONDAY = datetime(2026, 11, 30, 9, tzinfo=UTC)
_FRIDAY, _SATURDAY, _SUNDAY = (datetime(2026, 12, day, 9, tzinfo=UTC) for day in (4, 5, 6))


def _named(text: str, said: datetime = _MONDAY, *, told_due: bool = False) -> list[str]:
    return [f"{day.at:%m-%d}..{day.end:%m-%d}" for day in days_ahead(text, said, told_due=told_due)]


@pytest.mark.parametrize(
    "text",
    [
        "Book fair 3–7 December", "The course is between the 3rd and the 7th of December",
        "from 3 to 7 December", "Conference December 3-7 in Lyon", "Trip December 3–7, 2026",
        "from December 3rd to the 7th", "from December 3rd through December 7th",
        "Expo 2026-12-03 to 2026-12-07",
        "Thursday 3 to Monday 7 December", "Die Messe geht vom 3. bis 7. Dezember", "Urlaub 3.–7. Dezember",
        "zwischen dem 3. und dem 7. Dezember", "vom 3.12. bis 7.12. Urlaub", "vom 3.-7.12. Urlaub",
        "von Donnerstag, 3., bis Montag, 7. Dezember", "Le salon a lieu du 3 au 7 décembre",
        "entre le 3 et le 7 décembre", "du 3 au 7/12 congés", "La feria es del 3 al 7 de diciembre",
        "entre el 3 y el 7 de diciembre", "La fiera è dal 3 al 7 dicembre", "tra il 3 e il 7 dicembre",
        "De beurs is van 3 tot 7 december", "van de 3e tot en met de 7e december", "tussen 3 en 7 december",
        "A feira é de 3 a 7 de dezembro", "entre os dias 3 e 7 de dezembro",
        # They begin on a weekday, and none of these is of every week.
        "The fair is from Thursday to Monday", "Von Donnerstag bis Montag ist Oma da",
        "Salon du jeudi au lundi", "La feria es de jueves a lunes", "La fiera è da giovedì a lunedì",
        "De beurs is van donderdag tot maandag", "A feira é de quinta a segunda",
        "von Donnerstagabend bis Montagmittag sind wir weg",
    ],
)  # fmt: skip
def test_all_days_from_one_to_another_are_named(text: str) -> None:
    assert _named(text) == _named(text, told_due=True) == ["12-03..12-07"]
    assert not any(day.by for day in days_ahead(text, _MONDAY))


@pytest.mark.parametrize(
    "text", ["vom 3. bis zum 7. bin ich weg", "du 3 au 7 je suis absent", "3.–7.12. Urlaub"]
)
def test_numbers_alone_want_a_text_that_tells_of_what_is_due(text: str) -> None:
    assert _named(text) == [] and _named(text, told_due=True) == ["12-03..12-07"]


@pytest.mark.parametrize(
    ("text", "said", "days"),
    [
        # What has begun is not over.
        ("3–7 December", _SATURDAY, "12-03..12-07"),
        ("December 3–7", _SATURDAY, "12-03..12-07"),
        ("from December 3rd to the 7th", _SATURDAY, "12-03..12-07"),
        ("vom 28. November bis 6. Dezember", _SATURDAY, "11-28..12-06"),
        ("28.–6. Dezember", _SATURDAY, "11-28..12-06"),
        ("28 December to 3 January", datetime(2027, 1, 2, 9, tzinfo=UTC), "12-28..01-03"),
        ("from Friday to next Tuesday", _MONDAY, "12-04..12-08"),
        ("von morgen bis Freitag", _MONDAY, "12-01..12-04"),
    ],
)
def test_dates_are_those_of_what_is_not_over_and_weekdays_begin_ahead(
    text: str, said: datetime, days: str
) -> None:
    assert _named(text, said) == [days]


@pytest.mark.parametrize(
    "text",
    [
        "The standup moved from Monday to Tuesday", "Termin von Montag auf Dienstag verschoben",
        "réunion déplacée du lundi au mardi", "cita cambiada del lunes al martes",
        "riunione spostata da lunedì a martedì", "reunião mudada de segunda para terça",
        "afspraak verplaatst van maandag naar dinsdag",
        "The dentist was moved from 30 November to 1 December",
        "Termin vom 30. November auf den 1. Dezember verschoben",
        "cita trasladada del 30 de noviembre al 1 de diciembre",
    ],
)  # fmt: skip
def test_what_was_moved_from_one_day_to_another_is_on_the_latter(text: str) -> None:
    assert _named(text, told_due=True) == ["12-01..12-01"]
    assert not any(day.by for day in days_ahead(text, _MONDAY, told_due=True))


@pytest.mark.parametrize(
    ("text", "weekdays"),
    [
        ("The shop is open from Tuesday to Saturday", {1, 2, 3, 4, 5}),
        ("Der Markt ist von Samstag bis Montag geöffnet", {5, 6, 0}),
        ("Le musée est ouvert du mercredi au dimanche", {2, 3, 4, 5, 6}),
        ("I work Tuesday to Thursday", {1, 2, 3}),
        ("Standup from Monday to Friday", {0, 1, 2, 3, 4}),
        ("aberto de segunda a sexta", {0, 1, 2, 3, 4}),
    ],
)
def test_opening_hours_and_the_working_week_are_of_every_week(text: str, weekdays: set[int]) -> None:
    assert not _named(text) and weekdays_every_week(text) == weekdays
    assert all(day.weekly for day in days_ahead(text, _MONDAY, told_due=True))


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("Dinner December 3 - 5 people", ["12-03..12-03"]),
        ("Dinner December 3 to 7 people", ["12-03..12-03"]),
        ("Meeting December 3, 5-7 pm", ["12-03..12-03"]),
        ("Dinner 5 December - 7 pm", ["12-05..12-05"]),
        ("Between 3 and 7 people come on Friday", ["12-04..12-04"]),
        ("Open from 5 to 7 on Friday", ["12-04..12-04"]),
        ("On 3 December and 7 December", ["12-03..12-03", "12-07..12-07"]),
        ("The fair was from Thursday to Sunday", []),
        ("Mondays to Thursdays 9 to 5", []),
        ("the 5th–31st of June", []),
    ],
)
def test_what_only_looks_like_days_from_one_to_another_is_none(text: str, days: list[str]) -> None:
    assert _named(text, told_due=True) == days


@pytest.mark.parametrize(
    "text",
    [
        "Zahnarzt Dienstagvormittag", "Zahnarzt am Dienstagnachmittag", "Dienstag morgen Arzt",
        "Dienstag früh Arzt", "Dienstagabend Kino", "dentiste mardi matin", "dîner mardi soir",
        "dentista el martes por la tarde", "martes por la mañana dentista", "dentista martedì mattina",
        "dentista na terça de manhã", "terça à noite jantar", "tandarts dinsdagochtend",
        "dinsdagavond eten met Els", "Dentist on Tuesday-evening", "Dinner Tuesday night",
        "morgen früh Tierarzt", "morgenochtend tandarts", "mañana por la mañana dentista",
        "Zahnarzt Dienstagvormittag, 1. Dezember", "dentiste mardi matin 1er décembre",
    ],
)  # fmt: skip
def test_a_part_of_a_day_is_of_that_day(text: str) -> None:
    assert _named(text, told_due=True) == ["12-01..12-01"]


@pytest.mark.parametrize("text", ["Freitagabends Chor", "vrijdagavonds koor", "Choir Friday evenings"])
def test_a_part_of_a_day_may_be_of_every_week(text: str) -> None:
    assert _named(text, told_due=True) == [] and weekdays_every_week(text) == {4}


@pytest.mark.parametrize(
    "text", ["Freitagnachmittagskurs", "guten Morgen", "la mañana", "carro de segunda mão"]
)
def test_what_holds_the_name_of_a_day_names_none(text: str) -> None:
    assert _named(text, told_due=True) == []


@pytest.mark.parametrize("said", [_FRIDAY, _SATURDAY, _SUNDAY])
@pytest.mark.parametrize(
    "text",
    [
        "Hike this weekend", "Wandern am Wochenende", "dieses Wochenende wandern", "randonnée ce week-end",
        "excursión este fin de semana", "gita questo fine settimana", "wandelen dit weekend",
        "caminhada neste fim de semana",
    ],
)  # fmt: skip
def test_this_weekend_is_the_one_that_is_on(text: str, said: datetime) -> None:
    assert _named(text, said, told_due=True) == ["12-05..12-06"]


@pytest.mark.parametrize("said", [_SATURDAY, _SUNDAY])
@pytest.mark.parametrize(
    "text",
    [
        "Hike next weekend", "Wandern nächstes Wochenende", "kommendes Wochenende wandern",
        "randonnée le week-end prochain", "excursión el próximo fin de semana",
        "excursión el fin de semana que viene", "gita il prossimo fine settimana", "wandelen volgend weekend",
        "caminhada no próximo fim de semana", "this coming weekend",
    ],
)  # fmt: skip
def test_the_next_weekend_is_none_that_is_on(text: str, said: datetime) -> None:
    assert _named(text, said, told_due=True) == ["12-12..12-13"]
    [due] = days_ahead("Finish the report by the weekend", said)
    assert due.by and f"{due.at:%m-%d}" == "12-12"
