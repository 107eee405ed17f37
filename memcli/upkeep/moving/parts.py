"""Parts of a store's content, each read in a fixed order; writing one twice changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from memcli.model import Event, Filter, Link, Memory, State
from memcli.named_tuple import NamedTuple
from memcli.storage import Store, areas, lookup
from memcli.storage.batches import in_batches
from memcli.storage.ledger import Clock

# How many rows one transaction writes: a server updates word counts once in each.
BATCH = 2048
_ALL = Filter(spaces=None, live=False)


class Part(NamedTuple):
    """One part: how it is read from a store, and how a batch of it is written.

    `write` gets the source store, the target store, and the batch.
    """

    name: str
    read: Callable[[Store], Iterator[Any]]
    write: Callable[[Store, Store, Sequence[Any]], None]


def memories(store: Store) -> Iterator[Memory]:
    """Return every memory, ended ones too, oldest first."""
    return store.select(_ALL, order="oldest")


def links(store: Store) -> Iterator[Link]:
    """Return every link."""
    return store.links()


def values(store: Store) -> Iterator[State]:
    """Return the keyed values that are copied."""
    return (state for state in store.states() if areas.area_named(state.area).moves)


def changes(store: Store) -> Iterator[Event]:
    """Return the history."""
    return store.history()


def clocks_as_noted(store: Store) -> Iterator[Clock]:
    """Return the clocks whose records have not changed since the clocks were written."""
    return _clocks(store, noted=True)


def _changed_clocks(store: Store) -> Iterator[Clock]:
    return _clocks(store, noted=False)


def _clocks(store: Store, *, noted: bool) -> Iterator[Clock]:
    for batch in in_batches(store.clocks_since(-1), BATCH):
        for kind in sorted({each.kind for each in batch}):
            some = [each for each in batch if each.kind == kind]
            as_noted = store.is_clocked(kind, [each.key for each in some])
            yield from (each for each in some if (each.key in as_noted) == noted)


def _put_memories(source: Store, target: Store, some: Sequence[Memory]) -> None:
    target.put(some, None, some[0].created_at, lookup.vectors_of(source, some))


def _put_links(_: Store, target: Store, some: Sequence[Link]) -> None:
    target.put_links(some)


def _put_values(_: Store, target: Store, some: Sequence[State]) -> None:
    for state in some:
        target.put_state(state)


def _put_changes(_: Store, target: Store, some: Sequence[Event]) -> None:
    target.copy_history(some)


def _put_clocks(_: Store, target: Store, some: Sequence[Clock]) -> None:
    target.put_clocks(some)


PARTS = (
    # Clocks of records that changed since: written first, so that the next sync sees the records as changed.
    Part("changed clocks", _changed_clocks, _put_clocks),
    Part("memories", memories, _put_memories),
    Part("links", links, _put_links),
    Part("values", values, _put_values),
    Part("changes", changes, _put_changes),
    Part("clocks", clocks_as_noted, _put_clocks),
)
