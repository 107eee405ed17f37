"""What a store holds, part by part: read in an order of its own; to write it twice changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from memcli.model import Event, Filter, Link, Memory, State
from memcli.named_tuple import NamedTuple
from memcli.storage import Store, areas, lookup
from memcli.storage.batches import in_batches
from memcli.storage.ledger import Clock

# So many rows are one transaction: a server counts words once in each.
BATCH = 2048
_ALL = Filter(spaces=None, live=False)


class Part(NamedTuple):
    """One part: how it is read from a store, and how a batch of it is written.

    `write` is given the store that is read, the one that is written, and the batch.
    """

    name: str
    read: Callable[[Store], Iterator[Any]]
    write: Callable[[Store, Store, Sequence[Any]], None]


def memories(store: Store) -> Iterator[Memory]:
    """Every memory, ended ones too, oldest first."""
    return store.select(_ALL, order="oldest")


def links(store: Store) -> Iterator[Link]:
    """Every link."""
    return store.links()


def values(store: Store) -> Iterator[State]:
    """The keyed values that go along."""
    return (state for state in store.states() if areas.area_named(state.area).moves)


def changes(store: Store) -> Iterator[Event]:
    """The record of changes."""
    return store.history()


def clocks_as_noted(store: Store) -> Iterator[Clock]:
    """The clocks of records that are as these have noted them."""
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
    # What changed since a sync noted it is news to the next one, for its clock notes that nothing is there.
    Part("changed clocks", _changed_clocks, _put_clocks),
    Part("memories", memories, _put_memories),
    Part("links", links, _put_links),
    Part("values", values, _put_values),
    Part("changes", changes, _put_changes),
    Part("clocks", clocks_as_noted, _put_clocks),
)
