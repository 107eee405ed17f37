"""What perhaps updates something on a page, as a judge said when it was written: among all that was found.

The newer often shares no word with the question and stands far below, beneath the floor or beyond the page.
(To look for it near what it updates, a search for each of a page's first, took a tenth of a recall.)
"""

from __future__ import annotations

from collections.abc import Sequence

from memcli.model import judged_updates
from memcli.recall.ranking.replacement import is_told
from memcli.recall.results import Hit


def updates_told_of(page: Sequence[Hit], found: Sequence[Hit]) -> list[Hit]:
    """What was judged to update something of a page, and what that, of all that was `found`."""
    updating: dict[str, list[Hit]] = {}
    for hit in found:
        for old in judged_updates(hit.memory):
            if is_told(hit.memory, old):
                updating.setdefault(old, []).append(hit)
    told: dict[str, Hit] = {}
    waiting = list(page)
    while waiting:
        older = waiting.pop(0)
        fresh = [each for each in updating.get(older.memory.id, []) if each.memory.id not in told]
        told.update((each.memory.id, each) for each in fresh)
        waiting += fresh
    return list(told.values())
