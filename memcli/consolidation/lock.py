"""One consolidation of a store at a time, whoever starts it."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from pathlib import Path

from memcli.system import locks


def consolidation_lock(store: Path, *, wait: bool) -> AbstractContextManager[bool]:
    """Hold the lock of the store at a path; gives whether it was free. With `wait`, until it is.

    Raises StoreUnusable where the lock cannot be made.
    """
    # One for all names of the store.
    return locks.only_one(Path(f"{os.path.realpath(store)}.consolidating"), wait=wait)
