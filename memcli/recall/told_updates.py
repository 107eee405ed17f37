"""Told updates: memories that a judge, when they were written, took for updates of something on a page.

The newer memory often shares no word with the question, and stands far below or was not found at all. It is
looked up by the ids that it was judged to update. No index holds these, so in a large store only the
candidates are searched. (A vector search near each of a page's first hits took a tenth of a recall.)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memcli.model import UPDATE_OF, Memory, judged_likely, judged_updates
from memcli.recall.query.holders import WordSearch
from memcli.recall.ranking.replacement import SAID, may_replace
from memcli.recall.results import Hit
from memcli.storage import Store

# How many of a page's first hits are looked up.
_FIRST = 10
# In a store of at most so many memories all are looked through, at a microsecond each.
_LOOKED_THROUGH = 5_000


def updates_told_of(store: Store, meant: WordSearch, page: Sequence[Hit], found: Sequence[Hit]) -> list[Hit]:
    """Return the memories that were judged to update a hit of the page, and their updates in turn.

    The probability of an update of an update is the product of both, and below SAID it is ignored. An update
    that is not among all that was `found` is given as a hit found by what it updates, with score 0.
    """

    def updating(older: Iterable[str]) -> Iterable[Memory]:
        if meant.total > _LOOKED_THROUGH:
            return [hit.memory for hit in found]
        return store.select(meant.where._replace(updating=tuple(older)))

    known = {hit.memory.id: hit for hit in found}
    told: dict[str, Hit] = {}
    likely = dict.fromkeys((hit.memory.id for hit in page[:_FIRST]), 1.0)
    older = {hit.memory.id: hit for hit in page[:_FIRST]}
    while older:
        fresh: dict[str, Hit] = {}
        for newer in updating(older):
            for old in judged_updates(newer):
                if old not in older or newer.id in told:
                    continue
                together = likely[old] * judged_likely(newer, f"{UPDATE_OF}{old}")
                if together >= SAID and may_replace(newer, older[old].memory):
                    as_old = older[old]._replace(memory=newer, found_as=old, updated_by=None, score=0.0)
                    likely[newer.id] = max(together, likely.get(newer.id, 0.0))
                    fresh[newer.id] = known.get(newer.id, as_old)
        told |= fresh
        older = fresh
    return list(told.values())
