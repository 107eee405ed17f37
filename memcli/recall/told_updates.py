"""What perhaps updates something on a page, as a judge said when it was written: of all that is in force.

The newer often shares no word with the question: it stands far below, or was not found at all. It is looked
up by the ids that it was judged to update. (A search near what it updates, one for each of a page's first,
took a tenth of a recall.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from memcli.model import Memory, judged_updates
from memcli.recall.ranking.replacement import is_told
from memcli.recall.results import Hit

# Of a long page so many of the first.
_FIRST = 10


def updates_told_of(
    page: Sequence[Hit], found: Sequence[Hit], updating: Callable[[Sequence[str]], Iterable[Memory]]
) -> list[Hit]:
    """What was judged to update something of a page, and what that.

    `updating` gives the memories that were judged to update some, by id. What is not among all that was
    `found` is found as what it updates.
    """
    known = {hit.memory.id: hit for hit in found}
    told: dict[str, Hit] = {}
    older = {hit.memory.id: hit for hit in page[:_FIRST]}
    while older:
        fresh: dict[str, Hit] = {}
        for newer in updating(list(older)):
            for old in judged_updates(newer):
                if old in older and newer.id not in told and is_told(newer, old):
                    as_old = older[old]._replace(memory=newer, found_as=old, updated_by=None)
                    fresh[newer.id] = known.get(newer.id, as_old)
        told |= fresh
        older = fresh
    return list(told.values())
