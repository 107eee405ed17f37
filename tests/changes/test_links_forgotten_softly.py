"""What a soft forgetting of somebody ends comes back whole: memories, and the links beside them."""

from __future__ import annotations

import json

import pytest

from tests.conftest import Run

STATED = "Javier lives_in Salamanca"


@pytest.fixture
def javier(mem: Run) -> str:
    mem("link", "Javier", "lives_in", "Salamanca")
    return mem("remember", "Mi hermano Javier vive en Salamanca").stdout.strip()


def _linked(mem: Run) -> bool:
    return "Salamanca" in mem("graph", "show").stdout


@pytest.mark.parametrize("how", [("--about", "Javier"), ("--query", "Javier")])
def test_it_is_told_and_undone_as_one_change(mem: Run, javier: str, how: tuple[str, str]) -> None:
    dry = mem("forget", *how, "--dry-run")
    assert "link/" in dry.stdout and "1 memory, 1 link" in dry.stderr and _linked(mem)
    code = dry.stderr.split("--preview ")[1].strip()
    done = mem("forget", *how, "--preview", code)
    assert done.stdout.strip() == javier and STATED in done.stderr and not _linked(mem)
    undone = mem("undo")
    assert STATED in undone.stdout and _linked(mem) and "Javier" in mem("list").stdout
    again = undone.stderr.split("`mem undo ")[1].split("`")[0]
    assert mem("undo", again).returncode == 0 and not _linked(mem)


def test_restoring_the_memory_brings_them_along(mem: Run, javier: str) -> None:
    forgotten = mem("forget", "--about", "Javier", "--yes", "--json").stdout.splitlines()
    assert json.loads(forgotten[-1])["address"].startswith("link/")
    back = mem("restore", javier)
    assert STATED in back.stderr and _linked(mem)
    # An undo of that ends both again.
    assert mem("undo").returncode == 0 and not _linked(mem) and mem("list").returncode == 1


def test_what_was_unlinked_by_itself_stays_so(mem: Run, javier: str) -> None:
    mem("link", "Javier", "owns", "boat")
    mem("unlink", "Javier", "owns", "boat")
    mem("forget", "--about", "Javier", "--yes")
    mem("restore", javier)
    assert "boat" not in mem("graph", "show").stdout and _linked(mem)


def test_links_alone_are_undone_too(mem: Run) -> None:
    mem("remember", "The gate is green")
    mem("link", "Javier", "lives_in", "Salamanca")
    assert mem("forget", "--about", "Javier", "--yes").returncode == 0 and not _linked(mem)
    assert STATED in mem("undo").stdout and _linked(mem) and "gate" in mem("list").stdout
