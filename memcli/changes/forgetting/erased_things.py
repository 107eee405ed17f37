"""Erased things in copies: whatever a copy still holds of erased content is kept from coming back.

An erasure reaches every copy that the store knows. A copy that it could not reach, or never knew, is
searched by the recorded traces of what was erased before anything from it is restored.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from memcli.changes.forgetting.quotations import strings_in
from memcli.changes.forgetting.targets import value_address
from memcli.graph.links import evidence_of, link_statement
from memcli.model import EVERYWHERE, Event, Filter, Link, Memory, State
from memcli.storage import Store, areas
from memcli.storage.ledger import StateName
from memcli.storage.reports import Erasure
from memcli.write_policy.forgotten_traces import texts_within, thing_address
from memcli.write_policy.reader import StoreReader

_SAVE = areas.CHECKPOINT_SAVE.name
# The areas that record what was erased.
FORGOTTEN_AREAS = (areas.FORGOTTEN, areas.FORGOTTEN_TRACE)


class ErasedThings:
    """Recognises erased content by a store's history and traces of erasures."""

    def __init__(self, store: Store) -> None:
        self._reader = StoreReader(store)
        self._ids = {event.memory for event in store.history() if event.action == "erase"}
        self._known: dict[str, bool] = {}

    def memory(self, memory: Memory) -> bool:
        """True if the memory was erased, or its text says, quotes or names what was."""
        if memory.id in self._ids or self._at("memory", memory.id):
            return True
        return self._says([memory.text, *strings_in(memory.data, names=False), *memory.tags])

    def link(self, link: Link) -> bool:
        """True if the link was erased, all its evidence was, or it names what was."""
        told = evidence_of(link)
        if self._at("link", link.id) or (told and all(each in self._ids for each in told)):
            return True
        return self._says([link.subject, link.object, link_statement(link)])

    def value(self, state: State) -> bool:
        """True if the keyed value was erased after it was written, or quotes or names what was erased."""
        if (state.space, state.area) in ((EVERYWHERE, each.name) for each in FORGOTTEN_AREAS):
            return False
        erased_at = self._reader.traces.erased_at(thing_address(state.space, state.area, state.key))
        if erased_at and state.updated_at <= erased_at:
            return True
        return self._says([state.key, *strings_in(state.value, names=False)])

    def cleaned(self, event: Event) -> Event:
        """Return a line of history without the parts that say, quote or name what was erased."""
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
        # Cached, since tags, roles and session names recur in most rows.
        if (known := self._known.get(text)) is None:
            whole = any(map(self._reader.was_forgotten, texts_within(text)))
            known = whole or self._reader.quotes_forgotten([text])
            self._known[text] = known
        return known


def erasure_of(erased: ErasedThings, store: Store) -> Erasure:
    """Return what has to be removed from a store that replaces another; `erased` is the other's record."""
    everything = Filter(spaces=None, live=False)
    ids = [each.id for each in store.select(everything, order="oldest") if erased.memory(each)]
    ids += [each.id for each in store.links() if erased.link(each)]
    states = [(each.space, each.area, each.key) for each in store.states() if erased.value(each)]
    staying = {(each.space, each.area, each.key): each for each in store.states()}
    for name in states:
        del staying[name]
    states += dangling(staying, states)
    events = [new for old in store.history() if (new := erased.cleaned(old)) != old]
    return Erasure(ids=ids, states=states, events=events)


def dangling(values: Mapping[StateName, State], gone: Collection[StateName]) -> list[StateName]:
    """Return the keyed values that refer only to values that are `gone`.

    That is, a session's current task, or a checkpoint of which no saved state is left.
    """
    saves = {(space, key.partition("/")[0]) for space, area, key in values if area == _SAVE}
    found = []
    for (space, area, key), state in values.items():
        value = state.value if isinstance(state.value, dict) else {}
        task = value.get("task") if area == areas.SESSION_AT_HAND.name else None
        is_emptied = area == areas.CHECKPOINT.name and value.get("versions")
        if (task and (space, areas.TASK.name, task) in gone) or (
            is_emptied and (space, str(value.get("id"))) not in saves
        ):
            found.append((space, area, key))
    return found


def left_out_addresses(erasure: Erasure) -> list[str]:
    """Return the addresses of what an erasure keeps out of a store that is restored."""
    return [*erasure.ids, *(value_address(area, key) for _, area, key in erasure.states)]


def quoted_in_copy(store: Store, path: Path, busy_timeout: float) -> Erasure:
    """Return what has to be removed from a copy by the traces, beyond the erased rows themselves.

    What the store itself still holds stays. Raises NotFound, StoreUnusable.
    """
    from memcli.storage.stores import open_copy

    erased = ErasedThings(store)
    with closing(open_copy(path, busy_timeout=busy_timeout)) as copy:
        found = erasure_of(erased, copy)
        links = {each.id for each in store.links()}
        kept = {*links, *(each.id for each in store.get(list(found.ids)))}
        named = {(each.space, each.area, each.key): each for each in store.states()}
        states = {(each.space, each.area, each.key): each for each in copy.states()}
        return found._replace(
            ids=[each for each in found.ids if each not in kept],
            states=[each for each in found.states if not _is_there(named.get(each), states[each])],
            events=[each for each in found.events if each.memory not in kept],
        )


def _is_there(here: State | None, there: State) -> bool:
    return here is not None and here.value == there.value
