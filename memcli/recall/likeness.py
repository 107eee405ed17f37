"""Likeness: the memories nearest to one memory by embedding, and the turns around it in its session."""

from __future__ import annotations

from collections.abc import Sequence

from memcli.embedding.scale import nearest_alike, store_scale
from memcli.messages import Command, message
from memcli.model import Filter, Memory, Ref
from memcli.recall.results import Hit, RankingSettings, Recall
from memcli.storage import Store


def similar_memories(store: Store, memory: Memory, where: Filter, settings: RankingSettings) -> Recall:
    """Return the memories in `where` that are most like one memory, best first, without itself.

    The score is the cosine of their nearest windows, on the scale of the default model. Empty if the memory
    has no vectors yet; `degraded` then says so.
    """
    ref = store.refs_by_id([memory.id]).get(memory.id, 0)
    windows = store.vectors([ref]).get(ref, ())
    if not windows:
        return Recall(
            memory.text, [], 0, message(f"{memory.id} has no vectors yet; run ", Command("reindex --missing"))
        )
    scale = store_scale(store)
    best: dict[Ref, float] = {}
    for window in windows:
        for match in nearest_alike(store, window, where, settings.limit + 1, scale):
            best[match.ref] = max(best.get(match.ref, 0.0), match.score)
    best.pop(ref, None)
    order = sorted(best, key=lambda each: (-best[each], each))[: settings.limit]
    memories = store.memories_by_ref(order)
    hits = [
        Hit(memories[each], best[each], None, best[each], {"meaning": best[each]}, best[each])
        for each in order
        if best[each] >= settings.min_score
    ]
    return Recall(memory.text, hits, len(best))


def turns_around(store: Store, hits: Sequence[Hit], reach: int) -> dict[str, list[Memory]]:
    """Return, by the id of each hit in a session, the turns up to `reach` around it, in time order."""
    refs = store.refs_by_id([hit.memory.id for hit in hits])
    found: dict[str, list[Memory]] = {}
    for session in store.sessions(list(refs.values())):
        for memory_id, ref in refs.items():
            if ref in session:
                place = session.index(ref)
                near = session[max(0, place - reach) : place + reach + 1]
                memories = store.memories_by_ref(near)
                found[memory_id] = [memories[each] for each in near if each in memories]
    return found
