"""Retention: which ended memories must stay, for their grace period or because others rest on them."""

from __future__ import annotations

from datetime import timedelta

from memcli.consolidation.decay_strength import FADING
from memcli.consolidation.news import ended_by_owner
from memcli.graph.links import evidence_of
from memcli.graph.proposed_links import list_proposed_links
from memcli.graph.walk import merged_memories, was_retracted
from memcli.memory_data import cited_ids
from memcli.model import Memory
from memcli.scope import Scope


def purge_grace(scope: Scope) -> timedelta:
    """Return how long ended memories can be restored."""
    return timedelta(seconds=scope.config["purge_after"])


def may_purge(scope: Scope, memory: Memory) -> bool:
    """True if it is past its grace period; an explicit memory only if its owner ended it, or set its end.

    Only the owner of the store may purge: a role that was let into a space purges nothing.
    """
    if not scope.owns_store:
        return False
    if memory.ended_at is None or memory.ended_at > scope.now() - purge_grace(scope):
        return False
    if memory.source in (*FADING, "imported"):
        return True
    if memory.expires_at is not None and memory.expires_at <= memory.ended_at:
        return True
    return ended_by_owner(scope, memory)


def ids_rested_on(scope: Scope) -> set[str]:
    """Return the ids of the evidence for live memories and links, without which they cannot be explained."""
    found = _behind_links(scope)
    for memory in scope.store.select(scope.within(sources=(*FADING, "merged"))):
        found.update(cited_ids(memory))
    return found


def _behind_links(scope: Scope) -> set[str]:
    """Return the evidence of links and proposed links, unless it was retracted."""
    links = [link for link in scope.store.links((scope.space,)) if link.ended_at is None]
    told = {each for link in links for each in evidence_of(link)}
    told |= {each for link in list_proposed_links(scope) for each in link.cites}
    known = merged_memories(scope.store, sorted(told))
    return {each for each, memory in known.items() if not was_retracted(memory)}
