"""What a program shows on a pseudo-terminal."""

from __future__ import annotations

import os
import select
from collections.abc import Iterator
from contextlib import suppress


def pieces_shown(terminal: int, quiet: float | None = None) -> Iterator[bytes]:
    """What is shown there, as it comes, until nobody is at its other end.

    Where nothing comes for so many seconds as `quiet` says, an empty piece does.
    """
    with suppress(OSError):  # how Linux says that the other side is gone
        while True:
            if not select.select([terminal], [], [], quiet)[0]:
                yield b""
            elif piece := os.read(terminal, 65536):
                yield piece
            else:
                return


def all_shown(terminal: int) -> bytes:
    """All that is shown there until nobody is at its other end."""
    return b"".join(pieces_shown(terminal))
