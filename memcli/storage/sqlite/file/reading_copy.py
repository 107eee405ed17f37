"""Reading copy: a private copy for a store that cannot be written, or has no room beside it.

In WAL mode SQLite needs a file of shared memory beside the store even to read, and if the folder is not
writable, it can open the store only as `immutable`: without locks, without the log. That is wrong wherever
another user, another container or the other side of a mount may write, which cannot be known from here. A
copy is right in every case: file and log together, and taken again if either changed meanwhile.
"""

from __future__ import annotations

import time
from pathlib import Path

import sqlcipher3.dbapi2 as sqlite

from memcli.errors import StoreBusy, StoreUnusable
from memcli.storage.sqlite.file.opening import open_in_memory
from memcli.system.temporary import make_folder, remove_folder

# The suffixes of the files that make up a database's content.
_BESIDE = ("", "-wal", "-journal")
# Two changes within so many seconds may have the same time stamp, so a file that young is waited for.
_GRAIN = 0.05


def memory_copy(path: Path) -> sqlite.Connection | None:
    """Return a copy in memory, if there is no room elsewhere; None if that is not possible.

    Only of a file whose log is empty: it is read without it, and without locks. Raises as SQLite does.
    """
    before = _state(path)
    if any(each and each[0] for each in before[1:]):
        return None
    copy = open_in_memory(path)
    return copy if _state(path) == before else None


def private_copy(path: Path, patience: float, within: Path) -> Path:
    """Copy a store into a new folder that only its owner can read; the caller removes it.

    Raises StoreBusy if it is written all the time for `patience` seconds, StoreUnusable if it cannot be
    read, or there is no room.
    """
    deadline = time.monotonic() + patience
    folder = None
    try:
        folder = make_folder(within)
        while not _copy_if_still(path, folder):
            if time.monotonic() > deadline:
                raise StoreBusy(
                    f"{path}: others keep writing to it, so it cannot be read", advice="try again"
                )
            time.sleep(_GRAIN / 2)
        return folder / path.name
    except BaseException as error:
        if folder:
            remove_copy(folder / path.name)
        if isinstance(error, OSError):
            raise StoreUnusable(
                f"{path}: may only be read here, and no private copy can be made for it "
                f"({error.strerror}: {error.filename2 or error.filename or within})",
                advice="check the permissions, or name a folder with room by TMPDIR",
            ) from error
        raise


def _copy_if_still(path: Path, folder: Path) -> bool:
    """Copy a store's files into a folder; return False, leaving nothing, if they were written meanwhile."""
    import shutil

    before = _state(path)
    newest = max((each[1] for each in before if each), default=0) / 1e9
    if 0 <= time.time() - newest < _GRAIN:
        return False
    for tail, there in zip(_BESIDE, before, strict=True):
        if there:
            shutil.copyfile(f"{path}{tail}", folder / f"{path.name}{tail}")
    if _state(path) == before:
        return True
    for stale in folder.iterdir():
        stale.unlink()
    return False


def remove_copy(copy: Path) -> None:
    """Remove a copy with its folder; on POSIX an open connection can go on reading."""
    remove_folder(copy.parent)


def _state(path: Path) -> list[tuple[int, int, int] | None]:
    """Return size, time of change and identity of each of the files; None for a missing one."""
    found: list[tuple[int, int, int] | None] = []
    for tail in _BESIDE:
        try:
            there = Path(f"{path}{tail}").stat()
        except FileNotFoundError:
            found.append(None)
        else:
            found.append((there.st_size, there.st_mtime_ns, there.st_ino))
    return found
