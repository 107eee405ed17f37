"""Being alone with a store's file: nobody else has it open, even if SQLite can no longer read it.

Writes to a file that is about to lose its name would be lost. New processes wait at the lock of
`conversion`; a process that has the file open in WAL mode holds a shared lock on it, and is waited for by
taking the same lock (https://www.sqlite.org/lockingv3.html).
"""

from __future__ import annotations

import os
import struct
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from memcli.errors import StoreBusy
from memcli.storage.sqlite.file.opening import PAGE_SIZE
from memcli.system.locks import hold_lock

# SQLite's bytes PENDING, RESERVED and SHARED (https://www.sqlite.org/fileformat2.html#the_lock_byte_page).
_FIRST, _SIZE = 0x40000000, 512
# Seconds after which a process that passed the gate just before it was closed has connected.
_SETTLING = 0.1
_POLL = 0.02


@contextmanager
def being_alone(file: Path, patience: float) -> Iterator[int]:
    """Inside, nobody else opens the file (a real path), or has it open, so that it may be replaced.

    Yields the descriptor of the gate, for `take_place`. This process must have the file closed. Raises
    StoreBusy if others keep it open for `patience` seconds. Where there are no such locks (Windows) the
    system itself replaces no open file.
    """
    gate = file.with_name(f"{file.name}.conversion")
    with hold_lock(gate, busy=f"{file}: is being replaced", patience=patience) as held:
        time.sleep(_SETTLING)
        if sys.platform == "win32" or not file.exists():
            yield held
            return
        descriptor = os.open(file, os.O_RDWR)
        try:
            _take(descriptor, file, patience)
            yield held
            # A process that opened it all the same finds no store, and opens again (`opening`).
            if not os.fstat(descriptor).st_nlink:
                with suppress(OSError):
                    os.pwrite(descriptor, os.urandom(PAGE_SIZE), 0)
        finally:
            os.close(descriptor)


def _take(descriptor: int, file: Path, patience: float) -> None:
    import fcntl

    # A lock of the open file description, not of the process: closing another descriptor does not release it.
    lock = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, _FIRST, _SIZE, 0)
    deadline = time.monotonic() + patience
    while True:
        try:
            # macOS has the constant, too, but another order of the fields.
            if sys.platform == "linux" and hasattr(fcntl, "F_OFD_SETLK"):
                fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, lock)
            else:
                fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, _SIZE, _FIRST)
        except (BlockingIOError, PermissionError) as error:
            if time.monotonic() > deadline:
                raise StoreBusy(
                    f"{file}: another process has the store open and did not end in time",
                    left="nothing was changed",
                    by_hand="try again, or raise MEMCLI_BUSY_TIMEOUT",
                ) from error
            time.sleep(_POLL)
        else:
            return
