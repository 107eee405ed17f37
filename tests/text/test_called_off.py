"""What is cancelled, or no longer to be done, is on no day ahead: in seven languages."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memcli.text.dates.ahead import days_ahead
from memcli.text.dates.called_off import is_anything_called_off, is_no_longer_to_do

# A Monday.
_SAID = datetime(2026, 11, 30, 9, tzinfo=UTC)

_NO_LONGER = (
    "I need to cancel nothing by Friday", "Ich muss am Freitag nichts mitbringen",
    "Je n'ai rien à préparer pour lundi", "No tengo que llevar nada el viernes",
    "Non devo portare niente venerdì", "Ik hoef niets mee te nemen op vrijdag",
    "I no longer have to send the report by Friday", "We no longer need to be there on Friday",
    "I don't need to return the books by Friday anymore",
    "Ich muss den Bericht bis Freitag nicht mehr schicken",
    "Je n'ai plus à envoyer le rapport avant vendredi", "Ya no tengo que enviar el informe antes del viernes",
    "Non devo più mandare il rapporto entro venerdì", "Já não preciso de enviar o relatório até sexta",
    "Ik hoef het rapport niet meer voor vrijdag te sturen",
)  # fmt: skip


def _days(text: str) -> list[int]:
    return [day.at.day for day in days_ahead(text, _SAID, told_due=True)]


@pytest.mark.parametrize(
    "text",
    [
        *_NO_LONGER,
        "The appointment on Wednesday is cancelled", "The concert on 5 December has been called off",
        "Dinner on Friday is off", "The meeting on Thursday won't take place",
        "Cancelled: dinner on Friday 4 December", "They cancelled the meeting on Wednesday 2 December",
        "The dentist on Friday, which Ann made, is cancelled", "Der Termin am Mittwoch fällt aus",
        "Das Konzert am 5. Dezember fällt wegen Krankheit aus", "Das Treffen am Freitag findet nicht statt",
        "Der Zahnarzttermin am 4. Dezember wurde abgesagt", "Der Kurs vom 3. bis 7. Dezember entfällt",
        "Le rendez-vous de mercredi est annulé", "La réunion du 4 décembre n'aura pas lieu",
        "La cita del miércoles está cancelada", "El concierto del 5 de diciembre se ha suspendido",
        "L'appuntamento di mercoledì è annullato", "O compromisso de quarta-feira foi cancelado",
        "A reunião de 4 de dezembro não vai acontecer", "De afspraak van woensdag gaat niet door",
        "De vergadering op 4 december is afgelast",
        # Somebody does it no more.
        "I've given up the Wednesday swim", "We've packed in the Wednesday class",
        "I quit the Monday book group",
        "Ich habe mit dem Chor am Mittwoch aufgehört", "J'ai arrêté le cours de yoga de mercredi",
        "He dejado el yoga del miércoles", "Ho lasciato il corso di tango di mercoledì",
    ],
)  # fmt: skip
def test_what_is_called_off_is_on_no_day(text: str) -> None:
    assert _days(text) == []


@pytest.mark.parametrize("text", _NO_LONGER)
def test_what_is_no_longer_to_be_done_is_told_from_what_is_cancelled(text: str) -> None:
    assert is_no_longer_to_do(text)
    assert not is_no_longer_to_do("The appointment on Wednesday is cancelled, I must call them by Friday")


@pytest.mark.parametrize(
    "text",
    [
        "Perhaps the meeting on Friday is cancelled",
        "Maybe the dinner with Ann on Friday has been called off",
        "The meeting is on Friday unless it is cancelled", "Vielleicht ist der Termin am Freitag abgesagt",
        "Wenn der Termin am Freitag entfällt", "Quizá la cena del viernes está cancelada",
        "Forse la riunione di venerdì è annullata", "Misschien is de les op vrijdag afgelast",
        "Talvez a reunião de sexta esteja cancelada",
    ],
)  # fmt: skip
def test_what_may_be_called_off_is_not(text: str) -> None:
    assert not is_anything_called_off(text)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        # It is to be cancelled by then, or told of.
        ("Cancel the gym membership by Friday", 4),
        ("The gym must be cancelled by Friday", 4),
        ("Bis Freitag muss der Termin abgesagt werden", 4),
        ("L'abonnement doit être annulé avant vendredi", 4),
        ("Tell Ann by Friday that the dinner is cancelled", 4),
        ("El viernes hay que avisar que la cena está cancelada", 4),
        # It is not, or may be.
        ("The flight on 4 December is not cancelled", 4),
        ("Der Termin am 4. Dezember ist nicht abgesagt", 4),
        ("La cena del viernes no está cancelada", 4),
        ("The course on 5 December could be cancelled if fewer than eight sign up", 5),
        ("I don't have to pay until Friday", 4),
        ("I have to buy nothing but milk by Friday", 4),
        ("I've stopped by the bakery for the party on Friday 4 December", 4),
        ("I've given up smoking, dentist on Friday 4 December", 4),
        # Something else is.
        ("The Wednesday meeting is cancelled, the new one is on Friday 4 December", 4),
        ("Der Kurs am Donnerstag entfällt, dafür ist er am 5. Dezember", 5),
        ("The class is cancelled, so come on Friday 4 December", 4),
        ("Dinner on Friday 4 December, but the talk is cancelled", 4),
        ("Flight on 4 December (the earlier one was cancelled)", 4),
        ("The cancelled flight is refunded by Friday", 4),
    ],
)
def test_what_is_still_to_be_keeps_its_day(text: str, day: int) -> None:
    assert _days(text) == [day]


@pytest.mark.parametrize(
    "text",
    [
        "The dentist is not on Friday but on Thursday",
        "Der Zahnarzt ist nicht am Freitag, sondern am Donnerstag",
        "Le dentiste n'est pas vendredi mais jeudi", "El dentista no es el viernes sino el jueves",
        "Il dentista non è venerdì ma giovedì", "De tandarts is niet op vrijdag maar op donderdag",
        "O dentista não é na sexta-feira mas na quinta-feira", "Instead of Friday, we meet on Thursday",
        "Choir is on Thursday instead of Friday", "Die Probe ist am Donnerstag statt Freitag",
        "La chorale est jeudi au lieu de vendredi", "El coro es el jueves en vez del viernes",
        "Il coro è giovedì invece di venerdì", "Het koor is donderdag in plaats van vrijdag",
        "O coro é na quinta-feira em vez de sexta-feira",
    ],
)  # fmt: skip
def test_of_two_days_the_one_that_is_meant_is_ahead(text: str) -> None:
    assert _days(text) == [3]


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("I can't do Friday but Thursday works", [4, 3]),
        ("The shop is not open on Friday but on Thursday it is", [4, 3]),
        ("Not on Friday but soon", [4]),
        ("Dinner on Friday at 20:10 instead of 18:10", [4]),
        ("Cena venerdì alle 20:10 invece che alle 18:10", [4]),
        # What there is not on a day is told of it.
        ("No water on Friday", [4]), ("Kein Strom am Freitag", [4]),
        ("No later than this week", [6]), ("No olvidar el informe esta semana", [6]),
        ("Send no report later than this week", [6]),
    ],
)  # fmt: skip
def test_what_only_sounds_like_another_day_is_ahead(text: str, days: list[int]) -> None:
    assert _days(text) == days


@pytest.mark.parametrize(
    "text",
    [
        "no choir this week", "There's no choir practice this month.", "This week no choir",
        "Kein Chor diese Woche", "Diese Woche keine Probe", "Pas de chorale cette semaine",
        "Esta semana no hay coro", "No hay coro esta semana", "Niente coro questa settimana",
        "Geen koor deze week", "Não há coro esta semana",
    ],
)  # fmt: skip
def test_what_there_is_not_all_week_is_on_no_day_of_it(text: str) -> None:
    assert _days(text) == []
