"""Spaces: walled parts of a store. Nothing in one is seen from another unless it is asked for."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any, NamedTuple

from memcli.changes.changing import as_they_are
from memcli.changes.forgetting.erase import Receipt, erase
from memcli.changes.relocation import RENAME, carry_links, carry_states, taken
from memcli.errors import BadInput, NotFound
from memcli.graph.links import amended
from memcli.memories import BATCH, Memories, batched
from memcli.model import EVERYWHERE, Change, Filter, Link, Memory
from memcli.recall import at_hand as current
from memcli.text.checks import check_space
from memcli.tiers.context import blocks


class Space(NamedTuple):
    """A space and how many memories it holds, live ones and all."""

    name: str
    live: int
    total: int


def spaces(memories: Memories) -> list[Space]:
    """Every space that holds something, be it only links or keyed values, by name."""
    store = memories.store
    beside = {link.space for link in store.links()} | {state.space for state in store.states()}
    total = dict.fromkeys(beside - {EVERYWHERE}, 0)
    live: dict[str, int] = {}
    for counts, where in ((total, Filter(spaces=None, live=False)), (live, memories.within(spaces=None))):
        for name, _, number in store.count(where):
            counts[name] = counts.get(name, 0) + number
    return [Space(name, live.get(name, 0), number) for name, number in sorted(total.items())]


def rename(memories: Memories, old: str, new: str) -> int:
    """Give a space another name; links and keyed state come along. Returns how many memories moved.

    Raises NotFound where there is no such space, BadInput where the new name
    is taken: two spaces are put together by `move` only, knowingly; Refused
    where it holds a secret.
    """
    new = _checked(new)
    memories.owner_only(f"the space {old!r:.60}")
    if taken(memories.store, new):
        raise BadInput(f"there is a space {new!r} already; `mem space move` puts memories into it")
    with memories.store.writing():
        change = memories.change(RENAME, f"space {old} renamed")
        moved = _move(memories, _all_of(memories, old), new, change)
        carry_links(memories.store, memories.store.links((old,)), new, change, memories.now())
        carry_states(memories.store, old, new)
    return moved


def move(memories: Memories, chosen: list[Memory], to: str) -> int:
    """Put memories into another space; with them the links that rest on them. Returns how many moved."""
    to = _checked(to)
    memories.owner_only("moving memories to another space")
    with memories.store.writing():
        chosen = as_they_are(memories, chosen)
        ids = {memory.id for memory in chosen}
        links = [link for link in memories.store.links() if link.evidence in ids and link.space != to]
        change = memories.change("move", f"moved to space {to}")
        carry_links(memories.store, links, to, change, memories.now())
        return _move(memories, chosen, to, change)


class Contents(NamedTuple):
    """What a space holds: memories, links, and how many keyed values by area."""

    memories: list[Memory]
    links: list[Link]
    states: dict[str, int]

    def __str__(self) -> str:
        counts = {"memory": len(self.memories), "link": len(self.links), **self.states}
        return ", ".join(f"{name} {number:,}" for name, number in counts.items() if number)


class Forgotten(NamedTuple):
    """What a space lost by being forgotten softly, and the keyed values that it still has, by area."""

    memories: list[Memory]
    links: int
    blocks: int
    tasks: int
    staying: dict[str, int]


def contents(memories: Memories, *, ended: bool) -> Contents:
    """What the space at hand holds; with `ended` what was forgotten softly too.

    Raises NotFound where that is nothing, BadInput for all spaces at once.
    """
    space, store = memories.space, memories.store
    if space == EVERYWHERE:
        raise BadInput(f"{EVERYWHERE!r} stands for all spaces; name one")
    links = [link for link in store.links((space,)) if ended or link.ended_at is None]
    # What has expired is still there.
    found = Contents(
        list(store.select(memories.within(at=None, live=not ended), order="oldest")),
        links,
        dict(Counter(state.area for state in store.states((space,)))),
    )
    if not any(found):
        raise NotFound(f"nothing is in space {space!r:.60}; `mem space list` shows the others")
    return found


def forget(memories: Memories, reason: str) -> Forgotten:
    """End the memories and links of the space at hand, delete its blocks, clear its tasks.

    All but tasks can be brought back. Raises NotFound, BadInput.
    """
    store, space = memories.store, memories.space
    memories.owner_only(f"the space {space!r:.60}")
    with store.writing():
        found = contents(memories, ended=False)
        now = memories.now()
        change = memories.change("end", reason)
        with memories.as_one_change(change.id or "", change.actor):
            ended = memories.end([memory.id for memory in found.memories], reason)
        store.put_links(
            amended(each, now, "unlink", reason=reason, within=change.id, ended_at=now)
            for each in found.links
        )
        deleted = [blocks.delete(memories, block.label) for block in blocks.blocks(memories)]
        cleared = list(store.states((space,), current.TASKS))
        for state in (*cleared, *list(store.states((space,), current.RECALLED))):
            store.drop_state(space, state.area, state.key)
        current.change(store, space, now, task=None)
        staying = Counter(state.area for state in store.states((space,)))
    return Forgotten(ended, len(found.links), len(deleted), len(cleared), dict(staying))


def forget_for_good(memories: Memories, reason: str) -> Receipt:
    """Erase everything of the space at hand, and prove it. Raises NotFound, BadInput."""
    return erase(memories, contents(memories, ended=True).memories, reason, space=memories.space)


def _checked(name: str) -> str:
    from memcli.text.secrets.redaction import refuse_secret_names

    name = check_space(name)
    refuse_secret_names([name], "the name of a space")
    return name


def _all_of(memories: Memories, name: str) -> list[Memory]:
    if not taken(memories.store, name):
        raise NotFound(f"no space {name!r:.60}; `mem space list` shows them")
    return list(memories.store.select(Filter(spaces=(name,), live=False), order="oldest"))


def _move(memories: Memories, chosen: list[Memory], to: str, change: Change) -> int:
    now = memories.now()
    fields: dict[str, Any] = {"space": to, "updated_at": now}
    return sum(
        memories.store.put([replace(memory, **fields) for memory in some], change, now)
        for some in batched(chosen, BATCH)
    )
