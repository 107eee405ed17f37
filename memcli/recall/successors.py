"""Successors: a memory in force is also found by the text of the superseded memory that it replaced.

A note often states a new value without saying of what ("we took on Sana", for who the accountant is), because
its writer knew the older note. Once that has ended, no text in force has the question's words any more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from memcli.model import OVERTAKEN, Filter, Match, Memory, Ref
from memcli.named_tuple import NamedTuple
from memcli.recall.results import Hit
from memcli.storage import Store


class Successor(NamedTuple):
    """The memory in force that replaced another."""

    ref: Ref
    memory: Memory


class Standing(NamedTuple):
    """A hit, the number of its memory, and the place of the candidate by whose text it was found."""

    hit: Hit
    ref: Ref
    place: int


def search_with_overtaken(
    store: Store, where: Filter, limit: int, search: Callable[[Filter], list[Match]]
) -> list[Match]:
    """Return what a search for up to `limit` finds, best first.

    If superseded memories take more than half of the places (a value that was stated anew each day), those in
    force get `limit` places of their own.
    """
    found = search(where)
    if not where.overtaken or len(found) < limit:
        return found
    in_force_alone = where._replace(overtaken=False)
    if len(store.filter_refs([match.ref for match in found], in_force_alone)) >= limit / 2:
        return found
    every = {match.ref: match for match in (*found, *search(in_force_alone))}
    return sorted(every.values(), key=lambda match: -match.score)


def successors(store: Store, memories: Mapping[Ref, Memory], where: Filter) -> dict[Ref, Successor | None]:
    """Return, for each superseded memory, the end of its chain of successors; None if `where` excludes it.

    Memories that are not superseded are left out. Empty unless `where` includes superseded ones.
    """
    ended = {ref: each for ref, each in memories.items() if where.overtaken and each.ended_as in OVERTAKEN}
    if not ended:
        return {}
    from memcli.storage.lookup import current_versions  # few answers hold any

    latest = dict(zip(ended, current_versions(store, list(ended.values())), strict=True))
    refs = store.refs_by_id(list({each.id for each in latest.values()}))
    meant = store.filter_refs(list(refs.values()), where._replace(overtaken=False))
    return {
        ref: Successor(refs[each.id], each) if refs.get(each.id) in meant else None
        for ref, each in latest.items()
    }


def in_force(
    hits: Sequence[Hit],
    refs: Sequence[Ref],
    later: Mapping[Ref, Successor | None],
    factors: Callable[[Memory], dict[str, float]],
) -> list[Standing]:
    """Return the hits, numbered by `refs`, each superseded one replaced by its successor; in any order.

    A successor has the signals of the text that was found and `factors` (by name) of its own; of two hits on
    one memory the better stays.
    """
    found: dict[str, Standing] = {}
    for place, (hit, ref) in enumerate(zip(hits, refs, strict=True)):
        each = Standing(hit, ref, place)
        if successor := later.get(ref):
            parts = hit.parts | factors(successor.memory)
            as_found = hit._replace(
                memory=successor.memory, parts=parts, total=sum(parts.values()), found_as=hit.memory.id
            )
            each = Standing(as_found, successor.ref, place)
        best = found.get(each.hit.memory.id)
        if best is None or each.hit.total > best.hit.total:
            found[each.hit.memory.id] = each
    return list(found.values())
