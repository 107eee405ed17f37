"""Being the only one who has a store's file open, also where SQLite cannot read it any more.

Whoever would write to a file that is about to lose its name would lose what he wrote. Newcomers
wait at the gate of `conversion`; who has the file open holds a shared lock on it, in WAL mode as
long as it is open, and is waited for by taking that very lock for ourselves
(https://www.sqlite.org/lockingv3.html).
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
# Who passed the gate just before it was closed has connected after so many seconds.
_SETTLING = 0.1
_POLL = 0.02


@contextmanager
def being_alone(file: Path, patience: float) -> Iterator[int]:
    """While this holds nobody else opens the file (a real path), or has it open; it may be given up in it.

    Yields the descriptor of the gate, for `take_place`. This process must have the file closed.
    Raises StoreBusy where others keep it open for `patience` seconds.
    Where there are no such locks (Windows) the system itself replaces no open file.
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
            # Who opened it all the same finds no store, and opens again (`opening`).
            if not os.fstat(descriptor).st_nlink:
                with suppress(OSError):
                    os.pwrite(descriptor, os.urandom(PAGE_SIZE), 0)
        finally:
            os.close(descriptor)


def _take(descriptor: int, file: Path, patience: float) -> None:
    import fcntl

    # Of the open file, not of the process: to close another descriptor of the file does not let go of it.
    lock = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, _FIRST, _SIZE, 0)
    deadline = time.monotonic() + patience
    while True:
        try:
            # macOS has the name, too, and another order of the fields.
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
