"""Private files, written whole or not at all.

What memcli writes quotes memories, so a file is its owner's alone (0600) from its
first byte; it is on disk before it appears under its name, and until then whatever
stood there stands. A link is followed, not replaced; what is no file (a device, a
folder) is refused. What a killed writer left beside it, the next one removes.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

# An unfinished file of this age (seconds) has lost its writer.
_STALE = 3600.0


def write_private(path: Path, content: bytes, *, mode: int = 0o600) -> None:
    """Replace the file at `path` by this content. Raises OSError; then the old one stands as it was."""
    with writing_private(path, mode=mode) as file:
        file.write(content)


@contextmanager
def writing_private(path: Path, *, mode: int = 0o600) -> Iterator[IO[bytes]]:
    """A new file to write to, which takes the place of the one at `path` when the block ends well.

    Raises OSError, also where its folder is missing; on any exception the old
    file stands as it was.
    """
    target = path.resolve() if path.is_symlink() else path
    if target.exists() and not target.is_file():
        raise IsADirectoryError(21, "it is a folder or a device, not a file", str(path))
    _sweep(target)
    fresh = target.with_name(f".{target.name[:100]}.{os.urandom(4).hex()}.part")
    # O_BINARY: on Windows a descriptor would turn \n into \r\n.
    descriptor = os.open(fresh, os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0), mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(target)
        _sync_folder(target.parent)
    except BaseException:
        with suppress(OSError):
            fresh.unlink()
        raise


def _sync_folder(folder: Path) -> None:
    """Have the new name on disk, too; where folders cannot be synced (Windows) the system sees to it."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # some file systems know no sync of folders
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _sweep(target: Path) -> None:
    """Remove what writers of this file left that were killed an hour ago or longer."""
    with suppress(OSError):
        for left in target.parent.glob(f".{_literal(target.name[:100])}.*.part"):
            if time.time() - left.stat().st_mtime > _STALE:
                left.unlink()


def _literal(name: str) -> str:
    """A name in which no sign is a wildcard."""
    return "".join(f"[{sign}]" if sign in "*?[" else sign for sign in name)
