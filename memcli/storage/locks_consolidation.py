"""One consolidation of a store at a time: a lock of the operating system's, which dies with its process."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from memcli.errors import StoreUnusable

_LOOK_AGAIN = 0.2


@contextmanager
def only_one(store: Path, *, wait: bool) -> Iterator[bool]:
    """Hold the lock of the store at a path; gives whether it was free. With `wait`, until it is.

    The file beside the store stays; what counts is who holds it open and locked.
    """
    path = store.with_name(f"{store.name}.consolidating")
    try:
        handle = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
    except OSError as error:
        raise StoreUnusable(f"{path}: cannot be made ({error.strerror}); check the folder") from error
    try:
        taken = _take(handle)
        while wait and not taken:
            time.sleep(_LOOK_AGAIN)
            taken = _take(handle)
        yield taken
        if taken:
            _release(handle)
    finally:
        os.close(handle)


if sys.platform == "win32":
    import msvcrt

    def _take(handle: int) -> bool:
        with suppress(OSError):
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
            return True
        return False

    def _release(handle: int) -> None:
        with suppress(OSError):
            msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _take(handle: int) -> bool:
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        return False

    def _release(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_UN)
