"""Summaries of modules: the first line names the thing by a word of the file's name or of a public name."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

_PACKAGE = Path(__file__).parents[1] / "memcli"


def _stems(text: str) -> set[str]:
    """The first letters of each word: enough to match "restoring" with "restore", "copies" with "copy"."""
    parts = re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", text)
    return {word.lower()[: max(3, min(5, len(word) - 1))] for word in parts if len(word) > 2}


def _public_names(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and not node.name.startswith("_"):
            yield node.name


def _modules() -> Iterator[Path]:
    yield from sorted(_PACKAGE.rglob("*.py"))


@pytest.mark.parametrize("path", list(_modules()), ids=lambda path: str(path.relative_to(_PACKAGE)))
def test_a_summary_names_its_module(path: Path) -> None:
    tree = ast.parse(path.read_text("utf-8"))
    summary = " ".join((ast.get_docstring(tree) or "").split("\n\n")[0].split())
    assert summary and not summary.startswith(("What ", "Whether ")), f"{path}: {summary!r} names nothing"
    name = path.parent.name if path.stem.startswith("__") else path.stem
    named = {stem for each in (name, *_public_names(tree)) for stem in _stems(each)}
    said = {word[: len(stem)] for stem in named for word in re.findall(r"[a-z]+", summary.lower())}
    assert named & said, f"{path}: {summary!r} has no word of its name, nor of a public one"
