"""The id that is printed of what waits for review is known to every command that takes one."""

from __future__ import annotations

import pytest

from tests.conftest import Run


@pytest.fixture
def held(mem: Run) -> str:
    """The printed id of a memory that waits for review."""
    done = mem("remember", "Luc drinks oolong", "--source", "inferred", "--confidence", "0.5")
    assert done.returncode == 0 and "review" in done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("part", [slice(None), slice(-8, None)])
@pytest.mark.parametrize("command", [
    ("show",), ("why",), ("forget",), ("edit", "--tag", "tea"), ("correct",), ("restore",),
])  # fmt: skip
def test_a_command_says_that_it_waits_why_and_how_it_is_accepted(
    mem: Run, held: str, command: tuple[str, ...], part: slice
) -> None:
    text = ("Luc drinks green tea",) if command == ("correct",) else ()
    done = mem(command[0], held[part], *command[1:], *text)
    assert done.returncode == 1 and done.stdout == ""
    [line] = done.stderr.splitlines()
    assert "is no memory yet: it waits for review (" in line
    assert f"mem review accept {held[-8:]} keeps it" in line.replace("`", "")


def test_one_that_was_rejected_says_so_and_none_of_another_space_is_told_of(mem: Run, held: str) -> None:
    mem("remember", "The boat lies in Linz", "--space", "alm")
    assert f"no memory '{held}' in space 'alm'" in mem("show", held, "--space", "alm").stderr
    assert mem("review", "reject", held).returncode == 0
    assert "it was rejected in the review" in mem("show", held).stderr


def test_for_good_it_is_forgotten_by_its_id(mem: Run, held: str) -> None:
    done = mem("forget", "--hard", "--yes", held)
    assert done.returncode == 0, done.stderr
    assert mem("review", "list").stdout == ""
    assert "oolong" not in mem("export", "--history").stdout
