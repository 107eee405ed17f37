"""A name is found in full and in its shorter forms, whatever the writing, and told from a namesake's."""

from __future__ import annotations

import hashlib

import pytest

from memcli.text.naming.full_names import Form, FullName, NameForms, full_name, is_written_as_name, known_name


def name(text: str) -> FullName:
    found = full_name(text)
    assert found is not None
    return found


def forms(asked: str, text: str) -> list[Form]:
    return [mention.form for mention in name(asked).mentions(text)]


@pytest.mark.parametrize(
    "asked",
    [
        "Kevin Malone",
        "Dr. Kevin J. Malone",
        "Malone, Kevin",
        "kevin malone's",
        "KEVIN MALONE",
        "Mr Kevin Malone",
    ],
)
@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Kevin Malone works here", ["full"]),
        ("ask Dr. Kevin J. Malone, PhD", ["full"]),
        ("Malone, Kevin: see below", ["full"]),
        ("K. Malone paid", ["full"]),
        ("KEVIN MALONE", ["full"]),
        ("in kevin-call", ["given"]),
        ("Kevin is allergic", ["given"]),
        ("Kevin's car, Kevins Auto, d'Kevin", ["given", "given", "given"]),
        ("met kevin today", ["given"]),
        ("chez Kévin", ["given"]),
        ("Mr Malone called", ["titled"]),
        ("the Malones came", ["surname"]),
        ("Kevin Hart's show", ["namesake"]),
        ("Sarah Malone teaches", ["relative"]),
        ("S. Malone teaches", ["relative"]),
        ("Frau Malone singt", ["other title"]),
        ("on Monday Kevin sings", ["given"]),
        ("Kevinism is no word", []),
    ],
)
def test_each_form_of_a_name_is_told(asked: str, text: str, found: list[Form]) -> None:
    assert forms(asked, text) == found


@pytest.mark.parametrize(
    ("asked", "text", "found"),
    [
        ("Jörg Müller", "Joerg Mueller rief an", ["full"]),
        ("Joerg Mueller", "Jörg Müllers Haus", ["full"]),
        ("Frau Müller", "Müller kommt", ["full"]),
        ("José García", "maria y jose garcia", ["full"]),
        ("Vincent van Gogh", "Gogh, Vincent", ["full"]),
        ("Vincent Gogh", "Vincent van Gogh", ["full"]),
        ("Will Byers", "will you come, Will Byers?", ["full"]),
        ("Will Byers", "tell Will that I will", ["given"]),
        ("May", "in May, on 3 May, ask May", ["unsure", "unsure", "full"]),
        ("Ann", "Annex and ann's", ["full"]),
        ("山田太郎", "昨日山田太郎に会った", ["full"]),
        ("山田太郎", "山田花子", []),
    ],
)
def test_accents_umlauts_particles_scripts_and_words_that_are_names(
    asked: str, text: str, found: list[Form]
) -> None:
    assert [form for form in forms(asked, text) if form != "unsure" or "unsure" in found] == found


@pytest.mark.parametrize(
    ("asked", "surely", "perhaps", "never"),
    [
        (
            "Per",
            "Per said so;Per er syk;Ask Per;Per's car;i Pers hus;Per Hansen lives in Voss;Per",
            "PER is a review;Per month it is 3;Per guidelines, we lock up;Cost Per Unit;per said hi",
            "The gym costs 349 per month;Interest is 4 percent per annum;As per the contract",
        ),
        (
            "Will",
            "Will fixes the printers;Will's car is red;Tell Will;Will, my brother, rang;Will and Anna came",
            "Will you come?;Will Anna come?;Will prices rise?;Will be there at 8;- Will you go;will fixes it",
            "It will rain;I hope he will",
        ),
        (
            "May",
            "May is our new intern;Ask May",
            "May is our busiest month;We met in May;It blooms every May;May I come;May's rent is due",
            "It may rain",
        ),
        ("Mark", "Mark fixes it;Met Mark;Mark", "Mark the beam;mark it", "The mark on the beam"),
        ("Even", "Even likes skiing;Ask Even", "Even on Sundays", "I can't even"),
        ("Mia", "Mia likes tea", "mia likes tea", "La casa mia"),
    ],
)
def test_a_name_that_is_a_word_is_one_where_it_is_written_as_one(
    asked: str, surely: str, perhaps: str, never: str
) -> None:
    for said, found in ((surely, ["full"]), (perhaps, ["unsure"]), (never, [])):
        for text in said.split(";"):
            assert forms(asked, text) == found, text


def test_what_is_a_name_and_what_a_question() -> None:
    assert all(map(is_written_as_name, ("Kevin", "Kevin Malone", "Dr. K. Malone", "Ludwig van Beethoven")))
    assert not any(map(is_written_as_name, ("the staging server", "Where is Kevin", "kevin", "")))
    assert full_name("") is None and full_name("Mr") is None and full_name("a " * 20) is None


def test_who_is_somebody_else_does_not_count() -> None:
    kevin = NameForms(name("Kevin"), frozenset({"full"}), (name("Kevin Hart"),))
    assert kevin.found_in("Kevin sings") and not kevin.found_in("Kevin Hart sings")
    assert kevin.found_in("Kevin Hart sings with Kevin")


def test_a_name_is_known_again_by_codes_alone() -> None:
    def code(fold: str) -> str:
        return hashlib.sha256(fold.encode()).hexdigest()

    record = name("Dr. Jörg Müller").record(code)
    assert "jorg" not in str(record) and "muller" not in str(record)
    again = known_name(record, code)
    for text in ("Jörg Müller", "Muller, Joerg", "J. Müller", "Jörg", "Sarah Müller", "nobody"):
        assert again.mentions(text) == name("Jörg Müller").mentions(text)
