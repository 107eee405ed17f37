"""Leftovers of killed processes beside a store: locks that nobody holds, and unfinished files under them.

The next process that opens the store removes them, but never what another is working on: it takes the lock
first.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from memcli.errors import StoreUnusable
from memcli.storage.errands import COPYING, LOCKS, RESTORING
from memcli.storage.sqlite.file.copies import making_copy, remove_copy, restored_part
from memcli.system.locks import hold_lock, is_locked


def clear_leftovers(file: Path) -> None:
    """Remove what is left beside the store at `file` (its real file); what cannot be removed stays."""
    for tail in LOCKS:
        lock = file.with_name(f"{file.name}{tail}")
        if not lock.exists() or is_locked(lock):
            continue
        # Taking a lock removes its file; the lock of copies also removes abandoned parts, and that of
        # restoring the file being restored, which may still hold what was erased.
        with suppress(StoreUnusable, OSError):
            busy = f"{lock} is held"
            with making_copy(file, patience=0) if tail == COPYING else hold_lock(lock, busy=busy, patience=0):
                if tail == RESTORING:
                    remove_copy(restored_part(file))
