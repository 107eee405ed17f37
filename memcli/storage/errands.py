"""Errands: tasks that only one process at a time does on a store, by lock names; see `Store.alone`.

A store in a file keeps a lock file beside it, named after it and the errand; a server uses the name alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from memcli.errors import StoreBusy

if TYPE_CHECKING:
    from memcli.storage import Store

CONSOLIDATING = ".consolidating"
SYNCING = ".syncing"
ERASING = ".erasing"
INCOMING = ".copying-store"
# For a store in a file: making a copy of it, or cleaning its copies.
COPYING = ".copying"
# For a store in a file: restoring a copy.
RESTORING = ".restoring"
LOCKS = (COPYING, RESTORING, CONSOLIDATING, SYNCING, ERASING, INCOMING)
# The prefix before the hash that identifies a step of a task.
STEP = "-locks/"


@contextmanager
def only_one(store: Store, errand: str, *, wait: bool) -> Iterator[bool]:
    """Hold the lock of an errand, with `wait` once it is free; yield False if another process holds it.

    Raises StoreUnusable if the lock cannot be tested.
    """
    with ExitStack() as holding:
        try:
            busy = f"{store.location}: {errand} is held"
            holding.enter_context(store.alone(errand, busy=busy, patience=None if wait else 0))
        except StoreBusy:
            yield False
        else:
            yield True
