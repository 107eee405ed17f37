"""Terminal stream: makes hidden and reordering characters visible in all that is written to a terminal."""

from __future__ import annotations

import io
from typing import TextIO

from memcli.text.printable import visible


class VisibleStream(io.TextIOWrapper):
    """A text stream to a terminal that escapes invisible characters."""

    shown = False
    """True if anything but white space was written."""
    told = False
    """True if a plain line was written: text with cursor movements or colours (a progress bar) is none."""

    def write(self, text: str) -> int:
        """Write a text made `visible`; return its number of characters."""
        if text and not text.isspace():
            self.shown = True
            self.told = self.told or "\x1b" not in text
        super().write(visible(text))
        return len(text)


def visible_stream(stream: TextIO) -> TextIO:
    """Return a terminal's stream as a `VisibleStream`; unchanged if it has no binary buffer."""
    buffer = getattr(stream, "buffer", None)
    if buffer is None:
        return stream
    return VisibleStream(
        buffer, encoding="utf-8", errors="backslashreplace", newline="\n", line_buffering=True
    )
