"""What a program shows on a pseudo-terminal."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress


def pieces_shown(terminal: int) -> Iterator[bytes]:
    """What is shown there, as it comes, until nobody is at its other end."""
    with suppress(OSError):  # how Linux says that the other side is gone
        while piece := os.read(terminal, 65536):
            yield piece


def all_shown(terminal: int) -> bytes:
    """All that is shown there until nobody is at its other end."""
    return b"".join(pieces_shown(terminal))
