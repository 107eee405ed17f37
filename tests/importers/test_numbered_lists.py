"""The steps of a numbered list are one memory with what leads to them; other lists stay apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from memcli.importers.records import Statement
from tests.conftest import Run
from tests.importers.files import read

STEPS = "1. Hold the button\n2. Wait for the light\n   - a minute or two\n3. Log in again\n"
JOINED = "1. Hold the button\n2. Wait for the light\n   - a minute or two\n3. Log in again"


def _texts(path: Path, text: str, source: str = "markdown") -> list[str]:
    path.write_text(text, encoding="utf-8")
    return [each.text for each in read(source, path) if isinstance(each, Statement)]


@pytest.mark.parametrize("source", ["markdown", "obsidian", "basic-memory"])
def test_a_numbered_list_is_one_with_its_title(tmp_path: Path, source: str) -> None:
    note = tmp_path / "House.md"
    under = _texts(note, f"# House\n\n## Reset the router\n\n{STEPS}", source)
    assert under == [f"House: Reset the router:\n{JOINED}"]
    led = _texts(note, f"# House\n\nReset the router:\n\n{STEPS}\nThe router is old and slow.\n", source)
    assert led == [f"House: Reset the router:\n{JOINED}", "House: The router is old and slow."]


def test_the_numbers_go_on_over_code_and_what_is_not_indented(tmp_path: Path) -> None:
    text = "## Bake\n\n1. Mix:\n\n```\nflour\n```\n\n2. Knead\n- by hand\n3. Rest\n\n1. Eat\n2. Wash up\n"
    assert _texts(tmp_path / "Bread.md", text) == [
        "Bread: Bake:\n1. Mix:\n```\nflour\n```\n2. Knead\n   - by hand\n3. Rest",
        "Bread: Bake:\n1. Eat\n2. Wash up",
    ]
    lazy = "## Bake\n\n1. Mix\n1. Knead\n1. Rest\n"
    assert _texts(tmp_path / "Bread.md", lazy) == ["Bread: Bake:\n1. Mix\n2. Knead\n3. Rest"]


APART = (
    "- The router stands in the hall\n- The mill stands by the river\n",
    "1. The router stands in the hall\n2. The mill stands by the river\n",
    "# N\n\n1. [ ] The router stands in the hall\n2. [x] The mill stands by the river\n",
    "# N\n\n1. The router stands in the hall\n\nThe mill stands by the river\n",
    "# N\n\n1. The router stands in the hall " + "x" * 8000 + "\n2. The mill stands by the river\n",
)


@pytest.mark.parametrize("text", APART)
def test_what_stands_by_itself_stays_apart(tmp_path: Path, text: str) -> None:
    assert len(_texts(tmp_path / "Notes.md", text)) == 2


def test_rules_stay_one_by_one(tmp_path: Path) -> None:
    rules = "# Rules\n\n1. Never push to main on Fridays\n2. Always write a test first\n"
    assert len(_texts(tmp_path / "CLAUDE.md", rules, "rules")) == 2


def test_how_something_is_done_is_a_procedure(mem: Run, tmp_path: Path) -> None:
    note = tmp_path / "House.md"
    note.write_text(f"# How to reset the router\n\n{STEPS}", encoding="utf-8")
    assert mem("import", str(note)).returncode == 0
    found = mem("recall", "how do I reset the router?", "--format", "text").stdout
    assert "Hold the button" in found and "Log in again" in found
    assert mem("list", "--kind", "procedure", "--format", "ids").stdout.count("\n") == 1
