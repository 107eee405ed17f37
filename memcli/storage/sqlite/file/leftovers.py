"""What killed processes left beside a store: locks that nobody holds, and what was being made under them.

The next one who opens the store clears it, and never what somebody is at: who takes a lock has it alone.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from memcli.errors import StoreUnusable
from memcli.storage.errands import COPYING, LOCKS, RESTORING
from memcli.storage.sqlite.file.copies import making_copy, remove_copy, restored_part
from memcli.system.locks import hold_lock, is_locked


def clear_leftovers(file: Path) -> None:
    """Clear what is left beside the store at `file` (its real file); where that cannot be, it stays."""
    for tail in LOCKS:
        lock = file.with_name(f"{file.name}{tail}")
        if not lock.exists() or is_locked(lock):
            continue
        # With a lock goes its file; with the one of copies what lost its writer, and with that of who went
        # back to a copy what it held: more than the store does, of what was forgotten for good.
        with suppress(StoreUnusable, OSError):
            busy = f"{lock} is held"
            with making_copy(file, patience=0) if tail == COPYING else hold_lock(lock, busy=busy, patience=0):
                if tail == RESTORING:
                    remove_copy(restored_part(file))
