"""Ending what is past its time to live, or no longer valid."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from memcli.consolidation.proposals import Proposal, proposal
from memcli.scope import Scope


def propose(scope: Scope, now: datetime) -> Iterator[Proposal]:
    """An end for each memory whose time is past. It is out of recall already; now it is on record.

    Raw turns get their time to live by being folded, so none is lost unsummarised.
    """
    for memory in scope.store.select(scope.within(lapsed=True, at=now), order="oldest"):
        if memory.expires_at and memory.expires_at <= now:
            why = f"expired on {memory.expires_at:%Y-%m-%d}"
        else:
            why = f"valid until {memory.valid_until:%Y-%m-%d}"
        yield proposal("expire", "end", [memory], why)
