"""What a copy that comes back must not bring, and what it must be told: nothing that was forgotten for good.

An erasure reaches every copy that the store knows. One that it could not reach, or never
knew, is looked through by the traces of what was forgotten before anything of it returns.
"""

from __future__ import annotations

from collections.abc import Callable

from memcli.changes.forgetting.erased_things import FORGOTTEN_AREAS, ErasedThings, erasure_of
from memcli.model import EVERYWHERE
from memcli.storage import Store, areas
from memcli.storage.reports import Erasure
from memcli.write_policy.forgotten_texts import FORGOTTEN_KEY, find_hash_key, foreign_key_name

# What is so of the store's place and its file, whatever it holds.
_OF_THE_FILE = (areas.COPY, areas.ERASURE, areas.SNAPSHOT)


def carry_over(store: Store, to: Store) -> None:
    """Write into a store what it must know of the one whose place it takes: what was forgotten, and where
    copies are."""
    for area in _OF_THE_FILE:
        for state in list(to.states((EVERYWHERE,), area.name)):
            to.drop_state(EVERYWHERE, area.name, state.key)
    for area in (*FORGOTTEN_AREAS, *_OF_THE_FILE):
        own_key = find_hash_key(to)
        for state in store.states((EVERYWHERE,), area.name):
            name = state.key
            if area is areas.FORGOTTEN and name == FORGOTTEN_KEY and own_key not in (None, state.value):
                # The copy is of another store: what either forgot stays forgotten.
                name = foreign_key_name(state.value)
            to.put_state(state._replace(key=name), expected_version=0)
    _carry_replica(store, to)


def _carry_replica(store: Store, to: Store) -> None:
    """Carry over which replica of a sync the place is, and its folders, for the next sync to settle with
    what the copy says of that: its change files there stay the store's own.
    """
    of_sync = {state.key: state for state in store.states((EVERYWHERE,), areas.SYNC.name)}
    for state in list(to.states((EVERYWHERE,), areas.SYNC.name)):
        if state.key.startswith(areas.BEFORE_RESTORE):
            to.drop_state(EVERYWHERE, areas.SYNC.name, state.key)
    for key, state in of_sync.items():
        # What was not settled yet is what the place is.
        if key.startswith(areas.BEFORE_RESTORE):
            to.put_state(state)
        elif f"{areas.BEFORE_RESTORE}{key}" not in of_sync:
            to.put_state(state._replace(key=f"{areas.BEFORE_RESTORE}{key}"))


Settle = Callable[[Store | None, Store], Erasure]


def settle(store: Store | None, coming: Store) -> Erasure:
    """For `memcli.storage.stores.restore_store`: nothing that was erased comes back with a copy."""
    if store is None:
        return Erasure()
    with coming.writing():
        carry_over(store, coming)
    return erasure_of(ErasedThings(store), coming)
