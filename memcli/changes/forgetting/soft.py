"""Forgetting softly: out of every recall, and restorable."""

from __future__ import annotations

from collections.abc import Sequence

from memcli.doors import Deed
from memcli.memories import Memories
from memcli.model import Memory


def forget_memories(memories: Memories, chosen: Sequence[Memory], reason: str) -> list[Memory]:
    """End memories softly: out of every recall, restorable; as they are then. Raises Refused."""
    memories.check_change(chosen, "forgetting", Deed.END)
    ids = [memory.id for memory in chosen]
    with memories.store.writing():
        memories.end(ids, reason)
        return memories.store.get(ids)
