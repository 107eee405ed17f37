"""Locks between processes that end with their holder, so that a crash leaves none behind.

The operating system holds a lock on an open file: nothing is written, and no process id has to be trusted. On
POSIX it is `flock`, which child processes may inherit: then it ends with the last of them, even if the holder
itself is killed. On Windows it is `msvcrt.locking`, which is not inherited.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from memcli.errors import StoreBusy, StoreUnusable
from memcli.system.places import make_private_folder

# Seconds between attempts of a waiting process: too short to notice, long enough to cost nothing.
_POLL = 0.05
# Seconds before a second attempt, made even without waiting, since `is_locked` takes a lock for a moment.
_BLINK = 0.02


@contextmanager
def hold_lock(
    path: Path,
    *,
    busy: str,
    patience: float | None = None,
    waiting: Callable[[str], None] = lambda line: None,
) -> Iterator[int]:
    """Hold the lock at `path`, waiting for it up to `patience` seconds (None: for ever).

    `busy` says who has it; `waiting` gets that line once, when it is clear that we wait. Yields the
    descriptor for a child process to inherit (`pass_fds`). Raises StoreBusy if the lock is not free in time,
    StoreUnusable if the file cannot be created.
    """
    deadline = None if patience is None else time.monotonic() + max(patience, _BLINK)
    descriptor = _taken(path)
    if descriptor is None:
        time.sleep(_BLINK)
        descriptor = _taken(path)
    if descriptor is None and patience != 0:
        waiting(f"{busy}; waiting for it")
    while descriptor is None:
        if deadline is not None and time.monotonic() >= deadline:
            raise StoreBusy(busy, advice="wait longer, or try again")
        time.sleep(_POLL if deadline is None else min(_POLL, max(0.0, deadline - time.monotonic())))
        descriptor = _taken(path)
    try:
        yield descriptor
    finally:
        # Removed before it is released: a process that waited for it sees that the path no longer leads to
        # it.
        with suppress(OSError):
            path.unlink()
        # Released explicitly, not by closing, because a child in the background may have inherited it.
        _unlock(descriptor)
        os.close(descriptor)


@contextmanager
def only_one(path: Path, *, wait: bool) -> Iterator[bool]:
    """Hold the lock at `path` if it is free (with `wait`, once it is); yields True if it is held.

    Raises StoreUnusable if the file cannot be created.
    """
    with ExitStack() as holding:
        try:
            holding.enter_context(hold_lock(path, busy=f"{path} is held", patience=None if wait else 0))
        except StoreBusy:
            yield False
        else:
            yield True


def is_locked(path: Path) -> bool:
    """True if some process holds the lock at `path`; does not wait."""
    try:
        descriptor = os.open(path, os.O_RDWR)
    except OSError:
        return False
    try:
        return not try_lock(descriptor)
    finally:
        os.close(descriptor)


def is_abandoned(path: Path) -> bool:
    """True if the process that created the file at `path`, and locked it by `try_lock`, is gone.

    Raises OSError if that cannot be told: it is another user's, or locks are not supported here.
    """
    descriptor = os.open(path, os.O_RDWR)
    try:
        return try_lock(descriptor)
    finally:
        os.close(descriptor)


def _taken(path: Path) -> int | None:
    """Return a descriptor that holds the lock, or None if another process has it."""
    try:
        make_private_folder(path.parent)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
    except OSError as error:
        raise StoreUnusable(f"{path}: the lock cannot be made ({error.strerror})") from error
    try:
        if try_lock(descriptor) and _still_there(descriptor, path):
            return descriptor
    except BaseException:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return None


def _still_there(descriptor: int, path: Path) -> bool:
    """True if the path still leads to our file; its last holder may have removed it."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except OSError:
        return False


if sys.platform == "win32":
    import msvcrt

    # An offset beyond the end of any file: Windows locks bytes against reading and writing by others.
    _BEHIND = 2**40

    def _at_lock(descriptor: int, how: int) -> None:
        here = os.lseek(descriptor, 0, os.SEEK_CUR)
        os.lseek(descriptor, _BEHIND, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, how, 1)
        finally:
            os.lseek(descriptor, here, os.SEEK_SET)

    def try_lock(descriptor: int) -> bool:
        """Take the lock of an open file, until it is closed, if nobody has it. Raises OSError."""
        try:
            _at_lock(descriptor, msvcrt.LK_NBLCK)
        except OSError:
            return False
        return True

    def _unlock(descriptor: int) -> None:
        with suppress(OSError):
            _at_lock(descriptor, msvcrt.LK_UNLCK)

else:
    import fcntl

    def try_lock(descriptor: int) -> bool:
        """Take the lock of an open file, until it is closed, if nobody has it. Raises OSError."""
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _unlock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)
