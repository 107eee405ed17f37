"""A real shell on a pseudo-terminal, typed into: what it makes of a line is what its arguments are."""

from __future__ import annotations

import os
import select
import shutil
import struct
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

_STARTS = {
    "bash": ["bash", "--norc", "--noprofile", "-i"],
    "zsh": ["zsh", "-f", "-i"],
    "fish": ["fish", "--no-config", "-i"],
}
# `show` writes its arguments down; the prompt is known among what is echoed.
_SETUPS = {
    "bash": "show() { printf '%s\\0' \"$@\" done > \"$ANSWER\"; }; PS1=REA''DY",
    "zsh": "show() { printf '%s\\0' \"$@\" done > $ANSWER }; PROMPT_EOL_MARK=; bindkey -e; PS1=REA''DY",
    "fish": "function show; printf '%s\\0' $argv done > $ANSWER; end\r"
    "function fish_prompt; echo -n REA''DY; end",
}
_PATIENCE = 30.0
_ATTEMPTS = 3
TAB, HOME = "\t", "\x01"


class TypedShell:
    """A shell that waits at its prompt."""

    def __init__(self, leader: int, answer: Path) -> None:
        self._leader = leader
        self._answer = answer
        self.screen = b""
        self._mark = 0

    def arguments(self, keys: str) -> list[str]:
        """The words of a line, its command first, once `keys` were typed: what `show` before it is given.

        On a busy machine a shell may still draw its prompt, and drop what is typed meanwhile: then all is
        typed again.
        """
        return next((words for _ in range(_ATTEMPTS) if (words := self._arguments(keys))), [])

    def _arguments(self, keys: str) -> list[str]:
        self._answer.unlink(missing_ok=True)
        os.write(self._leader, f"{keys}{HOME}show \r".encode())
        end = time.monotonic() + _PATIENCE
        while time.monotonic() < end:
            self.read(0.05)
            if self._answer.exists() and (words := self._answer.read_text("utf-8").split("\0"))[-2:-1]:
                return words[:-2]
        raise AssertionError(self.screen.decode(errors="replace"))

    def type_at(self, prompt: str, keys: str) -> None:
        """Type once something has been shown since the last line was entered."""
        self.wait_for(prompt)
        self.press(keys)

    def wait_for(self, text: str) -> None:
        """Wait until something is shown since the last line was entered, or fail."""
        end = time.monotonic() + _PATIENCE
        while text not in (seen := self.screen.decode(errors="replace")[self._mark :]):
            assert time.monotonic() < end, seen
            self.read(0.05)

    def press(self, keys: str) -> None:
        """Type, and wait for nothing."""
        self._mark = len(self.screen.decode(errors="replace"))
        os.write(self._leader, keys.encode())

    def enter(self, line: str) -> None:
        """Type a line and wait for the prompt."""
        seen = self.screen.count(b"READY")
        os.write(self._leader, f"{line}\r".encode())
        end = time.monotonic() + _PATIENCE
        while self.screen.count(b"READY") == seen and time.monotonic() < end:
            self.read(0.05)

    def read(self, seconds: float) -> None:
        """Take in what it says for so long."""
        if select.select([self._leader], [], [], seconds)[0]:
            said = os.read(self._leader, 65536)
            self.screen += said
            # Where the cursor is, a terminal answers.
            if b"\x1b[6n" in said:
                os.write(self._leader, b"\x1b[2;1R")


@contextmanager
def typed_shell(shell: str, setup: str, environment: Mapping[str, str], folder: Path) -> Iterator[TypedShell]:
    """A shell in a folder, in which the line `setup` was typed. Skips where it is not installed."""
    import fcntl
    import pty
    import termios

    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed here (apt-get install {shell})")
    answer = folder / "answer"
    given = {**environment, "ANSWER": str(answer), "TERM": "xterm", "LC_ALL": "C.UTF-8"}
    leader, follower = pty.openpty()
    fcntl.ioctl(leader, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    with subprocess.Popen(
        _STARTS[shell], env=given, cwd=folder, start_new_session=True,
        stdin=follower, stdout=follower, stderr=follower,
        preexec_fn=_take_terminal,  # noqa: PLW1509 - it makes one call
    ) as process:  # fmt: skip
        os.close(follower)
        try:
            typed = TypedShell(leader, answer)
            # Some drop what is typed before they are at their prompt.
            while not typed.screen.strip():
                typed.read(0.2)
            typed.enter(_SETUPS[shell])
            typed.enter(setup)
            yield typed
        finally:
            process.kill()
            os.close(leader)


def _take_terminal() -> None:
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
