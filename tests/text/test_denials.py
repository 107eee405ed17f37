"""What a note denies of a day is not on it; what it only says "not" beside stays planned."""

from __future__ import annotations

from datetime import UTC, datetime

from memcli.text.semantics.denials import days_denied

# A Monday.
_SAID = datetime(2026, 11, 30, 9, tzinfo=UTC)
_DENIED = (
    "Moira isn't coming on the 4th of December after all.",
    "Nobody is coming on Friday.",
    "I'm not flying to Oslo on December 12.",
    "We aren't meeting Jonas on Friday any more.",
    "I can't make it to the dentist on Thursday.",
    "None of the kids has school on Friday.",
    "Nothing is planned for Sunday.",
    "I don't have to work on Saturday.",
    "Moira kommt am 4. Dezember doch nicht.",
    "Niemand kommt am Freitag.",
    "Wir fliegen am 12. Dezember nicht nach Oslo.",
    "Il n'y a pas de répétition jeudi.",
    "Moira no viene el 4 de diciembre.",
    "Nadie viene el sábado.",
    "Venerdì non c'è lezione.",
    "A Moira não vem no dia 4 de dezembro.",
    "Ninguém vem no sábado.",
    "Er is vrijdag geen training.",
    "Jonas won't be coming to dinner on Saturday.",
    "We're not going to Leeds on December 12 after all.",
    "The cleaner doesn't come this Thursday.",
    "There isn't any training on Tuesday.",
    "On Saturday we're not meeting the Bakers.",
    "Grandma is not staying with us on December 9.",
    "We have no lesson on Wednesday.",
    "Oma kommt am Sonntag nicht.",
    "Freitag kein Training.",
    "Am 12. Dezember fliegen wir nicht.",
    "Keiner kommt am Samstag zum Essen.",
    "Vendredi, on ne mange pas chez Moira.",
    "Le plombier ne passe pas mardi.",
    "El sábado no comemos con Moira.",
    "Sabato non andiamo al mare.",
    "O encanador não vem na terça-feira.",
    "De loodgieter komt dinsdag niet.",
    "We hebben vrijdag geen les.",
)
_STANDS = (
    "Don't forget the dentist on Friday.",
    "The exam on December 9 won't be easy.",
    "I haven't bought a present for Tom's birthday on December 14.",
    "The invoice isn't paid yet; it is due on December 15.",
    "The rent is due on December 1, no later.",
    "Moira comes on the 4th of December.",
    "The train on Friday doesn't stop in Essen.",
    "My flight on December 12 is not refundable.",
    "Not only Tom but Eva is coming on Friday.",
    "Ne pas oublier le dentiste vendredi.",
    "Niet vergeten: vrijdag tandarts.",
    "Não esquecer o dentista na sexta.",
    "Le vol du 12 décembre n'est pas remboursable.",
    "Don't be late for the train on Friday.",
    "I still haven't called the vet about the appointment on Thursday.",
    "The concert on Friday doesn't cost anything.",
    "I don't know the address for the party on Saturday.",
    "Don't eat anything before the blood test on Thursday.",
    "Not sure yet, but probably dinner with Eva on Friday.",
    "I'm never late: the interview is on Friday.",
    "I don't need a ticket for the concert on Friday, Eva has one.",
    "Meeting on Thursday without Tom.",
    "I didn't tell Tom about the party on Saturday.",
    "Ich darf am Freitag den Zug nicht verpassen.",
    "Das Konzert am Freitag kostet nichts.",
    "Le concert de vendredi n'est pas cher.",
    "La cita del viernes no es en el centro.",
    "Reunião no escritório no sábado.",
    "Het concert op vrijdag is niet duur.",
    "Ik ben niet vergeten dat we zaterdag eten.",
)


def test_what_will_not_be_is_denied_of_its_day() -> None:
    assert [text for text in _DENIED if not days_denied(text, _SAID)] == []


def test_what_is_denied_of_something_else_leaves_the_day() -> None:
    assert [text for text in _STANDS if days_denied(text, _SAID)] == []


def test_the_other_day_is_denied_and_not_the_one_that_is_meant() -> None:
    for text in (
        "Meeting with Ana on Friday, not Thursday",
        "Am Freitag treffe ich Ana, nicht am Donnerstag",
    ):
        assert [span.start.day for span in days_denied(text, _SAID)] == [3]


def test_a_question_denies_nothing() -> None:
    assert days_denied("Why don't we meet on Friday?", _SAID) == ()
