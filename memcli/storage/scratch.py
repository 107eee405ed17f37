"""Scratch copy of a store as of an instant, for those who may not write to it: restricted roles, a standby.

To show a past instant, a store is set to it in one transaction that is rolled back. Where that is not
allowed, what can be read is copied into a temporary file.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime

from memcli.model import EVERYWHERE, Filter
from memcli.storage import Store
from memcli.storage.lookup import vectors_of
from memcli.system.temporary import temporary_folder

# How many rows one transaction copies.
_BATCH = 500


@contextmanager
def as_it_stood(store: Store, at: datetime, spaces: tuple[str, ...] | None) -> Iterator[Store]:
    """Inside, the yielded store is as of an instant; if it is not `store` itself, maybe of these spaces only.

    That covers memories, links, history and keyed values; nothing written into it is kept.
    """
    if store.may_go_back():
        with store.as_of(at):
            yield store
        return
    from memcli.storage.stores import open_store

    with (
        temporary_folder() as folder,
        closing(open_store(folder / "memory.db")) as scratch,
    ):
        scratch.location = store.location
        with store.reading(), scratch.writing():
            _fill(scratch, store, spaces)
        with scratch.as_of(at):
            yield scratch


def _fill(scratch: Store, store: Store, spaces: tuple[str, ...] | None) -> None:
    if model := store.model():
        scratch.use_model(model)
    kept = list(store.select(Filter(spaces=spaces, live=False), order="oldest"))
    for start in range(0, len(kept), _BATCH):
        some = kept[start : start + _BATCH]
        scratch.put(some, None, some[0].created_at, vectors_of(store, some))
    scratch.put_links(store.links(spaces))
    for state in store.states(None if spaces is None else (*spaces, EVERYWHERE)):
        scratch.put_state(state)
    scratch.copy_history(list(store.history()))
