"""Links and states in an export; with only trusted memories, without those that are untrusted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from memcli import times
from memcli.graph.links import is_trusted_link
from memcli.graph.walk import evidence_memories
from memcli.model import Filter, State
from memcli.recall.session_and_task import is_owners_hand
from memcli.storage import Store, areas
from memcli.tiers.tasks.attribution import trusted_parts

_OF_CHECKPOINT = (areas.CHECKPOINT_SAVE.name, areas.CHECKPOINT_STEP.name, areas.CHECKPOINT_OUTPUT.name)


def links_and_states(store: Store, where: Filter) -> Iterator[dict[str, Any]]:
    """Yield the links of the spaces of a filter, and the keyed values that are exported, as records."""
    links, states = list(store.links(where.spaces)), store.states(where.spaces)
    if where.trusted:
        sources = evidence_memories(store, links)
        links = [link for link in links if is_trusted_link(link, sources)]
        states = trusted_states(states)
    for link in links:
        yield {"type": "link", **as_json(link._asdict())}
    for state in states:
        if areas.area_named(state.area).travels:
            yield {"type": "state", **as_json(state._asdict())}


def as_json(values: dict[str, Any], leave_out: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the fields of a noun as JSON types, instants as text."""
    return {
        name: times.to_iso(value) if isinstance(value, datetime) else value
        for name, value in values.items()
        if name not in leave_out
    }


def trusted_states(states: Iterable[State]) -> Iterator[State]:
    """Yield keyed values without what an untrusted origin wrote; of a task, its trusted parts."""
    every = list(states)
    left_out = {key for state in every for key in _untrusted_keys(state)}
    for state in every:
        value = state.value
        if state.area == areas.TASK.name:
            if parts := trusted_parts(value):
                yield state._replace(value=parts)
        elif state.area == areas.SESSION_AT_HAND.name:
            if is_owners_hand(state.key):
                yield state
        elif state.area in _OF_CHECKPOINT:
            if not {state.key, state.key.partition("/")[0]} & left_out:
                yield state
        elif not isinstance(value, dict) or _is_trusted(state.area, value):
            yield state


def _is_trusted(area: str, value: dict[str, object]) -> bool:
    if area == areas.HELD.name:
        memory = value.get("memory")
        return isinstance(memory, dict) and memory.get("trusted") is True
    return "origin" not in value and not (area == areas.PROPOSED_LINK.name and not value.get("trusted"))


def _untrusted_keys(state: State) -> Iterator[str]:
    """Yield the id of an untrusted checkpoint, and the keys of untrusted versions and steps."""
    value = state.value
    if state.area == areas.CHECKPOINT.name:
        yield from [value["id"]] if value.get("origin") else ()
        yield from (f"{value['id']}/{number}" for number in value.get("origins", ()))
    elif state.area == areas.CHECKPOINT_STEP.name and value.get("origin"):
        yield state.key
