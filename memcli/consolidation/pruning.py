"""Purging what was ended long ago, and ending what was never worth much; nothing explicit is lost."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from memcli.consolidation.proposals import Proposal, proposal
from memcli.consolidation.records import ended_by_owner, taken_back
from memcli.consolidation.strength import FADING, LASTING, learned
from memcli.memories import Memories
from memcli.model import Filter, Memory

# Of less importance, and used no more than once.
UNIMPORTANT, SELDOM = 0.3, 2


def propose(memories: Memories, now: datetime) -> Iterator[Proposal]:
    """A purge for what is past its grace, an end for what is unimportant, unused and old."""
    grace = timedelta(seconds=memories.config["purge_after"])
    old = timedelta(seconds=memories.config["prune_after"])
    cited = _cited(memories)
    ended = Filter(spaces=(memories.space,), ended_until=now - grace)
    for memory in memories.store.select(ended, order="oldest"):
        if memory.id not in cited and _may_purge(memories, memory):
            why = f"ended on {memory.ended_at:%Y-%m-%d}: {memory.ended_why or 'no reason given'}"
            yield proposal("prune", "purge", [memory], why)
    weak = memories.within(less_important=UNIMPORTANT, sources=(*FADING, "imported"), at=now)
    for memory in memories.store.select(weak, order="oldest"):
        last = memory.confirmed_at or learned(memory)
        unused = memory.access_count < SELDOM and now - last > old
        if unused and memory.kind not in LASTING and not taken_back(memories, memory):
            yield proposal("prune", "end", [memory], f"importance {memory.importance:g}, hardly used")


def _may_purge(memories: Memories, memory: Memory) -> bool:
    """Explicit memories go only if their owner ended them, or gave them a time to live."""
    if memory.source in (*FADING, "imported"):
        return True
    lived_out = memory.expires_at is not None and memory.ended_at is not None
    if lived_out and memory.expires_at <= memory.ended_at:  # type: ignore[operator]
        return True
    return ended_by_owner(memories, memory)


def _cited(memories: Memories) -> set[str]:
    """What live memories rest on: without it nobody could look up why they are believed."""
    found: set[str] = set()
    for memory in memories.store.select(memories.within(sources=(*FADING, "merged"))):
        cites = memory.data.get("cites")
        found.update(cites if isinstance(cites, list) else ())
    return found
