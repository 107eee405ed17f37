"""Erased content and copies that come back: carry the record of erasures over, and find what must not return.

An erasure reaches every copy that the store knows. A copy that it could not reach, or never knew, is
searched by the recorded traces of what was erased before anything from it is restored.
"""

from __future__ import annotations

from collections.abc import Callable

from memcli.changes.forgetting.erased_things import FORGOTTEN_AREAS, ErasedThings, erasure_of
from memcli.model import EVERYWHERE
from memcli.storage import Store, areas
from memcli.storage.reports import Erasure
from memcli.write_policy.forgotten_texts import FORGOTTEN_KEY, find_hash_key, foreign_key_name

# The areas about the store's place and files, independent of its content.
_OF_THE_FILE = (areas.COPY, areas.ERASURE, areas.SNAPSHOT)


def carry_over(store: Store, to: Store) -> None:
    """Copy into a store what it must know of the one that it replaces: erasures, and where copies are."""
    for area in _OF_THE_FILE:
        for state in list(to.states((EVERYWHERE,), area.name)):
            to.drop_state(EVERYWHERE, area.name, state.key)
    for area in (*FORGOTTEN_AREAS, *_OF_THE_FILE):
        own_key = find_hash_key(to)
        for state in store.states((EVERYWHERE,), area.name):
            name = state.key
            if area is areas.FORGOTTEN and name == FORGOTTEN_KEY and own_key not in (None, state.value):
                # The copy is of another store, with another key: keep both keys, and all erasures.
                name = foreign_key_name(state.value)
            to.put_state(state._replace(key=name), expected_version=0)
    _carry_replica(store, to)


def _carry_replica(store: Store, to: Store) -> None:
    """Carry over the place's identity as a replica of a sync, and its folders.

    The next sync reconciles them with what the copy says; the change files in the folders stay the store's
    own.
    """
    of_sync = {state.key: state for state in store.states((EVERYWHERE,), areas.SYNC.name)}
    for state in list(to.states((EVERYWHERE,), areas.SYNC.name)):
        if state.key.startswith(areas.BEFORE_RESTORE):
            to.drop_state(EVERYWHERE, areas.SYNC.name, state.key)
    for key, state in of_sync.items():
        # An identity carried over before and not reconciled yet is that of the place.
        if key.startswith(areas.BEFORE_RESTORE):
            to.put_state(state)
        elif f"{areas.BEFORE_RESTORE}{key}" not in of_sync:
            to.put_state(state._replace(key=f"{areas.BEFORE_RESTORE}{key}"))


Settle = Callable[[Store | None, Store], Erasure]


def settle(store: Store | None, coming: Store) -> Erasure:
    """Prepare a copy for `memcli.storage.stores.restore_store`; return what must be removed from it."""
    if store is None:
        return Erasure()
    with coming.writing():
        carry_over(store, coming)
    return erasure_of(ErasedThings(store), coming)
