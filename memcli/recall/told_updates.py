"""What perhaps updates something on a page, as a judge said when it was written: among all that was found.

The newer often shares no word with the question and stands far below, beneath the floor or beyond the page. (To
look for it near what it updates, by a search for each of a page's first, took a tenth of a recall's time.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memcli.model import Filter, judged_updates
from memcli.recall.ranking.replacement import is_told, may_replace
from memcli.recall.results import Hit
from memcli.storage import Store


def updates_told_of(
    store: Store, where: Filter, page: Sequence[Hit], found: Sequence[Hit]
) -> tuple[list[Hit], list[Hit]]:
    """What was judged to update something of a page, and what that: of all that was `found`.

    First what the question's filter means, then what it does not: that the older can only name.
    """
    updating: dict[str, list[Hit]] = {}
    for hit in found:
        for old in judged_updates(hit.memory):
            if is_told(hit.memory, old):
                updating.setdefault(old, []).append(hit)
    told: dict[str, Hit] = {}
    waiting = list(page)
    while waiting:
        older = waiting.pop(0)
        newer = updating.get(older.memory.id, [])
        fresh = [each for each in newer if each.memory.id not in told]
        told.update((each.memory.id, each) for each in fresh)
        waiting += fresh
    refs = store.refs_by_id(list(told))
    meant = store.filter_refs(list(refs.values()), where)
    return (
        [hit for each, hit in told.items() if refs.get(each) in meant],
        [hit for each, hit in told.items() if refs.get(each) not in meant],
    )


def naming_others(
    page: Sequence[Hit], others: Sequence[Hit], both_hold: Callable[[str, str], bool]
) -> list[Hit]:
    """The hits of a page, each that names none yet with the id of what of the `others` updates it, if any."""
    named = {
        hit.memory.id: newer.memory.id
        for hit in page
        for newer in others
        if is_told(newer.memory, hit.memory.id)
        and may_replace(newer.memory, hit.memory)
        and not both_hold(hit.memory.id, newer.memory.id)
    }
    return [hit._replace(updated_by=hit.updated_by or named.get(hit.memory.id)) for hit in page]
