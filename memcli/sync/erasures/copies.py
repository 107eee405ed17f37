"""Copies of the store: find the links and keyed values in them that other machines erased, by keyed hash."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.errors import MemcliError
from memcli.memories import Memories
from memcli.named_tuple import NamedTuple
from memcli.storage import Store
from memcli.storage.ledger import StateName, state_key
from memcli.storage.stores import drop_parts, holds_nothing, open_copy
from memcli.sync.erasures.tombstones import Tombstones, address
from memcli.sync.records.registers import LINK, STATE, milliseconds
from memcli.write_policy.forgotten_texts import hash_keys
from memcli.write_policy.forgotten_traces import thing_hash


class ThingsInCopies(NamedTuple):
    """Links and keyed values to remove from copies; `closed` maps unreadable copies to the reason."""

    links: list[str]
    states: list[StateName]
    closed: dict[str, str]


def things_in_copies(memories: Memories, things: set[str]) -> ThingsInCopies:
    """Return what these hashes match in the store's copies, unless it was written after the erasure."""
    links: dict[str, None] = {}
    states: dict[StateName, None] = {}
    closed: dict[str, str] = {}
    keys, tombstones = hash_keys(memories.store), Tombstones(memories.store)

    def is_meant(kind: str, key: str) -> bool:
        return any(thing_hash(each, address(kind, key)) in things for each in keys)

    if things:
        drop_parts(memories.store)
    for copy in memories.store.copies() if things else ():
        try:
            there = copy.path.exists()
            if (there and holds_nothing(copy.path)) or not (there or copy.elsewhere):
                continue
            store = open_copy(copy.path, busy_timeout=memories.config["busy_timeout"])
        except (MemcliError, OSError) as error:
            closed[str(copy.path)] = f"{copy.path}: may still hold what was erased elsewhere ({error})"
            continue
        try:
            links |= dict.fromkeys(each.id for each in store.links() if is_meant(LINK, each.id))
            states |= dict.fromkeys(
                name for name in _written(store, tombstones) if is_meant(STATE, state_key(*name))
            )
        finally:
            store.close()
    return ThingsInCopies(list(links), list(states), closed)


def _written(store: Store, tombstones: Tombstones) -> Iterator[StateName]:
    """Yield the keyed values that may be from before their erasure."""
    for each in store.states():
        if milliseconds(each.updated_at) <= (tombstones.latest or 0):
            erased = tombstones.erased(STATE, state_key(each.space, each.area, each.key))
            if milliseconds(each.updated_at) <= erased:
                yield each.space, each.area, each.key
