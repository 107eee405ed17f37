"""Consolidation lock: one consolidation of a store at a time, whoever starts it."""

from __future__ import annotations

from contextlib import AbstractContextManager

from memcli.storage import Store
from memcli.storage.errands import CONSOLIDATING, only_one


def consolidation_lock(store: Store, *, wait: bool) -> AbstractContextManager[bool]:
    """Return a context manager that holds the lock; it yields False if another process holds it.

    With `wait` it waits for the lock. Raises StoreUnusable if the lock cannot be tested.
    """
    return only_one(store, CONSOLIDATING, wait=wait)
