"""Which memory is in force where one was corrected or merged: the end of its chain."""

from __future__ import annotations

from memcli.model import Memory
from memcli.storage import Store

_MERGED = "merged into "


def in_force(store: Store, memory: Memory) -> Memory:
    """The memory at the end of a chain of corrections and merges, as it is now; else itself."""
    [memory] = store.get([memory.id]) or [memory]
    seen = {memory.id}
    while memory.ended_at and (later := _successor(store, memory)) and later not in seen:
        seen.add(later)
        memory = store.get([later])[0]
    return memory


def _successor(store: Store, memory: Memory) -> str | None:
    """What a memory was merged into, or corrected into."""
    why = memory.ended_why or ""
    merged = why.removeprefix(_MERGED)
    if merged != why and store.get([merged]):
        return merged
    return store.superseding([memory.id]).get(memory.id)


def merged_into(store: Store, memory: Memory) -> Memory:
    """The memory that one was merged into, at the end of its merges; else itself."""
    seen = {memory.id}
    while memory.ended_at and (memory.ended_why or "").startswith(_MERGED):
        later = store.get([(memory.ended_why or "").removeprefix(_MERGED)])
        if not later or later[0].id in seen:
            break
        memory = later[0]
        seen.add(memory.id)
    return memory
