"""Errors of SQLite and the operating system about a store's file, as memcli's, which name the way out."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlcipher3.dbapi2 as sqlite

from memcli.errors import ReadOnlyStore, StoreBusy, StoreDamaged, StoreFull, StoreUnusable, WrongKey
from memcli.messages import Command, message

# The state of a store after a failure; the second applies once this process has written to it.
UNCHANGED, STAYS = "nothing was changed", "what was written before that stays"

# I/O errors of reading: READ, SHORT_READ (https://www.sqlite.org/rescode.html#extrc).
_OF_READING = (266, 522)


@contextmanager
def explained_errors(path: Path, *, kept: Callable[[], str] = lambda: UNCHANGED) -> Iterator[None]:
    """Turn SQLite's errors into one line that names the file and the way out.

    `kept` returns the state of the store for the message; never "nothing was changed" for what is half done
    by then.
    """
    try:
        yield
    except UnicodeDecodeError as error:
        # SQLite's message quotes a damaged name that is no valid text.
        raise StoreDamaged(
            f"{path}: the file is damaged",
            left=kept(),
            by_hand=message("run ", Command("doctor"), ", or go back to a backup"),
        ) from error
    except MemoryError as error:
        # SQLite has the same error for an unreadable file beside the store.
        raise StoreUnusable(
            f"{path}: SQLite has no memory for it, or its disk fails",
            left=kept(),
            advice="try again when less is running",
        ) from error
    except sqlite.Error as error:
        # By code, since messages name tables and values, too. The low byte is the primary code
        # (https://www.sqlite.org/rescode.html); the driver's own errors have none.
        said, code = str(error), result_code(error)
        if code in (sqlite.SQLITE_BUSY, sqlite.SQLITE_LOCKED):
            raise StoreBusy(
                f"{path}: another process is writing and did not finish in time",
                by_hand="try again, or raise MEMCLI_BUSY_TIMEOUT",
            ) from error
        if code == sqlite.SQLITE_NOTADB:
            raise WrongKey(
                f"{path}: is not a memcli store, or it is encrypted",
                left="nothing was touched",
                by_hand="name another file with --db or MEMCLI_DB",
            ) from error
        if code == sqlite.SQLITE_CORRUPT:
            raise StoreDamaged(
                f"{path}: the file is damaged ({said})",
                left=kept(),
                by_hand=message("run ", Command("doctor"), ", or go back to a backup"),
            ) from error
        if code in (sqlite.SQLITE_READONLY, sqlite.SQLITE_CANTOPEN, sqlite.SQLITE_FULL, sqlite.SQLITE_IOERR):
            _explain_writing(path, error, kept())
        # SQLCipher reports a full disk as a generic error.
        if code == sqlite.SQLITE_ERROR and (lack := _lack_of_room(path)):
            raise StoreFull(f"{path}: {lack}", lack, left=kept(), advice="make room") from error
        # All statements are fixed, so a file for which one fails does not have memcli's schema.
        if code == sqlite.SQLITE_ERROR:
            raise StoreDamaged(
                f"{path}: SQLite refuses: {said}", left=kept(), by_hand=message("run ", Command("doctor"))
            ) from error
        raise StoreUnusable(
            f"{path}: SQLite refuses: {said}", by_hand=message("run ", Command("doctor"))
        ) from error


def result_code(error: BaseException | None) -> int:
    """Return SQLite's primary result code; 0 if it is no error of SQLite's."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def _lack_of_room(path: Path, *, failed: bool = False) -> str | None:
    from memcli.storage.sqlite.file.room import lack_of_room

    return lack_of_room(Path(os.path.realpath(path)), failed=failed)


def _explain_writing(path: Path, error: sqlite.Error, kept: str) -> None:
    """Raise the error for a failed write; return if it is something else."""
    code = result_code(error)
    reading = getattr(error, "sqlite_errorcode", 0) in _OF_READING
    lack = _lack_of_room(path, failed=code == sqlite.SQLITE_IOERR and not reading)
    if lack or code == sqlite.SQLITE_FULL:
        lack = lack or "no space left on the device"
        raise StoreFull(f"{path}: {lack}", lack, left=kept, advice="make room") from error
    if code != sqlite.SQLITE_IOERR:
        may_read = not path.exists() or os.access(path, os.R_OK)
        why = "cannot be opened for writing" if may_read else "cannot be read"
        raise ReadOnlyStore(
            f"{path}: {why}", why, advice="check the permissions of file and folder"
        ) from error


@contextmanager
def explained_os_errors(path: Path) -> Iterator[None]:
    """Turn errors of the operating system about a store's files into such a line."""
    try:
        yield
    except OSError as error:
        raise StoreUnusable(
            f"{error.filename or path}: cannot be used ({error.strerror or error})",
            advice=_advice(error),
        ) from error


def _advice(error: OSError) -> str:
    """Return advice for an error of the operating system."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "make room"
    return "check the disk" if error.errno == errno.EIO else "check the permissions"
