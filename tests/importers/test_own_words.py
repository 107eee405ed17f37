"""What memcli printed itself is not taken in with the files that people write, nor into blocks and tasks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memcli.prompt.echoes import with_own_lines_empty
from tests.conftest import Run
from tests.prompt.test_echoes import BLOCK, Originals

SAID = ("Mi hermano Javier vive en Salamanca", "Ana toca el violín los martes con Javier")


@pytest.fixture
def recalled(mem: Run) -> dict[str, str]:
    """What recall prints of a store with memories, a block and a task, by its format."""
    for said in SAID:
        assert mem("remember", said).returncode == 0
    assert mem("block", "set", "ana", "Ana quiere aprender a tocar el piano").returncode == 0
    assert mem("task", "start", "Organizar la mudanza").returncode == 0
    forms = {"context": (), "text": ("--format", "text"), "jsonl": ("--json",)}
    return {name: mem("recall", "Ana y Javier", *how).stdout for name, how in forms.items()}


def _texts(mem: Run) -> list[str]:
    lines = mem("export", "--live").stdout.splitlines()
    return sorted(each["text"] for each in map(json.loads, lines) if each.get("type") == "memory")


@pytest.mark.parametrize("name", ["r.md", "vault/2026-12-01.md", "r.txt", "CLAUDE.md"])
@pytest.mark.parametrize("form", ["context", "text"])
def test_an_import_takes_nothing_of_what_recall_printed(
    mem: Run, recalled: dict[str, str], tmp_path: Path, name: str, form: str
) -> None:
    path = tmp_path / name
    (tmp_path / "vault" / ".obsidian").mkdir(parents=True)
    path.write_text(f"A page of notes.\n\n{recalled[form]}", encoding="utf-8")
    done = mem("import", str(path))
    assert done.returncode == 3
    assert f"{path}: " in done.stderr and " lines left out: it is what memcli itself printed" in done.stderr
    [new] = [each for each in _texts(mem) if each not in SAID]
    assert new.rpartition(": ")[2] == "A page of notes."


def test_what_is_said_around_it_stays_and_a_second_import_changes_nothing(
    mem: Run, recalled: dict[str, str], tmp_path: Path
) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        f"Bought bread with Luc in Toledo.\n\n```\n{recalled['context']}```\n"
        f"The lamp in the hall is from Oslo.\n{recalled['text']}\nTo buy:\n- oat milk for the week\n",
        encoding="utf-8",
    )
    mem("import", str(page))
    first = mem("export").stdout
    assert [each for each in _texts(mem) if each not in SAID] == [
        "page: Bought bread with Luc in Toledo.",
        "page: The lamp in the hall is from Oslo.",
        "page: To buy: oat milk for the week",
    ]
    again = mem("import", str(page))
    assert "0 added, 0 updated, 3 known" in again.stdout
    assert mem("export").stdout == first


def test_what_a_table_quotes_of_recall_updates_nothing_when_it_comes_again(
    mem: Run, recalled: dict[str, str], tmp_path: Path
) -> None:
    line = recalled["text"].splitlines()[0]
    path = tmp_path / "notes.csv"
    path.write_text(f'id,text\n1,"{line}\nThe lamp in the hall is from Oslo"\n', encoding="utf-8")
    assert "1 added" in mem("import", str(path)).stdout
    assert "0 added, 0 updated, 1 known" in mem("import", str(path)).stdout


def test_force_takes_all_of_it(mem: Run, recalled: dict[str, str], tmp_path: Path) -> None:
    path = tmp_path / "page.txt"
    path.write_text(f"A page of notes.\n{recalled['text']}", encoding="utf-8")
    assert mem("import", str(path), "--force").returncode == 0
    assert any(SAID[1] in each for each in _texts(mem) if each not in SAID)


@pytest.mark.parametrize("command", [
    ("block", "append", "ana"), ("block", "set", "new"), ("task", "note"), ("task", "constraint"),
])  # fmt: skip
def test_neither_a_block_nor_a_task_keeps_it(
    mem: Run, recalled: dict[str, str], command: tuple[str, ...]
) -> None:
    before = mem("export").stdout
    done = mem(*command, recalled["context"])
    assert done.returncode == 3 and "it is what memcli itself printed" in done.stderr
    done = mem(*command, f"Wants to learn the piano.\n{recalled['context']}")
    assert done.returncode == 3 and "leave that out" in done.stderr
    assert mem("export").stdout == before
    assert mem(*command, "Wants to learn: the piano").returncode == 0


def test_a_variable_of_a_task_may_be_what_a_program_printed(mem: Run, recalled: dict[str, str]) -> None:
    assert mem("task", "set", f"found={recalled['jsonl'].splitlines()[0]}").returncode == 0


def test_each_other_line_stands_where_it_stood() -> None:
    text = f"One.\nPreferences:\n- tea\n\nFacts:\n{BLOCK}\n\n~~~\n{BLOCK}\n~~~\nLast."
    rest, echoes = with_own_lines_empty(text, Originals())
    assert echoes > 0
    lines, before = rest.split("\n"), text.split("\n")
    assert len(lines) == len(before)
    kept = [line for line in lines if line]
    assert kept == ["One.", "Preferences:", "- tea", "Last."]


def test_a_line_of_json_is_left_out_whole(mem: Run, recalled: dict[str, str]) -> None:
    assert mem("block", "set", "odd", "It says <memories from='x'> there").returncode == 0
    quoted = json.dumps({"text": f"Luc wrote this down: {recalled['context']}"})
    done = mem("remember", "--batch", "--json", input=f"{quoted}\n{recalled['jsonl']}")
    assert "not valid JSON" not in done.stderr
