"""Nobody is asked to confirm what cannot be done: arguments, names and rights are looked at before."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from memcli.command_line.loading import load_command
from memcli.command_line.table import COMMANDS
from tests.conftest import Run

# Commands that ask before something is lost, each as it asks, and with what is wrong with it otherwise.
ASKING = {
    "consolidate": (["--now", "2031-01-01"], [
        ["--now", "blorp"], ["--now", "2031-01-01", "--only", "blorp"],
        ["--now", "2031-01-01", "--apply", "/nowhere/plan"], ["--now", "2031-01-01", "--max-seconds", "nan"],
        ["--now", "2031-01-01", "--space", " "],
    ]),
    "forget": (["--query", "Ann"], [
        ["--query", "Ann", "--before", "blorp"], ["--query", "Ann", "--kind", "blorp"], ["--hard", "blorp"],
        ["--query", "Ann", "--tag", " "], ["--query", "Ann", "--preview", "blorp"],
    ]),
    "space forget": (["ranch"], [[" "], ["blorp"], ["--hard", "blorp"]]),
    "block delete": (["me", "--erase"], [["blorp", "--erase"], [" ", "--erase"]]),
    "checkpoint clear": (["build"], [["blorp"], [" "]]),
    "session clear": (["friday"], [["blorp"], [" "]]),
    "snapshot rollback": (["s1"], [["blorp"], ["s1", "--space", "blorp"], [" "]]),
    "snapshot drop": (["s1"], [["blorp"], ["s1", "blorp"], [" "]]),
    "backup restore": (["latest"], [["blorp"], ["/dev/null"], [" "]]),
}  # fmt: skip
# These ask nothing without a terminal, or --yes means another thing there.
OTHERS = {"hook install", "hook remove", "init"}
QUESTION = ("--yes", "There is no terminal")


@pytest.fixture
def store(mem: Run) -> Run:
    """Something of each kind that can be lost."""
    for arguments, given in (
        (["remember", "Ann lives in Rome"], ""), (["remember", "Bob rows", "--space", "ranch"], ""),
        (["block", "set", "me", "I am Ann"], ""), (["checkpoint", "save", "build", "-"], '{"a": 1}'),
        (["log", "hello there", "--session", "friday"], ""), (["snapshot", "create", "s1"], ""),
        (["backup"], ""), (["remember", "Carl sings in the choir"], ""),
    ):  # fmt: skip
        done = mem(*arguments, input=given)
        assert done.returncode == 0, done
    return mem


def test_what_is_wrong_is_said_before_anything_is_asked(store: Run) -> None:
    for command, (asking, wrong) in ASKING.items():
        done = store(*command.split(), *asking)
        assert done.returncode == 2 and QUESTION[0] in done.stderr, (command, done)
        for arguments in wrong:
            done = store(*command.split(), *arguments)
            assert done.returncode in (1, 2, 4), (command, arguments, done)
            assert not any(each in done.stderr for each in QUESTION), (command, arguments, done.stderr)


def test_who_may_not_is_told_so_before_anything_is_asked(store: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMCLI_ORIGIN", "mcp:stranger")
    for command, (asking, _) in ASKING.items():
        for hard in ([], ["--hard"]) if command in ("forget", "space forget") else ([],):
            done = store(*command.split(), *asking, *hard)
            assert done.returncode == 3 and "mcp:stranger" in done.stderr, (command, done)


def _with_yes() -> Iterator[tuple[str, set[str]]]:
    """Every command with --yes, and its options."""
    for name in COMMANDS:
        stack = [(name, load_command(name))]
        while stack:
            called, command = stack.pop()
            if hasattr(command, "commands"):
                stack += [(f"{called} {each}", inner) for each, inner in command.commands.items()]
                continue
            options = {option for parameter in command.params for option in parameter.opts}
            if "--yes" in options:
                yield called, options


def test_every_command_that_asks_stands_here_and_can_be_looked_at_first() -> None:
    found = dict(_with_yes())
    assert set(found) - OTHERS == set(ASKING)
    assert all("--dry-run" in options for name, options in found.items() if name not in OTHERS)
