"""The streams: data goes to stdout, everything else to stderr."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from memcli.messages import Message
from memcli.text.printable import one_line

if TYPE_CHECKING:
    from pathlib import Path


def to_stdout(line: str) -> None:
    """Write one line of data."""
    sys.stdout.write(line + "\n")


def bytes_to_stdout(content: bytes) -> None:
    """Write data that is no text."""
    sys.stdout.flush()
    sys.stdout.buffer.write(content)


def bytes_to(path: Path | None, content: bytes) -> None:
    """Write data to a private file, whole or not at all; to stdout for None and `-`. Raises BadInput."""
    if path is None or str(path) == "-":
        bytes_to_stdout(content)
        return
    from memcli.errors import BadInput
    from memcli.system.files import write_private

    try:
        write_private(path, content)
    except OSError as error:
        raise BadInput(
            f"{path}: cannot be written ({error.strerror})", by_hand="name another file"
        ) from error


def to_stderr(line: str) -> None:
    """Say something to the person at the terminal, or to the log."""
    text_to_stderr(f"mem: {one_line(printed(line))}\n")


def printed(line: str) -> str:
    """A message as this call prints it: each command in it with the options that say where it looks."""
    if not isinstance(line, Message):
        return line
    from memcli.commands.terminal.call import Call

    call = Call.at_hand()
    return call.printed(line) if call else line


def text_to_stderr(text: str) -> None:
    """Write a text there; where it is full or gone, what is done and its exit status stand all the same."""
    with suppress(OSError):
        sys.stderr.write(text)


def stdout_is_terminal() -> bool:
    """Whether stdout is a terminal."""
    return sys.stdout.isatty()


# For terminals only: rich takes a tenth of a second to import.
