"""What only one process at a time does on a store, by names that all who open it share: see `Store.alone`.

A store in a file keeps a lock beside it, by its own name and this; a server may keep one by the name alone.
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
# Where the store is a file: making a copy of it, or cleaning its copies.
COPYING = ".copying"
# … or going back to one.
RESTORING = ".restoring"
LOCKS = (COPYING, RESTORING, CONSOLIDATING, SYNCING, ERASING, INCOMING)
# Before the hash of what tells a step of a task from all others.
STEP = "-locks/"


@contextmanager
def only_one(store: Store, errand: str, *, wait: bool) -> Iterator[bool]:
    """Do an errand if nobody does it (with `wait`, once nobody does); gives whether it may be done.

    Raises StoreUnusable where that cannot be told.
    """
    with ExitStack() as holding:
        try:
            busy = f"{store.location}: {errand} is held"
            holding.enter_context(store.alone(errand, busy=busy, patience=None if wait else 0))
        except StoreBusy:
            yield False
        else:
            yield True
