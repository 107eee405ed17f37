"""The streams: data goes to stdout, everything else to stderr."""

from __future__ import annotations

import sys
from contextlib import suppress

from memcli.text.printable import one_line


def to_stdout(line: str) -> None:
    """Write one line of data."""
    sys.stdout.write(line + "\n")


def bytes_to_stdout(content: bytes) -> None:
    """Write data that is no text."""
    sys.stdout.flush()
    sys.stdout.buffer.write(content)


def to_stderr(line: str) -> None:
    """Say something to the person at the terminal, or to the log."""
    text_to_stderr(f"mem: {one_line(line)}\n")


def text_to_stderr(text: str) -> None:
    """Write a text there; where it is full or gone, what is done and its exit status stand all the same."""
    with suppress(OSError):
        sys.stderr.write(text)


def stdout_is_terminal() -> bool:
    """Whether stdout is a terminal."""
    return sys.stdout.isatty()


# For terminals only: rich takes a tenth of a second to import.
