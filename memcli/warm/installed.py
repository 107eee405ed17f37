"""The program as it lies on disk: whether it is still the one that was imported."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import memcli


class Installed:
    """The files of memcli and the folders of packages, as they were when this was made.

    All of its files: what is judged by weights and word lists is judged otherwise by others.
    """

    def __init__(self) -> None:
        package = Path(memcli.__file__).parent
        packages = (entry for entry in sys.path if entry.endswith(("site-packages", "dist-packages")))
        self._were = {path: _state(path) for path in (*_files(package), *packages)}

    def has_changed(self) -> bool:
        """Whether one of them is another by now, or gone; a third of a millisecond."""
        return any(_state(path) != were for path, were in self._were.items())


def _files(package: Path) -> Iterator[str]:
    for folder, inside, names in os.walk(package):
        # Derived, and written by whoever imports first.
        inside[:] = [name for name in inside if name != "__pycache__"]
        yield from (os.path.join(folder, name) for name in names)


def _state(path: str) -> tuple[int, int, int] | None:
    try:
        there = os.stat(path)
    except OSError:
        return None
    return there.st_ino, there.st_mtime_ns, there.st_size
