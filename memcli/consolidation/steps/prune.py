"""Purging what was ended long ago, and ending what was never worth much; nothing explicit is lost."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from memcli.consolidation import news as records
from memcli.consolidation.proposals import Proposal, proposal
from memcli.consolidation.strength import FADING, LASTING, learned
from memcli.graph.links import evidence_of
from memcli.graph.proposed import proposed
from memcli.graph.walk import standing, taken_back
from memcli.model import Filter, Memory
from memcli.scope import Scope

# Of less importance, and used no more than once.
UNIMPORTANT, SELDOM = 0.3, 2


def propose(scope: Scope, now: datetime) -> Iterator[Proposal]:
    """A purge for what is past its grace, an end for what is unimportant, unused and old."""
    old = timedelta(seconds=scope.config["prune_after"])
    relied_on = cited(scope)
    ended = Filter(spaces=(scope.space,), ended_until=now - _grace(scope))
    for memory in scope.store.select(ended, order="oldest"):
        if memory.id not in relied_on and may_purge(scope, memory):
            why = f"ended on {memory.ended_at:%Y-%m-%d}: {memory.ended_why or 'no reason given'}"
            yield proposal("prune", "purge", [memory], why)
    weak = scope.within(less_important=UNIMPORTANT, sources=(*FADING, "imported"), at=now)
    for memory in scope.store.select(weak, order="oldest"):
        last = memory.confirmed_at or learned(memory)
        unused = memory.access_count < SELDOM and now - last > old
        if unused and memory.kind not in LASTING and not records.taken_back(scope, memory):
            yield proposal("prune", "end", [memory], f"importance {memory.importance:g}, hardly used")


def may_purge(scope: Scope, memory: Memory) -> bool:
    """Whether it is past its grace; explicit ones go only if their owner ended them, or gave them an end."""
    if memory.ended_at is None or memory.ended_at > scope.now() - _grace(scope):
        return False
    if memory.source in (*FADING, "imported"):
        return True
    if memory.expires_at is not None and memory.expires_at <= memory.ended_at:
        return True
    return records.ended_by_owner(scope, memory)


def _grace(scope: Scope) -> timedelta:
    return timedelta(seconds=scope.config["purge_after"])


def cited(scope: Scope) -> set[str]:
    """What live memories and links rest on: without it nobody could look up why they are believed."""
    found = _behind_links(scope)
    for memory in scope.store.select(scope.within(sources=(*FADING, "merged"))):
        cites = memory.data.get("cites")
        found.update(cites if isinstance(cites, list) else ())
    return found


def _behind_links(scope: Scope) -> set[str]:
    """The evidence of links, and of proposed ones, that nobody took back."""
    links = [link for link in scope.store.links((scope.space,)) if link.ended_at is None]
    told = {each for link in links for each in evidence_of(link)}
    told |= {each for link in proposed(scope) for each in link.cites}
    known = standing(scope.store, sorted(told))
    return {each for each, memory in known.items() if not taken_back(memory)}
