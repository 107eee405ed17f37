"""Setting aside a damaged file: keep it byte for byte before it is replaced or changed."""

from __future__ import annotations

import os
import shutil
from datetime import datetime
from pathlib import Path

from memcli.storage.known_copies import CopyKind
from memcli.storage.sqlite.file.copies import copy_path, stamp
from memcli.system.files import sync_folder

# The suffixes of the files that SQLite keeps beside a database and that belong to its content.
_SIDE = ("-wal", "-journal")


def set_aside(path: Path, at: datetime) -> Path:
    """Copy a file, if it exists, and its side files, as a copy of the store of that instant; return its path.

    `path` is the real file, which this process must not have open. On disk when it returns. Raises OSError.
    """
    target = copy_path(path, CopyKind.DAMAGED, stamp(at))
    if target.exists():
        target = copy_path(path, CopyKind.DAMAGED, f"{stamp(at)}.{os.getpid()}")
    copy_bytes(path, target)
    sync_folder(target.parent)
    return target


def copy_bytes(path: Path, target: Path) -> None:
    """Copy a file, if it exists, and its log to new files that only their owner can read, synced."""
    # The file first: what a checkpoint moves from the log meanwhile is still in the log.
    for tail in ("", *_SIDE):
        source, copy = Path(f"{path}{tail}"), Path(f"{target}{tail}")
        if tail and not (source.exists() and source.stat().st_size):
            continue
        with open(copy, "xb", opener=_private) as into:
            if source.exists():
                with source.open("rb") as file:
                    shutil.copyfileobj(file, into, 2**20)
            into.flush()
            os.fsync(into.fileno())


def _private(name: str, flags: int) -> int:
    return os.open(name, flags, 0o600)
