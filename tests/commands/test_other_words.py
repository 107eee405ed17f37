"""Who types another program's word, or none that there is, is told ours; help says all of a line."""

from __future__ import annotations

import os
import re
import subprocess

import pytest

from memcli.command_line.loading import load_command
from memcli.command_line.table import COMMANDS, ELSEWHERE, OUR_WORD, SECTIONS
from memcli.commands.terminal.groups import ALIKE
from tests.conftest import MEM, Run
from tests.terminals import all_shown


def test_each_word_of_others_stands_for_one_command_that_there_is() -> None:
    words = [word for each in ELSEWHERE.values() for word in each.split()]
    assert len(words) == len(set(words)) == len(OUR_WORD)
    assert set(ELSEWHERE) <= set(COMMANDS) and not set(words) & set(COMMANDS)
    alike = [word for words in ALIKE for word in words]
    assert len(alike) == len(set(alike))


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("add x", "did you mean 'remember'?"), ("search x", "did you mean 'recall'?"),
        ("rm 3", "did you mean 'forget'?"), ("recal x", "did you mean 'recall'?"),
        ("policy rm x", "mem policy has no command 'rm'; did you mean 'remove'?"),
        ("task finish", "did you mean 'end'?"), ("block lits", "did you mean 'list'?"),
        ("snapshot xyzzy", "it has create, list, show, drop, diff, rollback"),
        ("xyzzy", "no command 'xyzzy' (see"),
    ],
)  # fmt: skip
def test_a_word_that_is_no_command_is_told_in_a_line_with_ours(mem: Run, line: str, told: str) -> None:
    done = mem(*line.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert told in done.stderr and len(done.stderr.splitlines()) == 1


def test_a_hook_that_there_is_not_is_told_and_fails_no_agent(mem: Run) -> None:
    done = mem("hook", "uninstall", "claude")
    assert (done.returncode, done.stdout) == (0, "")
    assert "mem hook has no command 'uninstall'; did you mean 'remove'?" in done.stderr


MAKING = (
    "procedure add -", "policy add - --rule x", "block set - x", "session start -", "snapshot create -",
    "rule add never - --pattern x", "checkpoint save -", "checkpoint run - b -- true", "link a - b",
    "link - r b", "link a r -",
)  # fmt: skip


@pytest.mark.parametrize("line", MAKING)
def test_nothing_gets_the_name_of_stdin(mem: Run, line: str) -> None:
    done = mem(*line.split(), input="description: seek it\nsteps: [look]\n")
    assert (done.returncode, done.stdout) == (2, ""), line
    assert "'-' is stdin; give a name" in done.stderr
    assert mem("export").stdout.count("\n") <= 1


def test_what_has_that_name_from_earlier_can_be_shown_and_removed(mem: Run) -> None:
    for line in (
        "block delete -",
        "procedure deprecate -",
        "session clear - --yes",
        "checkpoint clear - --yes",
    ):
        assert "is stdin" not in mem(*line.split()).stderr, line


def test_help_breaks_off_no_line_and_shows_the_sections(mem: Run) -> None:
    shown = mem("--help").stdout
    assert [line[:-1] for line in shown.splitlines() if line[:-1] in SECTIONS] == list(SECTIONS)
    assert all(re.search(rf"^  {name} ", shown, re.MULTILINE) for name in COMMANDS)
    for name in COMMANDS:
        for below in getattr(load_command(name), "commands", {}).values():
            said = below.get_short_help_str()
            assert said.endswith((".", "?")) and not said.endswith("..."), f"{name}: {said}"
            assert " ".join((below.help or "").split()).startswith(said)


def seen_at_a_terminal(*arguments: str) -> tuple[int, str]:
    """Run `mem` with a terminal for both of its streams; its status, and what is seen there."""
    pty = pytest.importorskip("pty")
    terminal, inside = pty.openpty()
    process = subprocess.Popen([MEM, *arguments], stdin=subprocess.DEVNULL, stdout=inside, stderr=inside)
    os.close(inside)
    seen = all_shown(terminal).decode()
    os.close(terminal)
    return process.wait(60), seen


def test_who_looks_at_an_empty_terminal_is_told_and_a_pipe_is_not(mem: Run) -> None:
    mem("remember", "The mill grinds rye")
    nothing = ("recall", "quantum chromodynamics", "--words"), ("policy", "conflicts"), ("procedure", "list")
    for line in (*nothing, ("audit",)):
        status, seen = seen_at_a_terminal(*line)
        assert status == 1 and seen.rstrip().endswith("mem: nothing found"), line
        done = mem(*line)
        assert (done.returncode, done.stdout, done.stderr) == (1, "", ""), line
    assert "nothing found" not in seen_at_a_terminal(*nothing[0], "--json")[1]
    assert "nothing found" not in seen_at_a_terminal("task", "phase")[1]  # which says what is missing
    assert "nothing found" not in seen_at_a_terminal("list")[1]
