"""Sides of a comparison: the state of a store that a difference shows and a rollback restores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memcli.changes.forgetting.erased_things import ErasedThings, dangling
from memcli.changes.forgetting.targets import link_address, value_address
from memcli.model import Filter, Link, Memory, State
from memcli.named_tuple import NamedTuple
from memcli.storage import Store, areas
from memcli.storage.ledger import StateName

# Fields outside of a memory's state: uses, which happened, and times of writing, which other fields imply.
_BESIDE = frozenset({"id", "created_at", "updated_at", "access_count", "accessed_at"})
# Fields outside of a link's state: `data` has its own record of changes, and how often it was said.
_BESIDE_LINK = frozenset({"id", "created_at", "data"})


class Side(NamedTuple):
    """One of the two states that are compared: of some spaces, or of all, including store-wide values."""

    memories: dict[str, Memory]
    links: dict[str, Link]
    values: dict[StateName, State]


def read_side(store: Store, spaces: Sequence[str] | None) -> Side:
    """Read the state of a store."""
    where = Filter(spaces=None if spaces is None else tuple(spaces), live=False)
    return Side(
        {each.id: each for each in store.select(where, order="oldest")},
        {each.id: each for each in store.links(spaces)},
        {(each.space, each.area, each.key): each for each in store.states(spaces) if _rolls_back(each)},
    )


def without_erased(side: Side, now: Side, erased: ErasedThings) -> Side:
    """Return a copy's state without what was erased since; where the store still has it, as it is `now`."""
    memories, links, values = {}, {}, {}
    for memory_id, memory in side.memories.items():
        here = now.memories.get(memory_id)
        if _is_same(here, memory) or not erased.memory(memory):
            memories[memory_id] = memory
        elif here is not None:
            memories[memory_id] = here
    for link_id, link in side.links.items():
        known = now.links.get(link_id)
        if known == link or not erased.link(link):
            links[link_id] = link
        elif known is not None:
            links[link_id] = known
    for name, state in side.values.items():
        value = now.values.get(name)
        if (value and value.value == state.value) or not erased.value(state):
            values[name] = state
        elif value is not None:
            values[name] = value
    return Side(memories, links, _leading_somewhere(values, side, now))


def _leading_somewhere(values: dict[StateName, State], then: Side, now: Side) -> dict[StateName, State]:
    """Return values; those that refer only to what was left out of `then` are as they are now."""
    lost = set(dangling(values, then.values.keys() - values.keys()))
    kept = {name: each for name, each in values.items() if name not in lost}
    return kept | {name: each for name, each in now.values.items() if name in lost}


def _is_same(here: Memory | None, there: Memory) -> bool:
    return here is not None and memory_fields(here) == memory_fields(there)


def left_out(then: Side, brought: Side) -> list[str]:
    """Return the addresses of what `without_erased` removed from a copy's state."""
    found = [each for each in then.memories if brought.memories.get(each) != then.memories[each]]
    found += [link_address(each) for each in then.links if brought.links.get(each) != then.links[each]]
    gone = [name for name in then.values if brought.values.get(name) != then.values[name]]
    return [*found, *(value_address(area, key) for _, area, key in gone)]


def _rolls_back(state: State) -> bool:
    return areas.area_named(state.area).rolls_back


def memory_fields(memory: Memory) -> dict[str, Any]:
    """Return the fields of a memory that make up its state, as JSON types."""
    return {name: value for name, value in memory.to_record().items() if name not in _BESIDE}


def link_fields(link: Link) -> dict[str, Any]:
    """Return the fields of a link that make up its state, as JSON types."""
    fields = {name: value for name, value in link._asdict().items() if name not in _BESIDE_LINK}
    return {**fields, "evidence": [link.evidence, *_list(link.data.get("evidence"))]}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
