"""Expire step: end what is past its time to live, or no longer valid."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from memcli.consolidation.news import brought_back
from memcli.consolidation.proposals import propose_end
from memcli.consolidation.step import Portion, Step, StepContext
from memcli.model import Memory


class ExpireStep(Step):
    """Records the end of memories that recall omits already.

    Raw turns get their time to live by being folded, so none is lost without a summary.
    """

    name = "expire"
    does = "ends what is past its time to live, or no longer valid"
    actions = ("end",)

    def propose(self, run: StepContext) -> Iterator[Portion]:
        """Yield an end for each memory whose time is past, unless its owner has restored it since."""
        scope, now = run.memories, run.memories.now()
        lapsed = scope.store.select(scope.within(lapsed=True, at=now), order="oldest")
        over = [memory for memory in lapsed if not brought_back(scope, memory, _ended(memory, now))]
        yield Portion([propose_end(self.name, [memory], "expired", _why(memory, now)) for memory in over])


def _ended(memory: Memory, now: datetime) -> datetime:
    """Return the instant at which the time of a memory was over."""
    return min(each for each in (memory.expires_at, memory.valid_until) if each and each <= now)


def _why(memory: Memory, now: datetime) -> str:
    if memory.expires_at and memory.expires_at <= now:
        return f"expired on {memory.expires_at:%Y-%m-%d}"
    return f"valid until {memory.valid_until:%Y-%m-%d}"


STEP = ExpireStep()
