"""The days ahead that a text names: of what is due a month, a number or the weekend alone is enough."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from memcli.text.dates.ahead import days_ahead, weekdays_every_week
from memcli.text.dates.ahead_other_weekday import other_weekday

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
        "The book club meets on the second Thursday of the month",
        "Il gruppo di lettura si vede il secondo giovedì del mese",
        "Le conseil se réunit le premier mardi du mois", "el primer martes de cada mes hay mercado",
        "De eerste dinsdag van de maand is er markt", "Bins go out every other Friday",
    ],
)  # fmt: skip
def test_which_of_a_months_weekdays_it_is_the_next_one_does_not_tell(text: str) -> None:
    assert days_ahead(text, _SAID, told_due=True) == []


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
    for text, day in (("27.11. Zahnarzt", "2026-11-27"), ("MOT 27/11", "2026-11-27")):
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


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Call mum this week", "2026-11-29"),
        ("Diese Woche den Keller aufräumen", "2026-11-29"),
        ("Pay the fee this month", "2026-11-30"),
        ("Le mois prochain chez le notaire", "2026-12-01"),
        ("El mes que viene viene Ana", "2026-12-01"),
        ("Visita este fin de semana", "2026-11-28"),
        ("Hike next weekend", "2026-12-05"),
        ("Egzamin za 3 dni", "2026-11-26"),
        # Said on a Monday.
        ("Renew the card by next Monday", "2026-11-30"),
    ],
)
def test_a_week_a_month_or_a_weekend_from_now_is_read(text: str, day: str) -> None:
    assert [each.at.date().isoformat() for each in days_ahead(text, _SAID, told_due=True)] == [day]


def test_a_weekend_that_is_said_to_be_this_one_has_two_days_and_one_that_was_none() -> None:
    [hike] = days_ahead("Hike with Debbie this weekend", _SAID)
    assert hike.last and hike.last - hike.at == timedelta(days=1)
    assert not days_ahead("We painted the hall this weekend", _SAID)
    assert not days_ahead("The gym was full this week", _SAID)


@pytest.mark.parametrize(
    ("text", "weekdays"),
    [
        ("Yoga every Friday at 7", {4}),
        ("Freitags Chor, montags Sport", {0, 4}),
        ("Los viernes tengo clase", {4}),
        ("Le lundi je nage", {0}),
        ("The gym is full on Fridays", {4}),
        ("Dentist on Friday", set()),
        ("Rendez-vous le jeudi 3", set()),
        ("I like tea", set()),
    ],
)
def test_what_is_so_every_week_names_its_weekdays_and_no_day_ahead(text: str, weekdays: set[int]) -> None:
    assert weekdays_every_week(text) == weekdays
    assert not weekdays or not days_ahead(text, _SAID)


@pytest.mark.parametrize(
    ("text", "date", "weekday", "taken"),
    [
        ("Submit the grant Monday 25 November", "2026-11-25", 0, "2026-11-25"),
        ("Llamar a Pia el lunes 26 de noviembre", "2026-11-26", 0, "2026-11-26"),
        ("Zahnarzt am Montag, 26.11.", "2026-11-26", 0, "2026-11-26"),
        # It falls on a Thursday a year later.
        ("Rendre le livre jeudi 25 novembre", "2026-11-25", 3, "2027-11-25"),
    ],
)
def test_a_date_that_contradicts_its_weekday_is_told(text: str, date: str, weekday: int, taken: str) -> None:
    found = other_weekday(text, _SAID)
    assert found and found.weekday == weekday
    assert [f"{day:%Y-%m-%d}" for day in (found.date, found.taken)] == [date, taken]
    assert found.taken in [day.at for day in days_ahead(text, _SAID)]


@pytest.mark.parametrize(
    "text",
    [
        "Dentist Wednesday 25 November", "Zahnarzt Montag, 11.1.", "Dentist Thursday 3",
        "Thursday week the vet",
        "We met Ann on Monday 25 November", "Dentist Monday 25 November 2024", "Meet Tom Monday 3/12",
        "Monday the 31st of June", "Dentist on Monday",
    ],
)  # fmt: skip
def test_a_date_that_fits_or_is_over_is_not(text: str) -> None:
    assert other_weekday(text, _SAID) is None


@pytest.mark.parametrize(
    "text",
    [
        "I paid the rent on Monday", "Parent evening last Thursday", "Elternabend letzten Donnerstag",
        "Réunion jeudi dernier", "Cena el jueves pasado",
        "Cena lo scorso giovedì", "Reunião na quinta-feira passada", "Etentje afgelopen donderdag",
    ],
)  # fmt: skip
def test_a_last_weekday_is_none_ahead(text: str) -> None:
    assert days_ahead(text, _SAID, told_due=True) == []


@pytest.mark.parametrize("text", ["Dinner with Alfred on Monday", "Maandag eet ik met Els dit weekend"])
def test_a_name_and_a_word_of_another_language_tell_of_nothing_that_was(text: str) -> None:
    assert days_ahead(text, _SAID) and not days_ahead("We met on Monday, and skated this weekend", _SAID)


@pytest.mark.parametrize(
    ("since", "ahead"),
    [
        ("Declan runs the practice since Tuesday", "Declan runs the practice from Tuesday on"),
        ("Ann leitet die Praxis seit Dienstag", "Ann leitet die Praxis ab Dienstag"),
        ("Ann ist seit dem Dienstag krank", "Ann ist am Dienstag da"),
        ("Ann dirige le cabinet depuis mardi", "Ann dirige le cabinet à partir de mardi"),
        ("Ann lleva la consulta desde el martes", "Ann lleva la consulta a partir del martes"),
        ("Ann gestisce lo studio da martedì", "Ann gestisce lo studio a partire da martedì"),
        ("Ann gestisce lo studio dal martedì", "Ann gestisce lo studio da martedì in poi"),
        ("Ann è malata da domenica mattina", "Ann è via a partire dal lunedì"),
        ("Ann leidt de praktijk sinds dinsdag", "Ann leidt de praktijk vanaf dinsdag"),
        ("A Ann dirige a clínica desde terça-feira", "Preparar a reunião da terça-feira"),
        ("Works in Oslo since 20 November", "La mostra è dal 15 dicembre"),
    ],
)
def test_what_is_so_since_a_day_has_begun(since: str, ahead: str) -> None:
    assert days_ahead(since, _SAID, told_due=True) == []
    assert len(days_ahead(ahead, _SAID, told_due=True)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "Dinner on Friday is booked", "The meeting on Friday is now confirmed",
        "Dinner on Friday isn't booked yet", "The meeting on Friday may be cancelled",
        "The boiler is being serviced on Friday",
        "The visit has been confirmed on Friday", "We're signed up for the run on Friday",
        "The kitchen will be delivered on Friday", "I'm overtired, and the exam is on Friday",
        "The guided tour on Friday starts at ten", "The rent of six hundred euros is on Friday",
    ],
)  # fmt: skip
def test_what_is_so_tells_of_no_past(text: str) -> None:
    assert [day.at.day for day in days_ahead(text, _SAID)] == [27]


@pytest.mark.parametrize(
    "text",
    [
        "Dinner on Friday was booked out", "I had planned to meet Jonas on Friday",
        "Tom has moved house on Friday",
        "The pipe had been repaired on Friday", "We have finished the tiles on Friday",
        "They were invited on Friday",
    ],
)  # fmt: skip
def test_what_was_so_tells_of_the_day_before(text: str) -> None:
    assert days_ahead(text, _SAID) == []
