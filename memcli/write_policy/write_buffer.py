"""Write buffer: memories that a bulk write has taken, put into the store together.

A store on a server makes a dozen round trips for a memory written alone. The buffer is flushed (`settle`)
before anything searches the store; look-ups by id read it directly.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import groupby
from operator import itemgetter

from memcli.model import Change, Memory
from memcli.storage import Store, Vectors


class WriteBuffer:
    """New memories of one transaction, in order, each with the change that it belongs to."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._kept: dict[str, tuple[Memory, tuple[Change, datetime]]] = {}
        self._vectors: dict[str, Vectors] = {}

    def add(self, memory: Memory, change: Change, at: datetime, vectors: Vectors | None) -> None:
        """Keep a new memory until the buffer is settled."""
        self._kept[memory.id] = (memory, (change, at))
        if vectors is not None:
            self._vectors[memory.id] = vectors

    def read(self, ids: Sequence[str]) -> dict[str, Memory]:
        """Return the memories with these ids, in this order, from buffer or store, omitting unknown ones."""
        here = {each: self._kept[each][0] for each in ids if each in self._kept}
        there = {each.id: each for each in self._store.get([each for each in ids if each not in here])}
        both = {**here, **there}
        return {each: both[each] for each in ids if each in both}

    def settle(self) -> None:
        """Put the buffered memories into the store."""
        kept, vectors = self._kept, self._vectors
        self.drop()
        for (change, at), some in groupby(kept.values(), itemgetter(1)):
            self._store.put([memory for memory, _ in some], change, at, vectors)

    def drop(self) -> None:
        """Discard the buffered memories, because their transaction was rolled back."""
        self._kept, self._vectors = {}, {}
