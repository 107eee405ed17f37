"""By the real model: a rule comes along where it bears on the question, and only there."""

from __future__ import annotations

import json

import pytest

from tests.conftest import Run

RULES = """Never deploy on Fridays
Migrations must be reversible
Do not restart the database during office hours
Every invoice must carry a VAT number
Keep the release notes under 200 words
No meat: I am a vegetarian
Do not call Ann after 8 pm
Backups must be encrypted
Never book flights before 9 am
Always use metric units"""


@pytest.fixture
def ruled(mem: Run) -> Run:
    mem("remember", "--batch", "--kind", "constraint", input=RULES)
    facts = ("billing runs on the second server", "Ann has moved to Oslo", "The kitchen is painted blue")
    mem("remember", "--batch", "--kind", "fact", input="\n".join(facts))
    return mem


def coming(ruled: Run, query: str, *options: str) -> set[str]:
    done = ruled("recall", query, "--json", "--min-score", "0", "-n", "1", "--kind", "fact", *options)
    records = [json.loads(line) for line in done.stdout.splitlines()]
    return {record["text"] for record in records if record["tier"] == "constraints"}


@pytest.mark.parametrize(
    ("query", "rule"),
    [
        ("how is billing deployed?", "Never deploy on Fridays"),
        ("add a migration for the users table", "Migrations must be reversible"),
        ("write the release note", "Keep the release notes under 200 words"),
        ("what should I order for dinner?", "No meat: I am a vegetarian"),
        ("when can I phone Ann?", "Do not call Ann after 8 pm"),
        ("book a flight to Bergen", "Never book flights before 9 am"),
    ],
)
def test_a_rule_comes_along_where_it_bears_on_the_question(ruled: Run, query: str, rule: str) -> None:
    assert rule in coming(ruled, query) and len(coming(ruled, query)) <= 3


@pytest.mark.parametrize("query", ["what colour is the kitchen?", "who lives in Oslo?"])
def test_where_none_does_none_comes(ruled: Run, query: str) -> None:
    assert coming(ruled, query) == set()


@pytest.mark.parametrize(
    ("query", "comes"),
    [
        ("Darf ich Malin einen Nussriegel geben?", True), ("Que puis-je cuisiner pour Malin ?", True),
        ("Mag ik Malin een koekje geven?", True), ("May I give Malin a granola bar?", True),
        ("Darf ich Torben einen Nussriegel geben?", False), ("which school does Torben go to?", False),
    ],
)  # fmt: skip
def test_whom_a_rule_names_ties_it_to_what_is_to_be_done_for_them_in_any_language(
    mem: Run, query: str, comes: bool
) -> None:
    rules = ("Malin is allergic to hazelnuts", "Never deploy on Fridays", "Backups must be encrypted")
    mem("remember", "--batch", "--kind", "constraint", input="\n".join(rules))
    facts = ("Malin goes to the school at the lake", "Torben repairs bicycles", "Malin likes yellow")
    mem("remember", "--batch", "--kind", "fact", input="\n".join(facts))
    assert ("Malin is allergic to hazelnuts" in coming(mem, query)) is comes


def test_by_words_alone_those_that_share_words_come(ruled: Run) -> None:
    assert coming(ruled, "billing invoice", "--words") == {"Every invoice must carry a VAT number"}


def test_what_is_pinned_comes_whatever_is_asked(ruled: Run) -> None:
    rule = json.loads(ruled("list", "--json", "-n", "13").stdout.splitlines()[-1])
    ruled("edit", rule["id"], "--tag", "pinned")
    done = ruled("recall", "what colour is the kitchen?", "--kind", "fact")
    assert f"Pinned:\n- [{rule['id'][-8:]}" in done.stdout
    assert rule["text"] in ruled("context").stdout


ELSEWHERE = """Bis Freitag muss ich die Steuererklärung abgeben
Nach 22 Uhr darf keine Waschmaschine laufen
Ne pas appeler Camille avant midi
Jeg tåler ikke gluten
No gastar más de 50 euros en el regalo
I don't eat fish"""


@pytest.fixture
def ruled_in_five_languages(mem: Run) -> Run:
    mem("remember", "--batch", "--kind", "constraint", input=ELSEWHERE)
    mem("remember", "--kind", "fact", "The kitchen is painted blue")
    return mem


@pytest.mark.parametrize(
    ("query", "rule"),
    [
        ("kann ich heute Nacht noch Wäsche waschen?", "Nach 22 Uhr darf keine Waschmaschine laufen"),
        ("à quelle heure puis-je appeler Camille ?", "Ne pas appeler Camille avant midi"),
        ("hva kan jeg bake til helgen?", "Jeg tåler ikke gluten"),
        ("¿qué regalo compro para mamá?", "No gastar más de 50 euros en el regalo"),
    ],
)
def test_so_it_does_in_other_languages(ruled_in_five_languages: Run, query: str, rule: str) -> None:
    assert coming(ruled_in_five_languages, query) == {rule}


@pytest.mark.parametrize(
    "query",
    [
        "Wo wohnt meine Schwiegermutter?", "où habite mon frère ?", "hvem leder prosjektet?",
        "¿dónde trabaja mi hermana?", "when do I eat lunch with Per?",
    ],
)  # fmt: skip
def test_what_is_only_in_the_same_language_or_asked_for_a_fact_brings_none(
    ruled_in_five_languages: Run, query: str
) -> None:
    assert coming(ruled_in_five_languages, query) == set()
