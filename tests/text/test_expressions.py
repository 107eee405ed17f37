"""Expressions are compiled when they are first used; each of them can be."""

from __future__ import annotations

import re
from importlib import import_module
from pkgutil import walk_packages

import pytest

import memcli
from memcli.text import expressions
from memcli.text.expressions import compile_all, expression


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is compiled meanwhile."""
    found: list[str] = []
    really = re.compile

    def noting(pattern: str, flags: int = 0) -> re.Pattern[str]:
        found.append(pattern)
        return really(pattern, flags)

    monkeypatch.setattr(re, "compile", noting)
    return found


def test_one_is_compiled_once_and_by_its_first_use(compiled: list[str]) -> None:
    owl = expression("(o)w[l]", re.IGNORECASE)
    assert owl.pattern == "(o)w[l]" and not compiled
    assert owl.search("an OWL") and owl.groups == 1 and owl.sub("mouse", "owl") == "mouse"
    assert compiled == ["(o)w[l]"]
    with pytest.raises(AttributeError):
        owl.hoot  # type: ignore[attr-defined]  # noqa: B018 - it has none


def test_who_is_to_answer_quickly_compiles_all_that_wait(compiled: list[str]) -> None:
    owl, mouse = expression("owl"), expression("mouse")
    compile_all()
    assert {"owl", "mouse"} <= {*compiled} and not expressions._waiting
    del compiled[:]
    assert owl.match("owl") and mouse.match("mouse") and not compiled


def test_every_one_in_the_program_can_be_compiled() -> None:
    for each in walk_packages(memcli.__path__, "memcli."):
        if ".text." in each.name or ".prompt." in each.name or ".judgement." in each.name:
            import_module(each.name)
    compile_all()
