"""Output streams: data goes to stdout, everything else to stderr."""

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
    """Write binary data."""
    sys.stdout.flush()
    sys.stdout.buffer.write(content)


def bytes_to(path: Path | None, content: bytes) -> None:
    """Write data to a private file, atomically; to stdout for None and `-`. Raises BadInput."""
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
    """Write a message for the person at the terminal, or for the log."""
    text_to_stderr(f"mem: {one_line(printed(line))}\n")


def printed(line: str) -> str:
    """Return a message as this call prints it: with the call's --db and --space in each command."""
    if not isinstance(line, Message):
        return line
    from memcli.commands.terminal.call import Call

    call = Call.at_hand()
    return call.printed(line) if call else line


def text_to_stderr(text: str) -> None:
    """Write a text to stderr; errors are ignored, so that the result and the exit status stand."""
    with suppress(OSError):
        sys.stderr.write(text)


def stdout_is_terminal() -> bool:
    """True if stdout is a terminal."""
    return sys.stdout.isatty()


# Imported only for terminals: importing rich takes a tenth of a second.
