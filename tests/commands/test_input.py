"""Where a command takes its text from: arguments, a file, a pipe, and nobody at a terminal."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.conftest import Run

FILES = [
    ["import"], ["session", "import"], ["policy", "import"], ["checkpoint", "save", "t"],
    ["procedure", "add", "t"], ["procedure", "import"], ["backup", "restore"], ["backup", "verify"],
    ["sync"], ["merge-store"], ["model", "use"],
]  # fmt: skip


@pytest.mark.parametrize("arguments", FILES)
@pytest.mark.parametrize("blank", ["", " "])
def test_an_unset_variable_names_no_file(mem: Run, arguments: list[str], blank: str) -> None:
    assert mem("remember", "Ann lives in Rome").returncode == 0
    done = mem(*arguments, blank)
    assert done.returncode == 2 and done.stderr.count("\n") == 1, done
    assert not done.stderr.startswith("mem: :") and "directory" not in done.stderr


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no endless device there")
@pytest.mark.parametrize("arguments", [["import"], ["session", "import"], ["policy", "import"]])
def test_what_never_ends_is_left(mem: Run, arguments: list[str]) -> None:
    done = mem(*arguments, "/dev/zero")
    assert done.returncode == 2 and "256 MiB" in done.stderr


@pytest.mark.parametrize("arguments", [["policy", "import"], ["checkpoint", "save", "t"]])
def test_nobody_is_waited_for_at_a_terminal(mem: Run, arguments: list[str]) -> None:
    pty = pytest.importorskip("pty")
    leader, terminal = pty.openpty()
    done = mem(*arguments, stdin=terminal)
    os.close(leader)
    os.close(terminal)
    assert (done.returncode, done.stdout) == (2, "")
    assert "name a file, or pipe" in done.stderr
