"""One consolidation of a store at a time, whoever starts it."""

from __future__ import annotations

from contextlib import AbstractContextManager

from memcli.storage import Store
from memcli.storage.errands import CONSOLIDATING, only_one


def consolidation_lock(store: Store, *, wait: bool) -> AbstractContextManager[bool]:
    """Consolidate as the only process; gives whether none did. With `wait`, once none does.

    Raises StoreUnusable where that cannot be told.
    """
    return only_one(store, CONSOLIDATING, wait=wait)
