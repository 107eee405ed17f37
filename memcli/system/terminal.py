"""The terminal that a person sits at, whatever our streams are.

It is `/dev/tty`; but a process that works in place of another, like a child of the keeper (`memcli.warm`),
has none of its own, and is given its caller's.
"""

from __future__ import annotations

import errno
import os
import sys

_handed: int | None = None


def use_terminal(descriptor: int | None) -> None:
    """Use this as our terminal from now on; with None there is none, whatever /dev/tty says."""
    global _handed  # noqa: PLW0603 - one terminal a process
    _handed = -1 if descriptor is None else descriptor


def open_terminal() -> int:
    """Return a new descriptor of it, for reading and writing. Raises OSError if there is none."""
    if _handed is not None:
        return os.dup(_handed)
    if not hasattr(os, "O_NOCTTY"):  # Windows has no such file
        raise OSError(errno.ENXIO, "there is no /dev/tty here")
    return os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY)


def is_terminal_there() -> bool:
    """True if there is a terminal, even if nobody sits at it."""
    try:
        os.close(open_terminal())
    except OSError:
        return False
    return True


def ask_unseen(question: str) -> str:
    """Ask a question and return the answer, which is not echoed. Raises EOFError."""
    import getpass

    if _handed is None:
        return getpass.getpass(question)
    # getpass tries /dev/tty, and if there is none asks at stdin, which is replaced by the terminal meanwhile.
    before = sys.stdin
    with os.fdopen(open_terminal(), encoding="utf-8") as lines, os.fdopen(open_terminal(), "w") as shown:
        sys.stdin = lines
        try:
            return getpass.getpass(question, stream=shown)
        finally:
            sys.stdin = before
