"""Snapshot of a store, read without a lock, from which an erasure is planned; it can be refreshed."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile

from memcli.changes.forgetting.mentions import says_beside
from memcli.model import Event, Filter, Memory
from memcli.storage import Store

_ALL = Filter(spaces=None, live=False)


class Snapshot:
    """Everything in a store that an erasure looks at, at one `revision`.

    `memories` are those of every space, by id; `links` and `states` are of every space, too; `remarks` are
    the lines of history that say something of a memory beside its text. Uses (`Store.touch`) and vectors
    are not included.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        # The revision is read first: what is written meanwhile is then found by `refresh`.
        self.revision = store.revision()
        self.remarks: dict[int, Event] = {}
        self._newest = 0
        self._take_in(store.history())
        self.memories = self._all_memories()
        self.links = list(store.links())
        self.states = list(store.states())

    def refresh(self) -> bool:
        """Read what was written since; return True if anything has changed."""
        self.revision = self._store.revision()
        news = self._news()
        self._take_in(news)
        imported = self._read_again({event.memory for event in news})
        links, states = list(self._store.links()), list(self._store.states())
        beside = (links, states) != (self.links, self.states)
        self.links, self.states = links, states
        return bool(news) or imported or beside

    def _news(self) -> list[Event]:
        """Return the lines of history since the newest known, oldest first."""
        newest_first = self._store.history(newest_first=True)
        return list(takewhile(lambda event: event.number > self._newest, newest_first))[::-1]

    def _take_in(self, events: Iterable[Event]) -> None:
        for event in events:
            self._newest = event.number
            if says_beside(event):
                self.remarks[event.number] = event

    def _read_again(self, ids: set[str]) -> bool:
        """Read memories anew, all of them if some arrived without history; return True in that case."""
        here = {each.id: each for each in self._store.get(sorted(ids))}
        for memory_id in ids - here.keys():
            self.memories.pop(memory_id, None)
        self.memories |= here
        # An import that brings its own history adds no line to ours.
        if sum(number for _, _, number in self._store.count(_ALL)) == len(self.memories):
            return False
        self.memories = self._all_memories()
        return True

    def _all_memories(self) -> dict[str, Memory]:
        return {each.id: each for each in self._store.select(_ALL, order="oldest")}
