"""Which memories are to be forgotten: those named, those that a query finds, those that a filter means."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from memcli.memories import Memories
from memcli.model import Filter, Memory

# A query forgets no more than this at once.
_MOST_FOUND = 100


def choose_memories(
    memories: Memories, where: Filter, fragments: Sequence[str] = (), query: str | None = None
) -> list[Memory]:
    """The memories to forget: those named, those that a query finds, or all that a filter means.

    Conditions narrow each other. Raises NotFound, BadInput for ids as
    `Memories.find` does.
    """
    if fragments:
        named = {memory.id: memory for memory in map(memories.find, fragments)}
        return list(named.values())
    if query is None:
        return list(memories.store.select(where, order="oldest"))
    answer = memories.recall(query, where, touch=False, settings=memories.settings(limit=_MOST_FOUND))
    return [hit.memory for hit in answer.hits]


def preview_code(chosen: Sequence[Memory]) -> str:
    """A short name of a set of memories, by which exactly these can be insisted on."""
    return hashlib.sha256("".join(sorted(each.id for each in chosen)).encode()).hexdigest()[:8]
