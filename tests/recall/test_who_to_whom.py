"""Who does it to whom: of "Tom owes me" and "I owe Tom" the one that is asked for stands first."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memcli.config.location import Location
from memcli.embedding import Embedder
from memcli.judgement.pairs import judge_pair
from memcli.text.asking import asks_who_to_whom
from memcli.text.semantics.debts import debt_of
from memcli.text.semantics.roles import role_played
from memcli.text.semantics.settlements import settlement
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
        "which developer is on call?",
    ):
        assert not asks_who_to_whom(question)


# Of each language debts of Sabine to the speaker and of the speaker to Tom, questions for the former and the
# latter, and the same of the other one each, which nothing answers.
_NAMED = {
    "en": ("Sabine owes me 40 euros", "I borrowed 20 euros from Tom",
           "how much does Sabine owe me?", "how much do I owe Tom?",
           "how much do I owe Sabine?", "how much does Tom owe me?"),
    "de": ("Sabine schuldet mir 40 Euro", "Ich habe mir 20 Euro von Tom geliehen",
           "wie viel schuldet mir Sabine?", "wie viel schulde ich Tom?",
           "wie viel schulde ich Sabine?", "wie viel schuldet mir Tom?"),
    "fr": ("Sabine me doit 40 euros", "J'ai emprunté 20 euros à Tom",
           "combien me doit Sabine ?", "combien je dois à Tom ?",
           "combien je dois à Sabine ?", "combien me doit Tom ?"),
    "es": ("Sabine me debe 40 euros", "Le debo 20 euros a Tom",
           "¿cuánto me debe Sabine?", "¿cuánto le debo a Tom?",
           "¿cuánto le debo a Sabine?", "¿cuánto me debe Tom?"),
    "it": ("Sabine mi deve 40 euro", "Ho preso in prestito 20 euro da Tom",
           "quanto mi deve Sabine?", "quanto devo a Tom?",
           "quanto devo a Sabine?", "quanto mi deve Tom?"),
    "pt": ("A Sabine me deve 40 euros", "Pedi emprestados 20 euros ao Tom",
           "quanto me deve a Sabine?", "quanto devo ao Tom?",
           "quanto devo à Sabine?", "quanto me deve o Tom?"),
    "nl": ("Sabine is mij 40 euro schuldig", "Ik heb 20 euro van Tom geleend",
           "hoeveel is Sabine mij schuldig?", "hoeveel ben ik Tom schuldig?",
           "hoeveel ben ik Sabine schuldig?", "hoeveel is Tom mij schuldig?"),
}  # fmt: skip


@pytest.mark.parametrize("language", _NAMED)
def test_a_debt_in_the_other_direction_answers_for_sure_what_nobody_noted_no_more(
    own_store: Location, clock: TickingClock, real_model: Callable[[str], Embedder], language: str
) -> None:
    to_me, by_me, of_hers, of_mine, *unanswered = _NAMED[language]
    with make_memories(own_store, clock, model=real_model) as memories:
        memories.remember_all([Draft(text=text) for text in (to_me, by_me)])
        for question, text in ((of_hers, to_me), (of_mine, by_me)):
            told = memories.recall(question)
            assert told.hits[0].memory.text == text and not told.weak, question
        for question in unanswered:
            told = memories.recall(question)
            assert told.weak or not told.hits, question


@pytest.mark.parametrize(
    ("text", "is_own"),
    [
        ("I borrowed a book from Nora", True),
        ("Tom lent me 20 euros", True),
        ("Tom let me borrow his drill", True),
        ("Owe Tom 20", True),
        ("Tom hat mir 20 Euro geliehen", True),
        ("Ich habe bei Tom 20 Euro Schulden", True),
        ("Tom me prestó 20", True),
        ("Marc borrowed 15 euros from me", False),
        ("Lea borrowed my drill", False),
        ("I think Sabine owes me 40", False),
        ("he owes me 40", False),
        ("lent Tom 20", False),
        ("Ich habe Tom 20 Euro geliehen", False),
        ("Lea hat sich meine Bohrmaschine geliehen", False),
        ("Le he prestado 20 euros a Tom", False),
        ("Marco me pidió prestados 15 euros", False),
        ("chi mi deve i soldi?", False),
        ("Tom heeft 20 euro van mij geleend", False),
        ("Tom owes Ben 20", None),
        ("Lea borrowed money from my brother", None),
        # What must be done is no debt.
        ("Debo llamar a Marta", None),
        ("Je dois y aller", None),
        ("Devo chiamare Tom", None),
        ("Devo ligar ao Tom", None),
        ("Ich bin schuld", None),
    ],
)
def test_a_debt_is_told_by_several_verbs_and_from_either_side(text: str, is_own: bool | None) -> None:
    debt = debt_of(text)
    assert (debt and debt.is_own) is is_own


_REPAID = [
    ("Sabine paid me back the 40", "Sabine owes me 40 euros"),
    ("Sabine paid the 40", "Sabine owes me 40 euros"),
    ("Sabine gave me the 40", "Sabine owes me 40 euros"),
    ("Giorgio mi ha dato gli 80 euro", "Giorgio mi deve ancora 80 euro per le arnie"),
    ("gave Tom his 20 back", "I owe Tom 20 for the taxi"),
    ("Tom got his 20 back", "I borrowed 20 euros from Tom"),
    ("Lea returned my drill", "Lea borrowed my drill"),
    ("Sabine hat mir die 40 zurückgezahlt", "Sabine schuldet mir 40 Euro"),
    ("Tom gab mir die Leiter zurück", "Ich habe Tom meine Leiter geliehen"),
    ("Sabine m'a remboursé les 40", "Sabine me doit 40 euros"),
    ("J'ai rendu ses 20 euros à Tom", "Je dois 20 euros à Tom"),
    ("Sabine me ha devuelto los 40", "Sabine me debe 40 euros"),
    ("Sabine mi ha restituito i 40", "Sabine mi deve 40 euro"),
    ("Devolvi os 20 ao Tom", "Devo 20 ao Tom"),
    ("Sabine heeft me de 40 terugbetaald", "Sabine is mij 40 euro schuldig"),
]
_NOT_REPAID = [
    ("Tom paid me back 20", "Sabine owes me 20"),
    ("Sabine paid me back 20 of the 40", "Sabine owes me 40"),
    ("Luca mi ha ridato 15 dei 40 euro", "Mi deve 40 euro Luca"),
    ("Sabine gave me 40 roses", "Sabine owes me 40 euros"),
    ("I gave Tom 20 for the taxi", "I lent Tom 20"),
    ("Sabine paid me back the 15", "Sabine owes me 40"),
    ("I gave Tom his 20 back", "Tom owes me 20"),
    ("Sabine paid me back", "I owe Sabine 20"),
    ("Sabine will pay me back the 40", "Sabine owes me 40"),
    ("Sabine has to pay me back", "Sabine owes me 40"),
    ("Sabine has not paid me back", "Sabine owes me 40"),
    ("Sabine brought back a cake from Paris", "Sabine owes me 40"),
    ("Tom came back", "Tom owes me 20"),
    ("Still 45 to pay back to Gareth, he got us the tickets", "I owe Gareth 45"),
    ("Gino mi ha ridato la livella", "Ho prestato il trapano a Gino"),
    ("Sabine muss mir die 40 zurückzahlen", "Sabine schuldet mir 40 Euro"),
    ("Sabine debe devolver los 40", "Sabine me debe 40"),
]


@pytest.mark.parametrize(("newer", "older"), _REPAID)
def test_what_is_paid_or_given_back_ends_the_debt(newer: str, older: str) -> None:
    assert settlement(newer, older) == "all" and judge_pair(newer, older, 0.5).update >= 0.9


@pytest.mark.parametrize(("newer", "older"), _NOT_REPAID)
def test_other_debts_and_what_is_only_to_be_paid_end_none(newer: str, older: str) -> None:
    assert settlement(newer, older) != "all"


def test_a_debt_is_found_in_another_language_than_it_was_noted_in(
    own_store: Location, clock: TickingClock, real_model: Callable[[str], Embedder]
) -> None:
    texts = ("Sabine owes me 40 euros", "Messe Do bis So", "Anna likes jazz", "I borrowed 20 euros from Tom")
    with make_memories(own_store, clock, model=real_model) as memories:
        memories.remember_all([Draft(text=text) for text in texts])
        told = memories.recall("wer schuldet mir Geld?")
    assert told.hits[0].memory.text == texts[0] and not told.weak


def test_what_i_owe_is_no_new_value_of_what_i_am_owed() -> None:
    assert judge_pair("Marc borrowed 15 euros from me", "I borrowed 20 euros from Tom", 0.8).both == 1


@pytest.mark.parametrize(
    ("debt", "repaid", "question"),
    [
        ("Sabine owes me 40 euros", "Sabine paid me back the 40", "how much does Sabine owe me?"),
        ("I owe Tom 20 for the taxi", "gave Tom his 20 back", "how much do I owe Tom?"),
        ("Sabine schuldet mir 40 Euro", "Sabine hat mir die 40 zurückgezahlt", "wer schuldet mir Geld?"),
        ("Sabine me doit 40 euros", "Sabine m'a remboursé les 40", "combien me doit Sabine ?"),
    ],
)
def test_who_asks_for_a_debt_sees_first_that_it_was_paid_back(
    own_store: Location,
    clock: TickingClock,
    real_model: Callable[[str], Embedder],
    debt: str,
    repaid: str,
    question: str,
) -> None:
    with make_memories(own_store, clock, model=real_model) as memories:
        for text in (debt, "Rent is 800 euros", repaid):
            memories.remember(Draft(text=text))
        first, second, *_ = memories.recall(question).hits
        assert (first.memory.text, second.memory.text) == (repaid, debt)
        assert second.updated_by == first.memory.id
