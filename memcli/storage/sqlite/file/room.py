"""Room for a store's file: ask the operating system why it cannot be written, since SQLite does not tell.

If there is no room for its shared memory, a quota is used up or a file may not grow, SQLite says "disk I/O
error" or "unable to open". Writing a small file beside the store, and removing it, gives the true error.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path

# Shared memory takes 32 KiB (https://www.sqlite.org/walformat.html), a page of ours 16.
_PROBE = 1 << 16
_NO_ROOM = {
    errno.ENOSPC: "no space left on the device",
    errno.EDQUOT: "the disk quota is used up",
    errno.EFBIG: "files may not grow any larger here (ulimit -f)",
}


def lack_of_room(file: Path, *, failed: bool = False) -> str | None:
    """Return what there is not enough of to write the file, or beside it; None if room is not the problem.

    `failed`: a write has failed, perhaps of a file that is gone again; then, if other files can be written
    and a size limit exists, the limit is the reason.
    """
    limit = _size_limit()
    if limit is not None and limit < _size(file) + _PROBE:
        return _NO_ROOM[errno.EFBIG]
    if error := write_error(file.parent):
        return _NO_ROOM.get(error.errno or 0)
    return _NO_ROOM[errno.EFBIG] if failed and limit is not None else None


def lack_of_right(file: Path) -> str:
    """Return why a file that `os.access` calls unwritable is so."""
    error = write_error(file.parent)
    if error and error.errno == errno.EROFS:
        return "the file system is mounted read-only"
    return "file or folder is not writable for you"


def write_error(folder: Path) -> OSError | None:
    """Return the operating system's error for writing a file in this folder; None if it works."""
    probe = folder / f".mem-{os.urandom(4).hex()}.probe"
    try:
        descriptor = os.open(probe, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    except OSError as error:
        return error
    try:
        written = os.write(descriptor, bytes(_PROBE))
        os.fsync(descriptor)
        return None if written == _PROBE else OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    except OSError as error:
        return error
    finally:
        os.close(descriptor)
        probe.unlink(missing_ok=True)


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0


def _size_limit() -> int | None:
    """Return how large a file may get (bytes); None if there is no limit, or it is unknown (Windows)."""
    try:
        import resource
    except ImportError:
        return None
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)[0]
    return None if limit == resource.RLIM_INFINITY else limit
