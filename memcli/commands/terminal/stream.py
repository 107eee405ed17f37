"""A terminal as a stream: whatever is written to it, tables and JSON too, nothing in it hides or reorders."""

from __future__ import annotations

import io
from typing import TextIO

from memcli.text.printable import visible


class VisibleStream(io.TextIOWrapper):
    """Text on its way to a terminal, with the characters escaped that nobody would see."""

    shown = False
    """Whether anything but blanks was written."""
    told = False
    """Whether a line of words was: what moves the cursor or colours (a progress bar) is none."""

    def write(self, text: str) -> int:
        """Write a text, made `visible`; how many characters it has."""
        if text and not text.isspace():
            self.shown = True
            self.told = self.told or "\x1b" not in text
        super().write(visible(text))
        return len(text)


def visible_stream(stream: TextIO) -> TextIO:
    """A terminal's stream as a `VisibleStream`; one that has no binary buffer is given back unchanged."""
    buffer = getattr(stream, "buffer", None)
    if buffer is None:
        return stream
    return VisibleStream(
        buffer, encoding="utf-8", errors="backslashreplace", newline="\n", line_buffering=True
    )
