"""A key that another program prints: a password manager, a vault, `cat` of a mounted stick."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from contextlib import suppress

from memcli.errors import NoKey
from memcli.keys.secret import Secret

# Time enough (seconds) for its owner to unlock a password manager; cron must not wait for ever.
_PATIENCE = 60.0
# After so long (seconds) who sits at a terminal is told what it waits for: most managers answer at once.
_SILENCE = 2.0
_MOST = 4096
_NOTHING = "nothing was touched"


def run_key_command(command: str) -> Secret:
    """The first line that `command` prints; it is split as a shell would, and no shell runs it.

    What it says on stderr is not shown: it may quote the key. Raises NoKey where
    it cannot be run, fails, prints nothing, or gives no key within a minute.
    """
    try:
        done = _finished(shlex.split(command, posix=os.name != "nt"))
    except subprocess.TimeoutExpired:
        # Without the cause: it holds what was printed so far.
        raise NoKey(
            f"the key_command gave no key within {_PATIENCE:g} s",
            left=_NOTHING,
            advice="run it by hand to see what it waits for",
        ) from None
    except (OSError, ValueError, IndexError) as error:
        why = getattr(error, "strerror", None) or "it cannot be split into words"
        raise NoKey(f"the key_command cannot be run ({why})", left=_NOTHING) from None
    if done.returncode:
        raise NoKey(
            f"the key_command failed (exit status {done.returncode})",
            left=_NOTHING,
            advice="run it by hand to see why",
        )
    line = done.stdout[:_MOST].split(b"\n", 1)[0].rstrip(b"\r").decode("utf-8", "surrogateescape")
    if not line.strip():
        raise NoKey("the key_command printed no key", left=_NOTHING)
    return Secret(line.strip() if Secret(line.strip(), "").is_key else line, "the key_command")


def _finished(arguments: list[str]) -> subprocess.CompletedProcess[bytes]:
    """Run a command to its end. Raises subprocess.TimeoutExpired where it is killed for it did not come."""
    with subprocess.Popen(
        arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as running:
        try:
            try:
                printed, _ = running.communicate(timeout=_SILENCE)
            except subprocess.TimeoutExpired:
                _tell_waiting()
                printed, _ = running.communicate(timeout=_PATIENCE - _SILENCE)
        except BaseException:
            running.kill()
            raise
    return subprocess.CompletedProcess(arguments, running.returncode, printed)


def _tell_waiting() -> None:
    """Say on a terminal why nothing happens."""
    if sys.stderr and sys.stderr.isatty():
        with suppress(OSError):
            sys.stderr.write(f"mem: waiting for the key_command, {_PATIENCE:g} s at most\n")
            sys.stderr.flush()
