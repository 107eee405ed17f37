"""The installed program: whether its files on disk are still those that were imported."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import memcli


class Installed:
    """The state (inode, mtime, size) of memcli's files and of the package folders at the time this was made.

    All files count, not only code: with other weights or word lists a call would give other results.
    """

    def __init__(self) -> None:
        package = Path(memcli.__file__).parent
        packages = (entry for entry in sys.path if entry.endswith(("site-packages", "dist-packages")))
        self._were = {path: _state(path) for path in (*_files(package), *packages)}

    def has_changed(self) -> bool:
        """True if one of them has been changed or removed since; takes a third of a millisecond."""
        return any(_state(path) != were for path, were in self._were.items())


def _files(package: Path) -> Iterator[str]:
    for folder, inside, names in os.walk(package):
        # Bytecode is derived, and written by whichever process imports first.
        inside[:] = [name for name in inside if name != "__pycache__"]
        yield from (os.path.join(folder, name) for name in names)


def _state(path: str) -> tuple[int, int, int] | None:
    try:
        there = os.stat(path)
    except OSError:
        return None
    return there.st_ino, there.st_mtime_ns, there.st_size
