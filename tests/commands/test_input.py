"""Where a command takes its text from: arguments, a file, a pipe, and nobody at a terminal."""

from __future__ import annotations

import os

import pytest

from tests.conftest import Run


@pytest.mark.parametrize("arguments", [["policy", "import"], ["checkpoint", "save", "t"]])
def test_nobody_is_waited_for_at_a_terminal(mem: Run, arguments: list[str]) -> None:
    pty = pytest.importorskip("pty")
    leader, terminal = pty.openpty()
    done = mem(*arguments, stdin=terminal)
    os.close(leader)
    os.close(terminal)
    assert (done.returncode, done.stdout) == (2, "")
    assert "name a file, or pipe" in done.stderr
