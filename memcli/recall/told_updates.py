"""What perhaps updates something on a page, as a judge said when it was written: found wherever it stands.

The newer often shares no word with the question, and is no candidate for it. Near what it updates it was when
that was judged: so it is looked for there, of the first of a page, whatever kind or tag is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from memcli.model import Filter, Memory, judged_updates
from memcli.recall.holders import WordSearch
from memcli.recall.ranking.replacement import is_told, may_replace
from memcli.recall.results import Hit
from memcli.storage import Store
from memcli.text import words

# Of so many of a page what updates them is looked for beyond what was found, among so many that are near.
_FIRST, _NEAR = 3, 40
# By words alone what shares none is found among so many of the newest.
_NEWEST = 200


def updates_told_of(
    store: Store, where: Filter, page: Sequence[Hit], found: Sequence[Hit], *, by_meaning: bool
) -> tuple[list[Hit], list[Hit]]:
    """What was judged to update something of a page, and what that: of all that was `found`, else near it.

    First what the question's filter means, then what it does not: that the older can only name.
    Without `by_meaning` no vectors are read. What was not found itself has the signals of what it updates.
    """
    updating: dict[str, list[Hit]] = {}
    for hit in found:
        for old in judged_updates(hit.memory):
            if is_told(hit.memory, old):
                updating.setdefault(old, []).append(hit)
    told: dict[str, Hit] = {}
    waiting, looked_for = list(page), _FIRST
    while waiting:
        older = waiting.pop(0)
        newer = updating.get(older.memory.id, [])
        if not newer and looked_for:
            looked_for -= 1
            near = _near(store, where, older.memory, by_meaning=by_meaning)
            newer = [
                older._replace(memory=each, found_as=older.memory.id)
                for each in near
                if is_told(each, older.memory.id)
            ]
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


def _near(store: Store, where: Filter, older: Memory, *, by_meaning: bool) -> Iterator[Memory]:
    """What came in later than a memory and is near to it."""
    since = Filter(spaces=(older.space,), trusted=where.trusted, at=where.at, created_since=older.created_at)
    if by_meaning:
        ref = store.refs_by_id([older.id]).get(older.id, 0)
        windows = store.vectors([ref]).get(ref, ())
        found = store.nearest(windows[0], since, _NEAR) if windows else []
    else:
        word_search = WordSearch(store, since)
        found = word_search.best(word_search.weights(words.query_terms(older.text)), _NEAR)
        yield from store.select(since, limit=_NEWEST)
    yield from store.memories_by_ref([match.ref for match in found]).values()
