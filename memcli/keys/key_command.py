"""Key command: a key that another program prints (a password manager, a vault, `cat` of a mounted stick)."""

from __future__ import annotations

import os
import shlex
import sys
import threading
from contextlib import suppress

from memcli.errors import NoKey
from memcli.keys.secret import Secret
from memcli.system.processes import Exit, Standing, passing_signals, run_process

# Timeout in seconds: enough to unlock a password manager; cron must not wait for ever.
_PATIENCE = 60.0
# After so many seconds a terminal is told what the program waits for: most managers answer at once.
_SILENCE = 2.0
# Bytes of its output that are kept; and bytes after which its output is closed.
_MOST, _FAR_TOO_MUCH = 4096, 1 << 20
_NOTHING = "nothing was touched"


def run_key_command(command: str) -> Secret:
    """Return the first line that `command` prints; it is split as a shell would, and no shell runs it.

    Its stderr is not shown: it may quote the key. Raises NoKey if it cannot be run, fails, prints nothing,
    or gives no key within a minute.
    """
    try:
        words = shlex.split(command, posix=os.name != "nt")
    except ValueError:
        words = []
    if not words:
        raise NoKey("the key_command cannot be run (it cannot be split into words)", left=_NOTHING)
    done = _run(words)
    if done.not_started is not None:
        raise NoKey(f"the key_command cannot be run ({done.not_started})", left=_NOTHING)
    if done.timed_out:
        raise NoKey(
            f"the key_command gave no key within {_PATIENCE:g} s",
            left=_NOTHING,
            advice="run it by hand to see what it waits for",
        )
    if done.status:
        raise NoKey(
            f"the key_command failed (exit status {done.status})",
            left=_NOTHING,
            advice="run it by hand to see why",
        )
    line = done.stdout.kept.split(b"\n", 1)[0].rstrip(b"\r").decode("utf-8", "surrogateescape")
    if not line.strip():
        raise NoKey("the key_command printed no key", left=_NOTHING)
    return Secret(line.strip() if Secret(line.strip(), "").is_key else line, "the key_command")


def _run(words: list[str]) -> Exit:
    """Run a command to its end or the timeout. It may ask at the terminal; its stdin is empty."""
    printed = 0

    def hear(some: bytes) -> None:
        nonlocal printed
        printed += len(some)
        if printed > _FAR_TOO_MUCH:
            raise BrokenPipeError  # stop reading output that never ends

    waiting = threading.Timer(_SILENCE, _tell_waiting)
    waiting.daemon = True
    waiting.start()
    with passing_signals(deadly=True) as signals:
        ended = run_process(
            words, signals, Standing.beside_us(timeout=_PATIENCE),
            stdout=hear, stderr=lambda some: None, keep=_MOST,
        )  # fmt: skip
    waiting.cancel()
    signals.obey()
    return ended


def _tell_waiting() -> None:
    """Say on a terminal what the program is waiting for."""
    if sys.stderr and sys.stderr.isatty():
        with suppress(OSError):
            sys.stderr.write(f"mem: waiting for the key_command, {_PATIENCE:g} s at most\n")
            sys.stderr.flush()
