"""Of whom something is known: what is somebody else's answers weakly."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.conftest import Run


@pytest.mark.parametrize(
    ("question", "weak"),
    [
        ("what am I allergic to?", True), ("what is Per allergic to?", True),
        ("what is Kari allergic to?", False),
        ("when is my birthday?", True), ("when is Ingrid's birthday?", False),
        ("where does my sister live?", False), ("where does Per live?", False),
    ],
)  # fmt: skip
def test_what_is_known_of_others_alone_answers_weakly_of_oneself_or_of_somebody_else(
    mem: Run, question: str, weak: bool
) -> None:
    for text in (
        "Per lives in Voss", "Kari is allergic to nuts", "Ingrid's birthday is 4 June",
        "My sister Clara lives in Graz",
    ):  # fmt: skip
        assert mem("remember", text).returncode == 0
    found = [json.loads(line) for line in mem("recall", question, "--json").stdout.splitlines()]
    assert found and {each["weak"] for each in found} == {weak}


def test_what_somebody_said_of_themselves_answers_nothing_of_oneself(mem: Run) -> None:
    def asked(question: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in mem("recall", question, "--json").stdout.splitlines()]

    for text in ("My client says: I live in Zürich", 'Henrik told me "I am allergic to shellfish"'):
        assert mem("remember", text).returncode == 0
    for question in ("where do I live?", "what am I allergic to?"):
        assert {each["weak"] for each in asked(question)} == {True}, question
    for question in ("where does my client live?", "what is Henrik allergic to?"):
        assert {each["weak"] for each in asked(question)} == {False}, question
    assert mem("remember", "I live in Ghent").returncode == 0
    first = asked("where do I live?")[0]
    assert (first["text"], first["weak"]) == ("I live in Ghent", False)
