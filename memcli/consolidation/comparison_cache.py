"""Comparison cache: what new facts of a run are compared with, read once per run."""

from __future__ import annotations

from datetime import datetime, timedelta

from memcli.consolidation.proposals import ORIGIN
from memcli.memory_data import cited_ids
from memcli.model import Memory
from memcli.origins import is_through
from memcli.scope import Scope
from memcli.write_policy.related.batch import RelatedInBatch

# How far back facts count as kept by an interrupted run, which is continued within this time.
CUT_SHORT = timedelta(days=7)


class ComparisonCache:
    """A cache of the memories that new facts are compared with; read once per run, outside transactions."""

    def __init__(self, scope: Scope, now: datetime) -> None:
        self.related = RelatedInBatch(scope.store, now)
        self._scope = scope
        self._kept: set[tuple[str, tuple[str, ...]]] | None = None

    def kept_before(self, new: Memory) -> bool:
        """True if the same was distilled from the same evidence lately: repeating it confirms nothing."""
        if self._kept is None:
            since = self._scope.now() - CUT_SHORT
            lately = self._scope.within(sources=("inferred",), created_since=since, live=False)
            found = self._scope.store.select(lately)
            self._kept = {_said(each) for each in found if is_through(each.origin, ORIGIN)}
        return _said(new) in self._kept

    def note_kept(self, new: Memory) -> None:
        """Record that a fact has been kept."""
        if self._kept is not None:
            self._kept.add(_said(new))


def _said(memory: Memory) -> tuple[str, tuple[str, ...]]:
    return memory.text, tuple(cited_ids(memory))
