"""Expressions are compiled when they are first used; each of them can be."""

from __future__ import annotations

import ast
import re
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import memcli
from memcli.text import expressions, question
from memcli.text.expressions import Cued, compile_all, expression, holds


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


def test_no_group_is_repeated_possessively() -> None:
    """Before Python 3.11.5 such a group may match too little (python/cpython#106052); Debian 12 has 3.11.2.

    What `(?>…)` holds is matched whole.
    """
    group = re.compile(r"(?<!\\)\)(?:[*+?]|\{\{?\d*,?\d*\}\}?)\+(?!\+)")
    root = Path(memcli.__file__).parent
    found = [
        f"{file.relative_to(root)}: {part}"
        for file in root.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(part := node.value, str) and group.search(part)
    ]
    assert not found
    assert group.search("(?:a|b)*+") and group.search("(a){0,4}+") and not group.search(r"\)*+")


_CUED = [each for each in vars(question).values() if isinstance(each, Cued)]


@pytest.mark.parametrize(
    ("cues", "pattern"), [*((each.cues, each.expression.pattern) for each in _CUED), *question._TALK]
)
@given(data=st.data())
def test_a_cue_stands_in_whatever_an_expression_finds(
    cues: tuple[str, ...], pattern: str, data: st.DataObject
) -> None:
    compiled = re.compile(pattern, re.IGNORECASE)
    text = data.draw(st.from_regex(compiled))
    # Without a dot it is an i to `re.IGNORECASE`, and none to `str.casefold`: Turkish, of which no form is.
    assume("ı" not in text)
    assert all(holds(found[0], cues) for found in compiled.finditer(text))
