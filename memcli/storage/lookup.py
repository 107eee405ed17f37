"""Lookup of memories by id or part of an id, and from an ended memory to its current version; within a space.

Also of vectors by memory, and of the spaces that exist.
"""

from __future__ import annotations

from collections.abc import Sequence

from memcli import ids
from memcli.errors import BadInput, NotFound
from memcli.messages import Command, message
from memcli.model import EVERYWHERE, REPLACED, Filter, Memory, State
from memcli.storage import Store, Vectors, areas
from memcli.text.printable import quoted

# How many candidates are shown if several match.
_SHOWN = 5
# The fewest characters of an id's part that name something held for review.
_PART = 4


def find_memory(store: Store, fragment: str, where: Filter) -> Memory:
    """Return the memory in the spaces of `where` with this id, or the only one whose id begins or ends so.

    Raises NotFound, in the same words whether or not another space has it; BadInput if several match, with
    the candidates.
    """
    wanted = ids.normalise_fragment(fragment)
    found = store.find_ids(wanted, _SHOWN + 1, where.spaces) if wanted else []
    if not found:
        raise _waiting(store, fragment, where.spaces) or _not_found(fragment, where)
    if len(found) > 1:
        shown = "; ".join(f"{each.id} {quoted(each.text, 40)}" for each in store.get(found[:_SHOWN]))
        more = "; …" if len(found) > _SHOWN else ""
        raise BadInput(f"{fragment!r} fits several memories, give more of the id: {shown}{more}")
    return store.get(found)[0]


def waiting_under(store: Store, fragment: str, spaces: Sequence[str] | None) -> list[State]:
    """Return what waits for review in these spaces, or was rejected, under this id or part of one."""
    wanted = ids.normalise_fragment(fragment)
    # Fewer characters match by chance.
    if not wanted or len(wanted) < _PART:
        return []
    held = store.states(spaces, areas.HELD.name)
    return [each for each in held if each.key.startswith(wanted) or each.key.endswith(wanted)]


def _waiting(store: Store, fragment: str, spaces: Sequence[str] | None) -> NotFound | None:
    """Return the error that a held or rejected memory with such an id is no memory; None if there is none."""
    found = waiting_under(store, fragment, spaces)
    if len(found) != 1:
        return None
    state = found[0]
    here, value = ids.short_id(state.key), state.value if isinstance(state.value, dict) else {}
    accept = message(Command(f"review accept {here}"), " keeps it")
    if "rejected" in value:
        return NotFound(f"{here} is no memory: it was rejected in the review", by_hand=accept)
    return NotFound(
        f"{here} is no memory yet: it waits for review ({value.get('reason', 'held')})",
        by_hand=message(accept, ", ", Command("review list"), " shows it"),
    )


def _not_found(fragment: str, where: Filter) -> NotFound:
    """Return the error that no memory of these spaces has such an id, with advice where to look."""
    if where.spaces is None:
        return NotFound(
            f"no memory {fragment!r:.60}", by_hand=message(Command("list --all-spaces"), " shows ids")
        )
    spaces = ", ".join(map(repr, where.spaces))
    return NotFound(
        f"no memory {fragment!r:.60} in space {spaces:.60}",
        by_hand=message(Command("list"), " shows ids, --space names another"),
    )


def current_version(store: Store, memory: Memory) -> Memory:
    """Return the memory at the end of a chain of corrections and merges, current; else itself.

    The chain ends at the space: what was moved out of it is not followed.
    """
    [latest] = current_versions(store, store.get([memory.id]) or [memory])
    return latest


def current_versions(store: Store, some: Sequence[Memory]) -> list[Memory]:
    """Return the `current_version` of each, in order; all chains are followed at once, link by link."""
    latest, passed = list(some), [{each.id} for each in some]
    following: Sequence[int] = range(len(latest))
    while following:
        wanted = {latest[n].replaced_by or "" for n in following if latest[n].ended_as in REPLACED}
        later = {each.id: each for each in store.get(sorted(wanted - {""}))}
        moved = []
        for n in following:
            one = latest[n]
            other = later.get(one.replaced_by or "") if one.ended_as in REPLACED else None
            if other and other.space == one.space and other.id not in passed[n]:
                passed[n].add(other.id)
                latest[n] = other
                moved.append(n)
        following = moved
    return latest


def require_in_force(store: Store, memory: Memory) -> Memory:
    """Return the memory at the end of a chain, to be changed; raise BadInput if it has ended."""
    memory = current_version(store, memory)
    if memory.ended_at:
        raise BadInput(
            f"{memory.id} was ended ({memory.ended_why})",
            by_hand=message(Command(f"restore {memory.id}"), " first"),
        )
    return memory


def successor(store: Store, memory: Memory) -> Memory | None:
    """Return the memory that replaced an ended one, in its space; None if there is none."""
    if memory.ended_as not in REPLACED or memory.replaced_by is None:
        return None
    later = next(iter(store.get([memory.replaced_by])), None)
    return later if later and later.space == memory.space else None


def merged_into(store: Store, memory: Memory) -> Memory:
    """Return the memory that one was merged into, at the end of its merges; else itself."""
    seen = {memory.id}
    while memory.ended_as == "merged":
        later = successor(store, memory)
        if later is None or later.id in seen:
            break
        memory = later
        seen.add(memory.id)
    return memory


def vectors_of(store: Store, some: Sequence[Memory]) -> dict[str, Vectors]:
    """Return the vectors of the model in use, by memory; memories without any are left out."""
    refs = store.refs_by_id([memory.id for memory in some])
    found = store.vectors(list(refs.values()))
    return {memory_id: found[ref] for memory_id, ref in refs.items() if ref in found}


def is_in_use(store: Store, space: str) -> bool:
    """True if a space holds anything: memories, ended ones too, links or keyed values."""
    first = store.select(Filter(spaces=(space,), live=False), limit=1)
    values = (each for each in store.states((space,)) if areas.area_named(each.area).in_spaces)
    return any(True for some in (first, store.links((space,)), values) for _ in some)


def space_names(store: Store) -> list[str]:
    """Return every space that holds something, be it only links or keyed values, by name."""
    names = {name for name, _, _ in store.count(Filter(spaces=None, live=False))}
    names |= {link.space for link in store.links()}
    names |= {state.space for state in store.states() if areas.area_named(state.area).in_spaces}
    return sorted(names - {EVERYWHERE})


def unknown_space(store: Store, space: str) -> NotFound:
    """Return the error that a space holds nothing, with similar names."""
    from memcli.text.spelling import did_you_mean

    meant = did_you_mean(space, space_names(store))
    return NotFound(
        f"nothing is in space {space!r:.60}",
        advice=meant,
        by_hand=message(Command("space list"), " shows the others"),
    )
