"""Spaces: walled parts of a store, listed, renamed, forgotten and erased, and memories moved between them."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

from memcli.changes.relocation import RENAME, move_links, move_states
from memcli.changes.revision import reread
from memcli.doors import MEMORY, SPACE, Deed
from memcli.errors import BadInput
from memcli.graph.links import amended_link
from memcli.memories import Memories
from memcli.messages import Command, message
from memcli.model import EVERYWHERE, Change, Filter, Link, Memory
from memcli.named_tuple import NamedTuple
from memcli.recall import session_and_task
from memcli.scope import Scope
from memcli.storage import Store, areas
from memcli.storage.batches import BATCH, in_batches
from memcli.storage.lookup import is_in_use, space_names, unknown_space
from memcli.text.checks import check_space
from memcli.tiers.context import blocks


class Space(NamedTuple):
    """A space and how many memories it holds, live ones and all."""

    name: str
    live: int
    total: int


def spaces(scope: Scope) -> list[Space]:
    """Return every space that holds something, be it only links or keyed values, by name."""
    store = scope.store
    total = dict.fromkeys(space_names(store), 0)
    live: dict[str, int] = {}
    for counts, where in ((total, Filter(spaces=None, live=False)), (live, scope.within(spaces=None))):
        for name, _, number in store.count(where):
            counts[name] = counts.get(name, 0) + number
    return [Space(name, live.get(name, 0), number) for name, number in sorted(total.items())]


def rename_space(scope: Scope, old: str, new: str) -> int:
    """Rename a space, with its links, keyed state and permissions; return how many memories moved.

    Raises NotFound if there is no such space, BadInput if the new name is taken (to join two spaces use
    `move_memories`), Refused if the name holds a secret.
    """
    new = _checked(new)
    scope.require(SPACE, Deed.CHANGE, f"the space {old!r:.60}")
    if is_in_use(scope.store, new):
        raise BadInput(
            f"there is a space {new!r} already",
            by_hand=message(Command("space move"), " puts memories into it"),
        )
    with scope.store.writing():
        change = scope.change(RENAME, f"space {old} renamed")
        moved = _move(scope, _all_of(scope, old), new, change)
        move_links(scope.store, scope.store.links((old,)), new, change, scope.now())
        move_states(scope.store, old, new)
        if walls := scope.store.walls():
            walls.rename(old, new)
    return moved


def move_memories(scope: Scope, chosen: list[Memory], to: str) -> int:
    """Move memories into another space, with the links that rest on them; return how many moved."""
    to = _checked(to)
    scope.require(MEMORY, Deed.ERASE, "moving memories to another space")
    with scope.store.writing():
        chosen = reread(scope, chosen)
        ids = {memory.id for memory in chosen}
        links = [link for link in scope.store.links() if link.evidence in ids]
        change = scope.change("move", f"moved to space {to}")
        move_links(scope.store, links, to, change, scope.now())
        return _move(scope, chosen, to, change)


class SpaceContents(NamedTuple):
    """The contents of a space: memories, links, and the number of keyed values by area."""

    memories: list[Memory]
    links: list[Link]
    states: dict[str, int]

    def __str__(self) -> str:
        counts = {"memory": len(self.memories), "link": len(self.links), **self.states}
        return ", ".join(f"{name} {number:,}" for name, number in counts.items() if number)


class SpaceReceipt(NamedTuple):
    """A receipt of a space's soft forgetting: what it lost, and the keyed values it still has, by area."""

    memories: list[Memory]
    links: int
    blocks: int
    tasks: int
    staying: dict[str, int]


def space_contents(scope: Scope, *, ended: bool) -> SpaceContents:
    """Return what the current space holds; with `ended` including what was forgotten softly.

    Raises NotFound if that is nothing, BadInput for all spaces at once.
    """
    space, store = scope.space, scope.store
    if space == EVERYWHERE:
        raise BadInput(f"{EVERYWHERE!r} stands for all spaces; name one")
    links = [link for link in store.links((space,)) if ended or link.ended_at is None]
    # Without `at`, expired memories are included.
    found = SpaceContents(
        list(store.select(scope.within(at=None, live=not ended), order="oldest")),
        links,
        dict(_values(store, space)),
    )
    if not any(found):
        raise unknown_space(store, space)
    return found


def forget_space(memories: Memories, reason: str) -> SpaceReceipt:
    """End the memories and links of the current space, delete its blocks, clear its tasks.

    Everything but tasks can be restored. Raises NotFound, BadInput.
    """
    store, space = memories.store, memories.space
    memories.require(SPACE, Deed.END, f"the space {space!r:.60}")
    with store.writing():
        found = space_contents(memories, ended=False)
        now = memories.now()
        change = memories.change("end", reason)
        whole = memories.as_one_change(change.id or "", change.actor)
        ended = whole.end([memory.id for memory in found.memories], reason)
        store.put_links(
            amended_link(each, now, "unlink", reason=reason, within=change.id, ended_at=now)
            for each in found.links
        )
        deleted = [blocks.delete_block(memories, block.label) for block in blocks.blocks(memories)]
        for area in (each for each in areas.ALL if each.cleared):
            for state in list(store.states((space,), area.name)):
                store.drop_state(space, area.name, state.key)
        session_and_task.put_at_hand(memories, task=None)
        staying = _values(store, space)
    tasks = found.states.get(areas.TASK.name, 0)
    return SpaceReceipt(ended, len(found.links), len(deleted), tasks, dict(staying))


def _values(store: Store, space: str) -> Counter[str]:
    """Return how many keyed values a space has, by area."""
    return Counter(state.area for state in store.states((space,)) if areas.area_named(state.area).in_spaces)


def _checked(name: str) -> str:
    from memcli.text.secrets.redaction import refuse_secret_names

    name = check_space(name)
    refuse_secret_names([name], "the name of a space")
    return name


def _all_of(scope: Scope, name: str) -> list[Memory]:
    if not is_in_use(scope.store, name):
        raise unknown_space(scope.store, name)
    return list(scope.store.select(Filter(spaces=(name,), live=False), order="oldest"))


def _move(scope: Scope, chosen: list[Memory], to: str, change: Change) -> int:
    now = scope.now()
    fields: dict[str, Any] = {"space": to, "updated_at": now}
    return sum(
        scope.store.put([replace(memory, **fields) for memory in some], change, now)
        for some in in_batches(chosen, BATCH)
    )
