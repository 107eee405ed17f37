"""What is asked for, and in which language, by the forms of words."""

from __future__ import annotations

import pytest

from memcli.text.asking import asks_for_fact, is_foreign

FACTS = (
    "where does Ann live?", "how old is Ann?", "when do I eat lunch with Per?", "Wo wohnt meine Tante?",
    "où habite mon frère ?", "¿cómo se llama el perro?", "hvor bor Ola?", "gdzie mieszka Ola?",
)  # fmt: skip
DEEDS = (
    "when may I deploy?", "how is billing deployed?", "how do I reset it?", "darf ich das bestellen?",
    "puis-je appeler Camille ?", "¿qué debo comprar?", "hva må jeg gjøre?", "co muszę kupić?",
    "book a flight to Bergen",
)  # fmt: skip


@pytest.mark.parametrize("text", FACTS)
def test_what_is_is_asked_for(text: str) -> None:
    assert asks_for_fact(text)


@pytest.mark.parametrize("text", DEEDS)
def test_what_to_do_is_asked_for(text: str) -> None:
    assert not asks_for_fact(text)


def test_another_language_is_told_from_english() -> None:
    assert not any(map(is_foreign, [*FACTS[:3], *DEEDS[:3], DEEDS[-1], "billing invoice", "port 8443"]))
    assert all(map(is_foreign, [*FACTS[3:], *DEEDS[3:-1], "Ich koche heute für uns"]))
