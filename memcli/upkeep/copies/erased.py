"""What a copy still holds of what was forgotten for good: it never comes back.

An erasure reaches every copy that the store knows. One that it could not reach, or never
knew, is looked through by the traces of what was forgotten before anything of it returns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from memcli.changes.forgetting.quotations import strings_in
from memcli.graph.links import evidence_of, link_statement
from memcli.model import EVERYWHERE, Event, Filter, Link, Memory, State
from memcli.storage import Store, areas
from memcli.storage.reports import Erasure
from memcli.write_policy.forgotten_texts import FORGOTTEN_KEY, find_hash_key, foreign_key_name
from memcli.write_policy.forgotten_traces import thing_address
from memcli.write_policy.reader import StoreReader

_FORGOTTEN = (areas.FORGOTTEN, areas.FORGOTTEN_TRACE)
# What is so of the store's place and its file, whatever it holds.
_OF_THE_FILE = (areas.COPY, areas.ERASURE, areas.SNAPSHOT)


class ErasedThings:
    """Tells what was forgotten for good, by the record and the traces that a store has of it."""

    def __init__(self, store: Store) -> None:
        self._reader = StoreReader(store)
        self._ids = {event.memory for event in store.history() if event.action == "erase"}
        self._known: dict[str, bool] = {}

    def memory(self, memory: Memory) -> bool:
        """Whether it was erased, says what was, or quotes or names it."""
        if memory.id in self._ids or self._at("memory", memory.id):
            return True
        return self._says([memory.text, *strings_in(memory.data, names=False), *memory.tags])

    def link(self, link: Link) -> bool:
        """Whether it was erased, rests on nothing else, or names it."""
        told = evidence_of(link)
        if self._at("link", link.id) or (told and all(each in self._ids for each in told)):
            return True
        return self._says([link.subject, link.object, link_statement(link)])

    def value(self, state: State) -> bool:
        """Whether a keyed value was erased after it was written, or quotes or names it."""
        if (state.space, state.area) in ((EVERYWHERE, each.name) for each in _FORGOTTEN):
            return False
        erased_at = self._reader.traces.erased_at(thing_address(state.space, state.area, state.key))
        if erased_at and state.updated_at <= erased_at:
            return True
        return self._says([state.key, *strings_in(state.value, names=False)])

    def cleaned(self, event: Event) -> Event:
        """A line of history without what in it says, quotes or names it."""
        reason = None if event.reason and self._says([event.reason]) else event.reason
        before, after = (self._without(fields) for fields in (event.before, event.after))
        return event._replace(reason=reason, before=before, after=after)

    def _without(self, fields: dict[str, Any] | None) -> dict[str, Any] | None:
        if not fields:
            return fields
        return {
            name: value for name, value in fields.items() if not self._says(strings_in(value, names=False))
        }

    def _at(self, *address: str) -> bool:
        return self._reader.traces.erased_at(thing_address(*address)) is not None

    def _says(self, texts: Iterable[str]) -> bool:
        return any(map(self._is_said, texts))

    def _is_said(self, text: str) -> bool:
        # Tags, roles and names of sessions stand in most rows.
        if (known := self._known.get(text)) is None:
            known = self._reader.was_forgotten(text) or self._reader.quotes_forgotten([text])
            self._known[text] = known
        return known


def erasure_of(erased: ErasedThings, store: Store) -> Erasure:
    """What has to go from a store that is to take another's place; `erased` as that other knows it."""
    everything = Filter(spaces=None, live=False)
    ids = [each.id for each in store.select(everything, order="oldest") if erased.memory(each)]
    ids += [each.id for each in store.links() if erased.link(each)]
    states = [(each.space, each.area, each.key) for each in store.states() if erased.value(each)]
    events = [new for old in store.history() if (new := erased.cleaned(old)) != old]
    return Erasure(ids=ids, states=states, events=events)


def carry_over(store: Store, to: Store) -> None:
    """Write into a store what it must know of the one whose place it takes: what was forgotten, and where
    copies are."""
    for area in _OF_THE_FILE:
        for state in list(to.states((EVERYWHERE,), area.name)):
            to.drop_state(EVERYWHERE, area.name, state.key)
    for area in (*_FORGOTTEN, *_OF_THE_FILE):
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
