"""Who does it to whom: of "Tom owes me" and "I owe Tom" the one that is asked for stands first."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memcli.config.location import Location
from memcli.embedding import Embedder
from memcli.judgement.roles import role_played
from memcli.text.asking import asks_who_to_whom
from memcli.text.words import fold_case
from memcli.write_policy.drafts import Draft
from tests.conftest import TickingClock, make_memories

# Of each language what others owe, what is owed to others, and questions for either.
_DEBTS = {
    "en": (
        ("Lukas owes me 20 euros", "Tom still owes me 35 for the concert tickets"),
        ("I owe Marta 15", "I owe my brother 100 euros for the bike"),
        (
            "who owes me money?",
            "who still owes me money?",
            "does anyone owe me money?",
            "people who owe me money",
        ),
        ("whom do I owe?", "who do I owe money to?", "do I owe anyone money?"),
    ),
    "de": (
        ("Lukas schuldet mir 20 Euro", "Tom schuldet mir noch 35 für die Karten"),
        ("Ich schulde Marta 15", "Ich schulde meinem Bruder 100 Euro"),
        ("wer schuldet mir Geld?", "wer schuldet mir noch was?"),
        ("wem schulde ich Geld?",),
    ),
    "fr": (
        ("Lukas me doit 20 euros", "Tom me doit encore 35 pour les billets"),
        ("Je dois 15 euros à Marta", "Je dois 100 euros à mon frère"),
        ("qui me doit de l'argent ?", "qui me doit encore quelque chose ?"),
        ("à qui dois-je de l'argent ?",),
    ),
    "es": (
        ("Lukas me debe 20 euros", "Tom todavía me debe 35 de las entradas"),
        ("Le debo 15 a Marta", "Debo 100 euros a mi hermano"),
        ("¿quién me debe dinero?",),
        ("¿a quién le debo dinero?", "¿a quién debo?"),
    ),
    "it": (
        ("Luca mi deve 20 euro", "Tom mi deve ancora 35 per i biglietti"),
        ("Devo 15 a Marta", "Devo 100 euro a mio fratello"),
        ("chi mi deve qualcosa?", "chi mi deve dei soldi?"),
        ("a chi devo dei soldi?",),
    ),
    "pt": (
        ("Lucas me deve 20 euros", "O Tom ainda me deve 35 dos bilhetes"),
        ("Devo 15 à Marta", "Devo 100 euros ao meu irmão"),
        ("quem me deve dinheiro?",),
        ("a quem devo dinheiro?",),
    ),
    "nl": (
        ("Lukas is mij 20 euro schuldig", "Tom is mij nog 35 schuldig"),
        ("Ik ben Marta 15 schuldig", "Ik ben mijn broer 100 euro schuldig"),
        ("wie is mij geld schuldig?",),
        ("aan wie ben ik nog geld schuldig?",),
    ),
}


@pytest.mark.parametrize("language", _DEBTS)
def test_what_is_told_as_it_is_asked_stands_above_what_is_told_the_other_way_round(
    own_store: Location, clock: TickingClock, real_model: Callable[[str], Embedder], language: str
) -> None:
    to_me, by_me, of_others, of_mine = _DEBTS[language]
    with make_memories(own_store, clock, model=real_model) as memories:
        memories.remember_all([Draft(text=text) for both in zip(by_me, to_me, strict=True) for text in both])
        wrong = {}
        for right, questions in ((to_me, of_others), (by_me, of_mine)):
            for question in questions:
                order = [hit.memory.text in right for hit in memories.recall(question).hits]
                if not order or order != sorted(order, reverse=True):
                    wrong[question] = order
    assert not wrong


@pytest.mark.parametrize(
    ("question", "text", "role"),
    [
        ("who lent me something?", "Ben lent me his drill", "asked"),
        ("who lent me something?", "I lent Tom my ladder", "turned"),
        ("whom do I trust?", "Anna trusts me", "turned"),
        ("¿quién me debe dinero?", "Debo 100 euros a mi hermano", "turned"),
        ("¿a quién debo?", "Lukas me debe 20", "turned"),
        ("a quem devo dinheiro?", "Devo 15 à Marta", "asked"),
        ("who owes me money?", "Money is tight this month", None),
        ("who owes me money?", "Lukas lives in Linz", None),
        ("who gave me the key?", "I lost the key", None),
    ],
)
def test_a_text_tells_it_as_it_is_asked_or_the_other_way_round_or_neither(
    question: str, text: str, role: str | None
) -> None:
    assert role_played(question, text) == role


def test_few_questions_ask_who_does_it_to_whom() -> None:
    asked = [each for _, _, others, mine in _DEBTS.values() for each in (*others, *mine)]
    assert all(asks_who_to_whom(fold_case(each)) for each in asked)
    for question in (
        "where do I live?",
        "who is on call?",
        "what is my rent?",
        "wo wohne ich?",
        "¿dónde vivo?",
    ):
        assert not asks_who_to_whom(question)
