"""Whose words a text gives: told in seven languages by marks, verbs of saying and who stands beside them."""

from __future__ import annotations

import pytest

from memcli.text.aspects import own_aspects
from memcli.text.semantics.reported import (
    attributed,
    is_anothers,
    own_words,
    sentences_of_writer,
    speak_apart,
)

OTHERS = [
    'Martha told me "I\'m allergic to peanuts"',
    "My landlord says: I live in Porto and work at Siemens",
    """"I'm a vegan," said Tobias""",
    "Priya mentioned: I can't stand olives",
    'Uncle Joe always says "I prefer tea to coffee"',
    'My boss wrote: "I work at Deloitte now and I live in Leeds"',
    'Alex replied, "My name is Alexander, and I hate being called Alex"',
    "From Anna's email: I'm allergic to penicillin.",
    'According to Peter: "I moved to Malmö in March"',
    '"Ich bin Allergikerin", meinte Frau Lorenz',
    "Mein Nachbar hat gesagt: Ich wohne in Kassel",
    "Jonas schrieb: „Ich mag keine Pilze“",
    "Der Kunde sagt: Ich bin Veganer",
    "Katrin hat mir erzählt: Ich bin gegen Nüsse allergisch",
    "Mi hermana dice: soy vegetariana",
    'Pablo me dijo: "Vivo en Sevilla y trabajo en Telefónica"',
    "«Soy alérgico al marisco», dijo Andrés",
    "El vecino comentó: no me gusta el cilantro",
    "Mon frère dit : je suis végétarien",
    "« J'habite à Lyon », a dit Claire",
    "Luc m'a écrit : « Je suis allergique aux arachides »",
    "Ma collègue a répondu : je déteste les champignons",
    "Mia zia dice: sono vegetariana",
    '"Abito a Torino", ha detto Marco',
    'Giulia mi ha scritto: "Sono allergica alle noci"',
    "O meu chefe disse: moro no Porto",
    '"Sou vegetariana", disse a Joana',
    "Mijn broer zei: ik woon in Utrecht",
    '"Ik ben allergisch voor noten", zei Pieter',
    'My dentist told us "I live two streets away"',
    'The new guy introduced himself: "My name is Rahul and I work at Shell"',
    "Grandma keeps saying: I hate mushrooms.",
    """"I don't eat pork", she told me.""",
    "He said: I'm allergic to cats",
    'Quote from Lena: "I live in Graz."',
    "Emre texted me: I'm vegetarian by the way",
    '"I prefer window seats," explained the customer',
    'Sie sagte: "Ich wohne in Bremen"',
    'Laut Miriam: "Ich esse kein Schweinefleisch"',
    "Mein Sohn ruft immer: Ich hasse Spinat!",
    "„Ich arbeite bei SAP“, erzählte der Gast",
    '"Ich heiße Ludwig", sagte der Mann an der Tür',
    "Der Arzt fragte, und Opa antwortete: Ich bin gegen Penicillin allergisch",
    '"Vivo en Bilbao", me contó Nuria',
    "Mi jefe escribió: prefiero el té",
    "Mon voisin m'a dit: j'habite au troisième étage",
    """"Je m'appelle Hugo", répondit l'enfant""",
    "Il cliente ha risposto: lavoro alla Fiat",
    'A Rita contou-me: "Sou alérgica a gatos"',
    "De klant schreef: ik werk bij Philips",
    'My kids always say "I hate spinach"',
    "I live in Ulm, said Sabine",
    "Ich bin Vegetarier, sagte Klaus.",
    'My flatmate keeps repeating that line: "I never eat breakfast"',
    "Dr. Lee wrote to us: I work from Basel on Mondays",
    '"We live in Perth these days", cousin Amy texted',
    "Die Vermieterin hat geschrieben: „Ich wohne jetzt in Mainz.“",
    '"Ich heiße übrigens Björn", stellte sich der Neue vor',
    "Opa behauptet immer: Ich esse nie Gemüse",
    "La profesora escribió: vivo en Cádiz",
    '"Soy celíaca", respondió la camarera',
    "Mon chef répète : je ne mange pas de porc",
    "« Je travaille chez Airbus », m'a confié le voisin",
    "Mio cugino racconta: lavoro alla Ferrari",
    '"Sono vegano", rispose Luca',
    "A minha tia escreveu: sou alérgica a camarão",
    '"Ik werk bij ASML", vertelde Kees',
]
OWN = [
    'I told Martha "I\'m allergic to peanuts"',
    "I said: I live in Porto and work at Siemens",
    """"I'm a vegan," I said to Tobias""",
    "Remember: I can't stand olives",
    "Note to self: I prefer tea to coffee",
    "FYI: I work at Deloitte now and I live in Leeds",
    'My name is Alexander, and people call me "Alex"',
    "Allergies: I'm allergic to penicillin.",
    "About me: I moved to Malmö in March",
    "Like my sister said, I'm stubborn. I live in Ghent.",
    "Ich habe Frau Lorenz gesagt: Ich bin Allergikerin",
    "Merke dir: Ich wohne in Kassel",
    "Zur Info: Ich mag keine Pilze",
    'Ich sagte meiner Chefin: "Ich wohne in Stuttgart"',
    "Ernährung: Ich bin Veganer",
    "Wichtig: Ich bin gegen Nüsse allergisch",
    "Le dije a mi hermana: soy vegetariana",
    "Recuerda: vivo en Sevilla y trabajo en Telefónica",
    "Nota: soy alérgico al marisco",
    "Importante: no me gusta el cilantro",
    "J'ai dit à mon frère : je suis végétarien",
    "Pour info : j'habite à Lyon",
    "Rappelle-toi : je suis allergique aux arachides",
    "Ho detto a mia zia: sono vegetariana",
    "Promemoria: abito a Torino",
    "Ricorda: sono allergica alle noci",
    "Eu disse ao meu chefe: moro no Porto",
    "Lembre-se: sou vegetariana",
    "Ik zei tegen mijn broer: ik woon in Utrecht",
    "Onthoud: ik ben allergisch voor noten",
    "I told my dentist I'm allergic to latex",
    "As I said: I work at Shell",
    'When they ask, I say "I live in Vienna"',
    "My answer: I hate mushrooms.",
    "I don't eat pork, as she knows.",
    "We said: I cook on Mondays, Tom on Tuesdays. I live in Graz.",
    "Reminder: I'm vegetarian by the way",
    "Flights: I prefer window seats",
    "My wife said I should see a doctor, I'm allergic to pollen",
    "Also: my name is Rahul",
    "Übrigens: Ich wohne in Bremen",
    "Ich sage immer: Ich esse kein Schweinefleisch",
    "Essen: Ich hasse Spinat",
    "Ich habe dem Gast erzählt: „Ich arbeite bei SAP“",
    'Mein Name ist Ludwig, man nennt mich "Lulu"',
    "Wie ich schon sagte: Ich bin gegen Penicillin allergisch",
    "Por cierto: vivo en Bilbao",
    "Siempre digo: prefiero el té",
    "J'ai répondu : j'habite au troisième étage",
    "Mon nom : je m'appelle Hugo",
    "Ho risposto al cliente: lavoro alla Fiat",
    "Para lembrar: sou alérgica a gatos",
    "Ter info: ik werk bij Philips",
    "The user said: I live in Ulm and I'm vegan",
    'User told me "I\'m allergic to nuts"',
    "Tell Anna: I'm vegetarian",
    "Let me say: I hate early flights",
    "Just to say: I'm allergic to latex",
    "I'm stubborn, my mother says",
    "My doctor says I'm allergic to nuts",
    "Mein Arzt sagt, ich bin allergisch gegen Nüsse",
    'Diet: "I eat no meat"',
    'My favourite song: "I Will Survive"',
    "For the record: I can't stand olives",
    "Work: I work at SAP, and my boss is called Tom",
    "I keep telling people: I don't eat breakfast",
    "For Dr. Lee: I'm allergic to ibuprofen",
    "Message to Amy: we live in Perth these days",
    'I wrote in the form "I\'m allergic to penicillin"',
    "Two things: I hate cardio and I live in Leeds",
    "My trainer says I hate cardio",
    "Hinweis: Ich esse kein Schweinefleisch",
    "Der Vermieterin habe ich geschrieben: „Ich wohne jetzt in Mainz.“",
    "Ich antwortete: Ich esse nie Gemüse",
    "Le escribí a la profesora: vivo en Cádiz",
    "Alergias: soy celíaca",
    "J'ai écrit au chef : je ne mange pas de porc",
    "Travail : je travaille chez Airbus",
    "Gli ho detto: lavoro alla Ferrari",
    "Ik heb Kees verteld: ik werk bij ASML",
]


def test_the_first_person_of_others_is_not_the_writer() -> None:
    for text in OTHERS:
        assert is_anothers(text), text


def test_the_writer_speaks_behind_labels_and_where_they_say_so() -> None:
    for text in OWN:
        assert not attributed(text).others, text
        assert own_words(text) == text


def test_what_stands_beside_others_words_is_the_writers() -> None:
    told = attributed('My sister said "I hate coriander", and I told her I love it. I live in Ulm.')
    assert told.said_by == "My sister said"
    assert own_words('I bought "I am Malala" and I live in Ulm').endswith("and I live in Ulm")
    assert told.own == "and I told her I love it. I live in Ulm."
    assert own_words("My boss said: no. I live in Ulm.") == "My boss said: no. I live in Ulm."


def test_whoever_goes_on_in_the_first_person_goes_on_speaking() -> None:
    said = "Sabine meinte: Ich wohne in Ulm. Ich arbeite bei Bosch.\nIch bin Lehrer."
    assert own_words(said) == "Ich bin Lehrer."
    assert sentences_of_writer(said) == ["Ich bin Lehrer."]


def test_the_owner_called_by_name_speaks() -> None:
    said = 'Alice said: "I live in Ulm"'
    assert is_anothers(said) and not is_anothers(said, frozenset({"alice"}))
    assert own_words(said, frozenset({"alice"})) == said


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [
        ("Sabine meinte: Ich wohne in Ulm", '"Ich wohne in Graz", sagte Klaus', True),
        ("Sabine meinte: Ich wohne in Ulm", "Ich wohne in Graz", True),
        ("Sabine meinte: Ich wohne in Ulm", "Sabine sagte: Ich wohne jetzt in Graz", False),
        ("Sabine meinte: Ich wohne in Ulm", "Sabine wohnt jetzt in Graz", False),
        ("I live in Ulm", "I live in Graz", False),
    ],
)
def test_the_words_of_different_people_do_not_replace_each_other(one: str, other: str, apart: bool) -> None:
    assert speak_apart(one, other) is speak_apart(other, one) is apart


def test_a_long_text_is_read_once() -> None:
    for piece in ('x "I a" said Tom: ', "Tom said: I am. ", '"', "I say: ", ", said Tom"):
        attributed(piece * 2000)


@pytest.mark.parametrize(
    "text",
    [
        "Nobody in my family is vegetarian", "Niemand in meiner Familie ist Vegetarier",
        "Nadie en mi familia es vegetariano", "Personne dans ma famille n'est végétarien",
        "Most of my friends are vegan", "Half of our team eat halal",
        "Nessuno nella mia famiglia è vegetariano",
    ],
)  # fmt: skip
def test_some_of_ones_people_are_not_oneself(text: str) -> None:
    assert own_aspects(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Vegetarian for most of my life", "I and most of my friends are vegan", "Vegan like my sister",
        "Allergic to nuts since my childhood",
    ],
)  # fmt: skip
def test_oneself_beside_ones_people_is(text: str) -> None:
    assert own_aspects(text)
