"""Prune step: purge what was ended long ago, and end what is unimportant; nothing explicit is lost."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from memcli.consolidation.decay_strength import FADING, LASTING, learned_at
from memcli.consolidation.news import brought_back
from memcli.consolidation.proposals import Proposal, proposal, propose_end
from memcli.consolidation.retention import ids_rested_on, may_purge, purge_grace
from memcli.consolidation.step import Portion, Step, StepContext
from memcli.model import Filter
from memcli.scope import Scope

# Memories below this importance, and used fewer times than this, are pruned.
UNIMPORTANT, SELDOM = 0.3, 2


class PruneStep(Step):
    """Purges and prunes; `retention` says what may be purged, and what stays because others rest on it."""

    name = "prune"
    does = "purges what was ended long ago, and ends what is unimportant, unused and old"
    actions = ("purge", "end")

    def propose(self, run: StepContext) -> Iterator[Portion]:
        """Yield a purge for what is past its grace, an end for what is unimportant, unused and old."""
        now = run.memories.now()
        yield Portion([*_past_grace(run.memories, now), *_worthless(run.memories, now)])


def _past_grace(scope: Scope, now: datetime) -> Iterator[Proposal]:
    relied_on = ids_rested_on(scope)
    ended = Filter(spaces=(scope.space,), ended_until=now - purge_grace(scope))
    for memory in scope.store.select(ended, order="oldest"):
        if memory.id not in relied_on and may_purge(scope, memory):
            why = f"ended on {memory.ended_at:%Y-%m-%d}: {memory.ended_why or 'no reason given'}"
            yield proposal(PruneStep.name, "purge", [memory], why)


def _worthless(scope: Scope, now: datetime) -> Iterator[Proposal]:
    old = timedelta(seconds=scope.config["prune_after"])
    weak = scope.within(less_important=UNIMPORTANT, sources=(*FADING, "imported"), at=now)
    for memory in scope.store.select(weak, order="oldest"):
        last = memory.confirmed_at or learned_at(memory)
        unused = memory.access_count < SELDOM and now - last > old
        if unused and memory.kind not in LASTING and not brought_back(scope, memory):
            why = f"importance {memory.importance:g}, hardly used"
            yield propose_end(PruneStep.name, [memory], "pruned", why)


STEP = PruneStep()
