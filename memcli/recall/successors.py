"""What took another's place is found by what that said, too: "we took on Sana" for who the accountant is.

A note often tells a new value without saying of what: whoever wrote it knew what stood there before. Once
that is ended for it, by its owner or in a night, no words that are in force answer the question any more.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from memcli.model import OVERTAKEN, Filter, Memory, Ref
from memcli.recall.results import Hit
from memcli.storage import Store
from memcli.storage.lookup import current_version


class Candidate(NamedTuple):
    """A hit, the number of its memory, and the place of the candidate by whose text it was found."""

    hit: Hit
    ref: Ref
    place: int


def in_force(
    store: Store,
    hits: Sequence[Hit],
    refs: Sequence[Ref],
    where: Filter,
    factors: Callable[[Memory], dict[str, float]],
) -> list[Candidate]:
    """The hits, numbered by `refs`, and for each overtaken one what `where` means in its place, if anything.

    That has the signals of the text that was found and `factors` (by name) of its own; of two ways to one
    memory the better stays. Any order.
    """
    found: dict[str, Candidate] = {}
    latest = {
        place: current_version(store, hit.memory)
        for place, hit in enumerate(hits)
        if where.overtaken and hit.memory.ended_as in OVERTAKEN
    }
    known = store.refs_by_id(list({each.id for each in latest.values()})) if latest else {}
    meant = store.filter_refs(list(known.values()), where._replace(overtaken=False)) if known else set()
    for place, hit in enumerate(hits):
        each = Candidate(hit, refs[place], place)
        if place in latest:
            memory = latest[place]
            if known.get(memory.id) not in meant:
                continue
            parts = hit.parts | factors(memory)
            as_found = hit._replace(
                memory=memory, parts=parts, total=sum(parts.values()), found_as=hit.memory.id
            )
            each = Candidate(as_found, known[memory.id], place)
        best = found.get(each.hit.memory.id)
        if best is None or each.hit.total > best.hit.total:
            found[each.hit.memory.id] = each
    return list(found.values())
