"""Tombstones: the erasures that a store knows of, as keyed hashes with stamps.

An erasure leaves a trace of each thing it erased (`memcli.write_policy.forgotten_traces`): a keyed value
whose clock has a stamp like any other. A record is dead if that stamp is later than its `epoch`, the last
erasure that its writer knew of.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cached_property

from memcli.model import EVERYWHERE, Filter, Memory
from memcli.storage import Store, areas
from memcli.storage.ledger import state_key
from memcli.sync.records.registers import LINK, MEMORY, STATE, milliseconds
from memcli.write_policy.forgotten_texts import hash_keys
from memcli.write_policy.forgotten_traces import thing_address, thing_hash

# The actions that delete a memory for good.
FINAL = ("erase", "purge")
_TRACES = (areas.FORGOTTEN_TRACE.name, areas.FORGOTTEN.name)


def address(kind: str, key: str) -> str:
    """Return the address by which an erased record is known."""
    return thing_address(*json.loads(key)) if kind == STATE else thing_address(kind, key)


def is_trace(key: str) -> bool:
    """True if the key of a state names a trace of something erased."""
    if not key.startswith("["):
        return False
    space, area, _ = json.loads(key)
    return space == EVERYWHERE and area in _TRACES


class Tombstones:
    """The erasures that a store knows of; read once."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @cached_property
    def stamps(self) -> dict[str, int]:
        """The stamp of each trace of a link or value, by its hash."""
        states = self._store.states((EVERYWHERE,), areas.FORGOTTEN_TRACE.name)
        things = [
            each.key for each in states if isinstance(each.value, dict) and each.value.get("as") == "thing"
        ]
        keys = [state_key(EVERYWHERE, areas.FORGOTTEN_TRACE.name, each) for each in things]
        clocks = self._store.clocks(STATE, keys)
        return {
            thing: clocks[key].value["stamps"].get("value", clocks[key].value["base"])
            for thing, key in zip(things, keys, strict=True)
            if key in clocks
        }

    @cached_property
    def _keys(self) -> list[bytes]:
        return hash_keys(self._store)

    @property
    def latest(self) -> int:
        """The latest stamp; 0 if nothing was erased."""
        return max(self.stamps.values(), default=0)

    def erased(self, kind: str, key: str) -> int:
        """Return the stamp of a record's last erasure; 0 if there was none."""
        if not self.stamps:
            return 0
        where = address(kind, key)
        return max((self.stamps.get(thing_hash(each, where), 0) for each in self._keys), default=0)

    def epoch(self, kind: str, key: str) -> int:
        """Return the stamp of a record's last erasure, or of a memory's purge (by its history); 0 if none."""
        return max(self.erased(kind, key), _purged(self._store, key) if kind == MEMORY else 0)


def is_told_of(store: Store, memory: str) -> bool:
    """True if the history says more of a memory than that it is gone."""
    return any(event.action not in FINAL for event in store.history(memory))


def _purged(store: Store, memory: str) -> int:
    lines = (milliseconds(event.at) for event in store.history(memory) if event.action in FINAL)
    return max(lines, default=0)


def every_record(store: Store) -> Iterator[tuple[str, str]]:
    """Yield kind and key of every record that an erasure may delete."""
    memories: list[Memory] = list(store.select(Filter(spaces=None, live=False)))
    yield from ((MEMORY, each.id) for each in memories)
    yield from ((LINK, each.id) for each in store.links())
    yield from ((STATE, state_key(each.space, each.area, each.key)) for each in store.states())
