"""A question that is answered with no: nothing is changed, and the exit status says so."""

from __future__ import annotations

import os
import pty

import pytest

from tests.conftest import MEM, Run
from tests.terminals import pieces_shown

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs a pseudo-terminal")


def typed(answer: bytes, *arguments: str) -> tuple[int, str]:
    """The exit status of `mem` on a pseudo-terminal where this is typed, and what it shows.

    A Ctrl-C is typed again where nothing happens, as people do: one that comes just before Python
    begins to read is noted by it, and not looked at before something is read.
    """
    process, master = pty.fork()
    if process == 0:
        os.execve(MEM, [str(MEM), *arguments], {**os.environ, "TERM": "xterm", "COLUMNS": "100"})
    shown = b""
    sent = False
    for piece in pieces_shown(master, quiet=2):
        shown += piece
        if b"[y/N]" in shown and (not sent or (answer == b"\x03" and not piece)):
            os.write(master, answer)
            sent = True
    os.close(master)
    assert sent, shown
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), shown.decode()


@pytest.mark.parametrize(
    "command",
    [
        ("forget", "--hard", "ID"),
        ("forget", "--query", "tea"),
        ("forget", "--all"),
        ("space", "forget", "default"),
    ],
)
def test_no_is_exit_status_1_and_changes_nothing(mem: Run, command: tuple[str, ...]) -> None:
    known = mem("remember", "I drink tea").stdout.strip()
    before = mem("history", "--json").stdout
    status, shown = typed(b"n\r", *(known if each == "ID" else each for each in command))
    assert status == 1 and "cancelled" in shown and "nothing was changed" in shown
    assert mem("history", "--json").stdout == before and mem("show", known).returncode == 0


def test_yes_goes_on_and_ctrl_c_is_no_answer(mem: Run) -> None:
    known = mem("remember", "I drink tea").stdout.strip()
    assert typed(b"\x03", "forget", "--hard", known)[0] == 130
    assert mem("show", known).returncode == 0
    assert typed(b"y\r", "forget", "--hard", known)[0] == 0
    assert mem("show", known).returncode == 1
