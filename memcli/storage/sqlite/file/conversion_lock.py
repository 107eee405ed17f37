"""The lock under which a file is converted or replaced, and what is left where its holder was killed.

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
# What the new file is called until it is whole, and the old one from then on until it is overwritten.
NEW, OLD = ".converted", ".unconverted"
# Who passed the gate just before it was closed has connected after so many seconds.
_SETTLING = 0.1
_BLOCK = 1 << 20
# What SQLite keeps beside a file, and belongs to what it says.
LOGS = ("-wal", "-journal", "-shm")
# Before the path of a file that is whole, and takes the place of the store: no path holds it.
_FRESH = "\0"


@contextmanager
def converting(path: Path, copies: Sequence[Path], patience: float) -> Iterator[None]:
    """Keep everybody from opening the store at `path` (its real file) while this holds.

    `copies` are what may be converted with it: on record, for who has to clean up. Raises
    StoreBusy where another conversion takes longer than `patience` seconds.
    """
    lock = beside(path, _LOCK)
    with hold_lock(lock, busy=f"{path}: is being converted", patience=patience) as descriptor:
        _clean_up(path)
        _note(descriptor, map(str, [path, *copies]))
        time.sleep(_SETTLING)
        yield


def sync_whole(fresh: Path) -> None:
    """Have a new file on disk before it takes a place: all that it says is in the one file.

    SQLite moves a log into its file when that is closed, and where it cannot it says nothing and
    leaves it. Raises OSError, then too.
    """
    log = beside(fresh, "-wal")
    if log.exists() and log.stat().st_size:
        raise OSError(errno.EIO, os.strerror(errno.EIO), str(fresh))
    sync_file(fresh)


def take_place(descriptor: int, fresh: Path, path: Path) -> None:
    """Give a whole file the name of the store at `path`, whose log must not be taken for its own.

    By the holder of the lock, which is open as `descriptor`. Killed in between, whoever opens
    the store next ends it. Raises OSError.
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
    """Write into the lock what who has to clean up must know."""
    os.ftruncate(descriptor, 0)
    os.lseek(descriptor, 0, os.SEEK_SET)
    os.write(descriptor, "\n".join(lines).encode("utf-8", "surrogateescape"))
    os.fsync(descriptor)


def wait_for_conversion(path: Path, patience: float) -> None:
    """Before the store at `path` (its real file) is opened: wait while it is converted.

    What a conversion left that was killed is cleaned up. Raises StoreBusy.
    """
    with hold_lock(beside(path, _LOCK), busy=f"{path}: is being converted", patience=patience):
        _clean_up(path)


def _clean_up(path: Path) -> None:
    """Bring to an end what a conversion or a replacement left that was killed; the caller holds its lock."""
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
    """Of one file remove what is not, or no longer, the store. Raises OSError."""
    new, old = beside(path, NEW), beside(path, OLD)
    for tail in ("-wal", "-shm", "-journal", ""):
        shred(Path(f"{new}{tail}"))
    if old.exists():
        # By another name it is the store itself, be it that its owner has moved that elsewhere.
        if old.stat().st_nlink > 1:
            old.unlink()
        else:
            shred(old)


def shred(path: Path) -> None:
    """Overwrite a file with random bytes, and remove it; no harm where there is none."""
    # It is closed last: that lets go of this process's locks on it.
    with suppress(FileNotFoundError), path.open("r+b", buffering=0) as file:
        overwrite(file)
        path.unlink()


def overwrite(file: IO[bytes]) -> None:
    """Overwrite an open file with random bytes, and have them on disk. Raises OSError."""
    left = os.fstat(file.fileno()).st_size
    file.seek(0)
    while left > 0:
        left -= file.write(os.urandom(min(left, _BLOCK)))
    os.fsync(file.fileno())


def beside(path: Path, tail: str) -> Path:
    """The file beside `path` that is named like it, and so on."""
    return path.with_name(path.name + tail)
