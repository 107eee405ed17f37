"""Spaces: walled parts of a store. Nothing in one is seen from another unless it is asked for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

from memcli.drafts import check_name
from memcli.errors import BadInput, NotFound
from memcli.memories import BATCH, Memories, batched
from memcli.model import EVERYWHERE, Filter, Memory


class Space(NamedTuple):
    """A space and how many memories it holds, live ones and all."""

    name: str
    live: int
    total: int


def spaces(memories: Memories) -> list[Space]:
    """Every space that holds something, by name."""
    total: dict[str, int] = {}
    live: dict[str, int] = {}
    for counts, where in ((total, Filter(spaces=None, live=False)), (live, memories.within(spaces=None))):
        for name, _, number in memories.store.count(where):
            counts[name] = counts.get(name, 0) + number
    return [Space(name, live.get(name, 0), number) for name, number in sorted(total.items())]


def rename(memories: Memories, old: str, new: str) -> int:
    """Give a space another name; links and keyed state come along. Returns how many memories moved.

    Raises NotFound where there is no such space, BadInput where the new name
    is taken: two spaces are put together by `move` only, knowingly.
    """
    new = check_name("space", new)
    if any(space.name == new for space in spaces(memories)):
        raise BadInput(f"there is a space {new!r} already; `mem space move` puts memories into it")
    with memories.store.writing():
        moved = _move(memories, _all_of(memories, old), new, f"space {old} renamed")
        links = [link._replace(space=new) for link in memories.store.links((old,))]
        memories.store.put_links(links)
        for state in list(memories.store.states((old,))):
            memories.store.put_state(state._replace(space=new))
            memories.store.drop_state(old, state.area, state.key)
    return moved


def move(memories: Memories, chosen: list[Memory], to: str) -> int:
    """Put memories into another space; with them the links that rest on them. Returns how many moved."""
    to = check_name("space", to)
    if to == EVERYWHERE:
        raise BadInput(f"{EVERYWHERE!r} stands for all spaces; choose another name")
    with memories.store.writing():
        ids = {memory.id for memory in chosen}
        links = [link for link in memories.store.links() if link.evidence in ids and link.space != to]
        memories.store.put_links([link._replace(space=to) for link in links])
        return _move(memories, chosen, to, f"moved to space {to}")


def _all_of(memories: Memories, name: str) -> list[Memory]:
    found = list(memories.store.select(Filter(spaces=(name,), live=False), order="oldest"))
    if not found:
        raise NotFound(f"no space {name!r:.60}; `mem space list` shows them")
    return found


def _move(memories: Memories, chosen: list[Memory], to: str, why: str) -> int:
    change = memories.change("move", why)
    now = memories.now()
    fields: dict[str, Any] = {"space": to, "updated_at": now}
    return sum(
        memories.store.put([replace(memory, **fields) for memory in some], change, now)
        for some in batched(chosen, BATCH)
    )
