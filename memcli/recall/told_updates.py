"""What perhaps updates something on a page, as a judge said when it was written: of all that is in force.

The newer often shares no word with the question: it stands far below, or was not found at all. It is looked
up by the ids that it was judged to update, which no index holds: in a large store only among what was found.
(A search near what it updates, one for each of a page's first, took a tenth of a recall.)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memcli.model import UPDATE_OF, Memory, judged_likely, judged_updates
from memcli.recall.query.holders import WordSearch
from memcli.recall.ranking.replacement import SAID, may_replace
from memcli.recall.results import Hit
from memcli.storage import Store

# Of a long page so many of the first.
_FIRST = 10
# So many memories are looked through, at a microsecond each.
_LOOKED_THROUGH = 5_000


def updates_told_of(store: Store, meant: WordSearch, page: Sequence[Hit], found: Sequence[Hit]) -> list[Hit]:
    """What was judged to update something of a page, and what that, of the memories that are meant.

    What updates an update is as likely as both judgements together, and is passed over below what is said.
    What is not among all that was `found` is found as what it updates, and answers nothing by itself.
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
