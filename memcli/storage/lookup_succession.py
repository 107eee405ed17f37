"""Which memory is in force where one was corrected or merged: the end of its chain."""

from __future__ import annotations

from memcli.ids import LENGTH
from memcli.model import Memory
from memcli.storage import Store

# How memcli says in `ended_why` that another memory took this one's place, before that one's id
# (of a named memory: before the number of its version).
_MERGED = "merged into "
_REPLACED = ("superseded by ", _MERGED, "folded into ", "updated by ")


def in_force(store: Store, memory: Memory) -> Memory:
    """The memory at the end of a chain of corrections and merges, as it is now; else itself.

    The chain ends at the wall of the space: what was moved out of it is not followed.
    """
    [memory] = store.get([memory.id]) or [memory]
    seen = {memory.id}
    while (later := successor(store, memory)) and later.id not in seen:
        seen.add(later.id)
        memory = later
    return memory


def successor(store: Store, memory: Memory) -> Memory | None:
    """What took an ended memory's place, in its space; None where it ended for another reason."""
    why = memory.ended_why or ""
    replaced = next((phrase for phrase in _REPLACED if why.startswith(phrase)), None)
    if memory.ended_at is None or replaced is None:
        return None
    named = why[len(replaced) :][:LENGTH]
    found = store.get([named]) or store.get(list(store.superseding([memory.id]).values()))
    return next((each for each in found if each.space == memory.space), None)


def merged_into(store: Store, memory: Memory) -> Memory:
    """The memory that one was merged into, at the end of its merges; else itself."""
    seen = {memory.id}
    while memory.ended_at and (memory.ended_why or "").startswith(_MERGED):
        later = successor(store, memory)
        if later is None or later.id in seen:
            break
        memory = later
        seen.add(memory.id)
    return memory
