"""A key that another program prints: a password manager, a vault, `cat` of a mounted stick."""

from __future__ import annotations

import os
import shlex
import subprocess

from memcli.errors import NoKey
from memcli.keys.secret import Secret

# Time enough (seconds) for its owner to unlock a password manager; cron must not wait for ever.
_PATIENCE = 60.0
_MOST = 4096
_NOTHING = "nothing was touched"


def run_key_command(command: str) -> Secret:
    """The first line that `command` prints; it is split as a shell would, and no shell runs it.

    What it says on stderr is not shown: it may quote the key. Raises NoKey where
    it cannot be run, fails, or prints nothing.
    """
    try:
        arguments = shlex.split(command, posix=os.name != "nt")
        done = subprocess.run(
            arguments,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        # Without the cause: it holds what was printed so far.
        raise NoKey(f"the key_command gave no key within {_PATIENCE:g} s", left=_NOTHING) from None
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
