"""Private files, written atomically.

What memcli writes quotes memories, so a file is readable by its owner only (0600, whatever the umask) from
its first byte. It is on disk before it appears under its name, and until then the old file stays. A symbolic
link is followed, not replaced. Refused as targets are whatever is not a file (a device, a pipe, a folder),
not a text (a database, plain or encrypted with any key) or belongs to a store. Temporary files that a killed
writer left in the folder are removed by the next one.
"""

from __future__ import annotations

import codecs
import errno
import os
import re
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from memcli.errors import BadInput
from memcli.system.places import KEPT, SIDE_FILES, is_copy, is_guarded, is_own

# The first bytes of databases and their side files (https://www.sqlite.org/fileformat.html, walformat.html).
_DATABASES = (
    b"SQLite format 3\0", b"\x37\x7f\x06\x82", b"\x37\x7f\x06\x83",
    b"\x18\xe2\x2d\x00", b"\x00\x2d\xe2\x18", b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7",
)  # fmt: skip
# A key file of memcli's (see `keys.secret`), or an age identity.
_KEY = re.compile(rb"[0-9a-f]{64}\s*\Z|(?:#[^\n]*\n)*AGE-SECRET-KEY-")
# The first bytes of an age file, which memcli may replace although it is not a text.
_SEALED = b"age-encryption.org/"
# Bytes read to tell what a file is: so many random bytes of an encrypted database are never valid UTF-8.
_HEAD = 4096
# Bytes of a file name that leave room for what is added, on every file system.
_STEM = 200
# Name endings of what SQLite, and what memcli, keeps beside a database.
_SIDE_FILE = re.compile(f"(?:{'|'.join(SIDE_FILES)})\\Z")
_KEPT_FILE = re.compile(f"(?:{KEPT})\\Z", re.IGNORECASE | re.DOTALL)
_UNFINISHED = re.compile(r"\..*\.[0-9a-f]{8}\.mem-part", re.DOTALL)
# If no lock tells whether its writer lives, an unfinished file of this age (seconds) is abandoned.
_STALE = 3600.0


def write_private(path: Path, content: bytes, *, mode: int = 0o600, own: bool = False) -> None:
    """Replace the file at `path` by this content. Raises OSError; then the old file is unchanged.

    `own` says that the caller is the only writer of a file that other output must not replace.
    """
    with writing_private(path, mode=mode, own=own) as file:
        file.write(content)


@contextmanager
def writing_private(path: Path, *, mode: int = 0o600, own: bool = False) -> Iterator[IO[bytes]]:
    """Open a new file for writing, which replaces the one at `path` if the block ends without an exception.

    Raises OSError, also if its folder is missing and as `check_target` does; on any exception the old file
    stays as it was.
    """
    target = check_target(path, own=own)
    _sweep(target.parent)
    fresh, descriptor = _unfinished(target, mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        # Check again: a store or a folder may have been created there meanwhile.
        check_target(path, own=own)
        fresh.replace(target)
        sync_folder(target.parent)
    except BaseException:
        with suppress(OSError):
            fresh.unlink()
        raise


def check_target(path: Path, *, own: bool = False) -> Path:
    """Return the file that a path really leads to, links followed.

    Raises OSError for anything that output must not replace: a folder, a device, a pipe; any database, and
    the names of its side files, existing or not; an open or configured store, under any name and in any
    letter case; and, except for its `own` writer, a key, the config, what memcli keeps beside a store, and
    anything that is not text, because it might be a store whose key is not available.
    """
    try:
        there = path.stat()
    except FileNotFoundError:
        there = None
    except ValueError as error:  # a NUL
        raise OSError(errno.EINVAL, "no name for a file", str(path)) from error
    if there and not stat.S_ISREG(there.st_mode):
        raise IsADirectoryError(errno.EISDIR, "it is a folder or a device, not a file", str(path))
    try:
        target = path.resolve()
    except RuntimeError as error:
        raise OSError(errno.ELOOP, "its links lead in a circle", str(path)) from error
    head = _head(path) if there else b""
    if is_guarded(target) or is_copy(head) or _is_database(head) or _is_beside(target, _SIDE_FILE):
        raise PermissionError(errno.EPERM, "it is a store or a database", str(path))
    if there and not own and not (head.startswith(_SEALED) or _is_text(head)):
        raise PermissionError(errno.EPERM, "it is no text, perhaps an encrypted store", str(path))
    if there and there.st_size and not head:
        raise PermissionError(errno.EACCES, "what is in it cannot be read", str(path))
    if not own and (is_own(target) or _is_beside(target, _KEPT_FILE) or _KEY.match(head)):
        raise PermissionError(errno.EPERM, "memcli itself keeps it", str(path))
    return target


def _is_database(head: bytes) -> bool:
    """True if a file that begins like this is an unencrypted database, or a side file of one."""
    return head.startswith(_DATABASES)


def _is_text(head: bytes) -> bool:
    """True if a file that begins like this may be text (UTF-8): output replaces nothing else."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)  # its last character may be cut
    except UnicodeDecodeError:
        return False
    return b"\0" not in head


def _is_beside(path: Path, tail: re.Pattern[str]) -> bool:
    """True if the path without its `tail` is a database, plain or encrypted.

    SQLite overwrites and removes files with the names of side files: output would be lost, a key for ever.
    """
    if not (found := tail.search(path.name, 1)):
        return False
    head = _head(path.with_name(path.name[: found.start()]))
    return _is_database(head) or not _is_text(head)


def _head(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(_HEAD)
    except OSError:
        return b""


def _unfinished(target: Path, mode: int) -> tuple[Path, int]:
    """Create a new file beside `target`, locked while it is open, to show that its writer is alive."""
    stem = target.name.encode("utf-8", "surrogateescape")[:_STEM].decode("utf-8", "ignore")
    while True:
        fresh = target.with_name(f".{stem}.{os.urandom(4).hex()}.mem-part")
        # O_BINARY: on Windows a descriptor would turn \n into \r\n.
        descriptor = os.open(fresh, os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0), mode)
        try:
            if _is_ours(fresh, descriptor):
                if hasattr(os, "fchmod"):
                    os.fchmod(descriptor, mode)  # a umask may have taken away what we need ourselves
                return fresh, descriptor
        except BaseException:
            os.close(descriptor)
            with suppress(OSError):
                fresh.unlink()
            raise
        os.close(descriptor)  # removed by a sweep before it was locked


def _is_ours(fresh: Path, descriptor: int) -> bool:
    """True if we hold the lock of a new file, if locks are supported here, and it still exists."""
    from memcli.system.locks import try_lock

    try:
        return try_lock(descriptor) and os.path.samestat(os.fstat(descriptor), fresh.stat())
    except FileNotFoundError:
        return False
    except OSError:
        return True


def put_where_nothing_is(fresh: Path, target: Path) -> None:
    """Give a finished file its name; BadInput if a file of that name exists by now."""
    taken = BadInput(f"{target}: something is there by now; it was left as it is")
    try:
        os.link(fresh, target)
    except FileExistsError:
        raise taken from None
    except OSError:  # a file system without hard links: a stick
        if os.path.lexists(target):
            raise taken from None
        fresh.replace(target)
    else:
        fresh.unlink()


def read_at(descriptor: int, size: int, start: int) -> bytes:
    """Return up to `size` bytes of an open file from an offset. Raises OSError."""
    if hasattr(os, "pread"):
        return os.pread(descriptor, size, start)
    os.lseek(descriptor, start, os.SEEK_SET)  # Windows
    return os.read(descriptor, size)


def sync_file(path: Path) -> None:
    """Flush to disk what another process wrote into a file. Raises OSError."""
    descriptor = os.open(path, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_folder(folder: Path) -> None:
    """Flush a folder's entries to disk, too; Windows has no such call, and does it itself."""
    if os.name == "nt":
        return
    with suppress(OSError):  # some file systems cannot sync folders, some folders are not readable
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _sweep(folder: Path) -> None:
    """Remove the temporary files that killed writers left here."""
    with suppress(OSError):
        for name in os.listdir(folder):  # noqa: PTH208 - a name of each is enough
            if _UNFINISHED.fullmatch(name):
                with suppress(OSError):
                    _unlink_left(folder / name)


def _unlink_left(path: Path) -> None:
    from memcli.system.locks import is_abandoned

    try:
        left = is_abandoned(path)
    except OSError:  # no locks here, or another user's file
        left = time.time() - path.stat().st_mtime > _STALE
    if left:
        path.unlink()
