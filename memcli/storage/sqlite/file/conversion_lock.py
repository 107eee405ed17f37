"""Conversion lock: held while a file is converted or replaced; and cleaning up after a killed holder.

How a file is converted: `memcli.storage.sqlite.replacement.conversion`; how it is replaced: `alone`.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import IO

from memcli.storage.sqlite.file.database_file import use_wal
from memcli.storage.sqlite.file.errors import explained_errors, explained_os_errors
from memcli.storage.sqlite.file.opening import open_database
from memcli.system.files import sync_file, sync_folder
from memcli.system.locks import hold_lock

_LOCK = ".conversion"
# The suffix of the new file until it is complete, and of the old one until it is overwritten.
NEW, OLD = ".converted", ".unconverted"
# Seconds after which a process that passed the lock just before it was taken has connected.
_SETTLING = 0.1
_BLOCK = 1 << 20
# The files that SQLite keeps beside a database and that belong to its content.
LOGS = ("-wal", "-journal", "-shm")
# Marks, in the lock file, the path of a complete file that is to replace the store; no path contains it.
_FRESH = "\0"


@contextmanager
def converting(path: Path, copies: Sequence[Path], patience: float) -> Iterator[None]:
    """Keep everybody from opening the store at `path` (its real file) while this holds.

    `copies` are what may be converted with it, recorded for whoever has to clean up. Raises StoreBusy if
    another conversion takes longer than `patience` seconds.
    """
    lock = beside(path, _LOCK)
    with hold_lock(lock, busy=f"{path}: is being converted", patience=patience) as descriptor:
        _clean_up(path)
        _note(descriptor, map(str, [path, *copies]))
        time.sleep(_SETTLING)
        yield


def sync_whole(fresh: Path) -> None:
    """Sync a new file to disk before it replaces another: everything must be in the one file.

    SQLite moves a log into its file on closing, and leaves it silently if it cannot. Raises OSError, also
    in that case.
    """
    log = beside(fresh, "-wal")
    if log.exists() and log.stat().st_size:
        raise OSError(errno.EIO, os.strerror(errno.EIO), str(fresh))
    sync_file(fresh)


def take_place(descriptor: int, fresh: Path, path: Path) -> None:
    """Rename a complete file to the store at `path`, whose log must not be taken for its own.

    Called by the holder of the lock, which is open as `descriptor`. If it is killed in between, the next
    process that opens the store completes it. Raises OSError.
    """
    _note(descriptor, [f"{_FRESH}{fresh}"])
    _rename(fresh, path)
    _note(descriptor, [])


def _rename(fresh: Path, path: Path) -> None:
    for tail in LOGS:
        beside(path, tail).unlink(missing_ok=True)
    sync_folder(path.parent)
    fresh.replace(path)
    sync_folder(path.parent)


def _note(descriptor: int, lines: Iterable[str]) -> None:
    """Write into the lock file what a process that cleans up must know."""
    os.ftruncate(descriptor, 0)
    os.lseek(descriptor, 0, os.SEEK_SET)
    os.write(descriptor, "\n".join(lines).encode("utf-8", "surrogateescape"))
    os.fsync(descriptor)


def wait_for_conversion(path: Path, patience: float) -> None:
    """Wait while the store at `path` (its real file) is being converted, before it is opened.

    Cleans up after a killed conversion. Raises StoreBusy.
    """
    with hold_lock(beside(path, _LOCK), busy=f"{path}: is being converted", patience=patience):
        _clean_up(path)


def _clean_up(path: Path) -> None:
    """Complete or undo what a killed conversion or replacement left; the caller holds its lock."""
    noted = beside(path, _LOCK).read_bytes().decode("utf-8", "surrogateescape").split("\n")
    if noted[0].startswith(_FRESH):
        with explained_os_errors(path):
            if (fresh := Path(noted[0].removeprefix(_FRESH))).exists():
                _rename(fresh, path)
        return
    noted = [line for line in noted if line]
    for file in map(Path, noted):
        with suppress(OSError):  # a copy that is out of reach now
            clean_up_file(file)
    if noted and path.exists():
        with explained_errors(path), closing(open_database(path)) as connection:
            use_wal(connection, 1)


def clean_up_file(path: Path) -> None:
    """Remove the files beside one file that are not, or no longer, the store. Raises OSError."""
    new, old = beside(path, NEW), beside(path, OLD)
    for tail in ("-wal", "-shm", "-journal", ""):
        shred(Path(f"{new}{tail}"))
    if old.exists():
        # A hard-linked file is the store itself, even if its owner has moved that elsewhere: unlink, do not
        # overwrite.
        if old.stat().st_nlink > 1:
            old.unlink()
        else:
            shred(old)


def shred(path: Path) -> None:
    """Overwrite a file with random bytes, and remove it; a missing one is ignored."""
    # Closed last, since that releases this process's locks on it.
    with suppress(FileNotFoundError), path.open("r+b", buffering=0) as file:
        overwrite(file)
        path.unlink()


def overwrite(file: IO[bytes]) -> None:
    """Overwrite an open file with random bytes, and sync it. Raises OSError."""
    left = os.fstat(file.fileno()).st_size
    file.seek(0)
    while left > 0:
        left -= file.write(os.urandom(min(left, _BLOCK)))
    os.fsync(file.fileno())


def beside(path: Path, tail: str) -> Path:
    """Return the path with a suffix added to the file name."""
    return path.with_name(path.name + tail)
