"""Sizes in bytes for people, and a progress bar of bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from memcli.commands.terminal.progress import progress_bar

_UNIT = 1024
_UNITS = ("KiB", "MiB", "GiB", "TiB")


def size_text(size: int) -> str:
    """Return a number of bytes with about three digits and a unit."""
    if size < _UNIT:
        return f"{size} B"
    scaled = float(size)
    for unit in _UNITS:
        scaled /= _UNIT
        if scaled < _UNIT or unit == _UNITS[-1]:
            break
    return f"{scaled:.{1 if scaled < 100 else 0}f} {unit}"


@contextmanager
def copying_bar(what: str, size: int) -> Iterator[Callable[[int, int], None]]:
    """Show a bar while bytes are copied; yields a function to call with the bytes done and in all."""
    with progress_bar(f"{what} (MiB)", size >> 20) as shown:
        yield lambda done, total: shown(done >> 20)
