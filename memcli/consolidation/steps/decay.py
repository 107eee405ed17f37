"""Decay step: end conclusions that nobody has used or confirmed for long."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from memcli.config.readers import half_lives
from memcli.consolidation.decay_strength import FADING, is_fading, last_needed, strength_at
from memcli.consolidation.news import brought_back
from memcli.consolidation.proposals import Proposal, propose_end
from memcli.consolidation.step import Portion, Step, StepContext
from memcli.scope import Scope


class DecayStep(Step):
    """Ends decayed memories. Strength is never stored: it follows from recorded times; see `strength_at`."""

    name = "decay"
    does = "ends inferred memories that have grown weak, or that nobody needed for long"
    actions = ("end",)

    def propose(self, run: StepContext) -> Iterator[Portion]:
        """Yield an end for each decaying memory that is weak, or idle for too long."""
        yield Portion(list(_faded(run.memories)))


def _faded(scope: Scope) -> Iterator[Proposal]:
    now = scope.now()
    weak, idle = scope.config["fade_floor"], timedelta(seconds=scope.config["idle_after"])
    lives = half_lives(scope.config["half_lives"])
    for memory in scope.store.select(scope.within(sources=FADING, at=now), order="oldest"):
        if not is_fading(memory):
            continue
        left = strength_at(memory, now, lives[memory.kind])
        if left < weak:
            why = f"faded: strength {left:.2f}, last needed {last_needed(memory):%Y-%m-%d}"
        elif now - last_needed(memory) > idle:
            why = f"not used or confirmed since {last_needed(memory):%Y-%m-%d}"
        else:
            continue
        if not brought_back(scope, memory):
            yield propose_end(DecayStep.name, [memory], "decayed", why)


STEP = DecayStep()
