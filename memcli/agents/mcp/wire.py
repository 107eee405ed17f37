"""Wire to a client: stdin and stdout, taken out of the reach of all other code in this process.

From then on, whatever is written to file descriptor 1 goes to stderr: a stray `print`, a library's warning,
the output of a child process, and what Python flushes when it ends.
"""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Iterator

from memcli.errors import BadInput
from memcli.named_tuple import NamedTuple

# The longest message, in bytes. A memory has at most 64 KiB, unless its owner allows more.
MAX_LINE = 8 * 1024 * 1024
_BLOCK = 64 * 1024


class Overlong(NamedTuple):
    """A line that was longer than MAX_LINE, and was discarded."""

    size: int


class Wire:
    """The two ends, by file descriptor: lines of bytes in, lines of bytes out."""

    def __init__(self, source: int, sink: int) -> None:
        self._source = source
        self._sink = sink
        # The program that started this one; when it dies, the parent changes.
        self._parent = os.getppid()

    def lines(self) -> Iterator[bytes | Overlong]:
        """Yield each line as it comes, without its end, skipping blank ones. Blocks; ends with the stream."""
        held, dropped = bytearray(), 0
        while block := self._read():
            *whole, rest = block.split(b"\n")
            for part in whole:
                held += part
                if dropped or len(held) > MAX_LINE:
                    yield Overlong(dropped + len(held))
                elif held.strip():
                    yield bytes(held)
                held.clear()
                dropped = 0
            held += rest
            if dropped or len(held) > MAX_LINE:
                dropped += len(held)
                held.clear()
        if dropped:
            yield Overlong(dropped)
        elif held.strip():
            yield bytes(held)

    def _read(self) -> bytes:
        try:
            return os.read(self._source, _BLOCK)
        except OSError:  # a terminal that was closed
            return b""

    def write(self, line: bytes) -> None:
        """Write a line with its end. Raises OSError if nobody reads any more."""
        rest = memoryview(line + b"\n")
        while rest:
            rest = rest[os.write(self._sink, rest) :]

    def is_heard(self) -> bool:
        """True if anybody can still read what is written, as far as the system tells."""
        if not hasattr(select, "poll"):
            return True
        watch = select.poll()
        watch.register(self._sink, 0)
        return not watch.poll(0)

    def has_parent(self) -> bool:
        """True if the program that started this one is still running."""
        return os.getppid() == self._parent


def take_wire() -> Wire:
    """Take stdin and stdout away from the rest of this process. Raises BadInput if they are closed."""
    # If one was closed at the start, its number may belong to another file by now.
    if sys.__stdin__ is None or sys.__stdout__ is None:
        raise BadInput(
            "stdin or stdout is closed", by_hand="`mem mcp` is started by an agent, which speaks through them"
        )
    source, sink = _duplicate(0), _duplicate(1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    try:
        os.dup2(2, 1)
    except OSError:  # stderr is closed
        os.dup2(nowhere, 1)
    return Wire(source, sink)


def _duplicate(descriptor: int) -> int:
    """Return a private copy of a file descriptor, above the standard ones even if those are closed."""
    copies = []
    try:
        while True:
            copies.append(os.dup(descriptor))
            if copies[-1] > 2:
                return copies.pop()
    finally:
        for each in copies:
            os.close(each)
