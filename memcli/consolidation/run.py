"""One run: which steps, in which order, how far each may go, and what it reports.

Steps that look at news keep a line of history each up to which they have seen
everything, moved in the same transaction as what they did: a run that is
stopped, by its limits or by SIGKILL, is gone on with by the next. Every change
of a run carries the run's id, so `mem undo` takes it back whole.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from typing import Any, NamedTuple

from memcli import times
from memcli.consolidation import (
    contradicting,
    decay,
    distilling,
    expire,
    fold_sessions,
    merging,
    noted,
    pruning,
    tending,
)
from memcli.consolidation.acting import Known, Outcome, carry_out
from memcli.consolidation.proposals import ORIGIN, Proposal
from memcli.consolidation.reasoner import Reasoner, ReasonerFailed
from memcli.consolidation.records import erased_since, news
from memcli.consolidation.surroundings import Surroundings
from memcli.extracts import Fold, extract
from memcli.memories import Memories, batched
from memcli.model import Memory

# What is distilled is compared in the same run; what is ended is not looked at again.
STEPS = ("distil", "fold", "expire", "merge", "contradict", "decay", "prune", "tend")
# Steps that look at what came or changed since they last did, so many memories at a time.
_NEWS = ("distil", "merge", "contradict")
_LOOKED_AT = 64
# One transaction: a few hundredths of a second.
_AT_ONCE = 8

Progress = Callable[[str, int], None]


class Wanted(NamedTuple):
    """Which steps, and how much they may take; `dry_run` proposes only."""

    steps: Sequence[str] = STEPS
    max_seconds: float | None = None
    max_tokens: int | None = None
    dry_run: bool = False


@dataclass(slots=True)
class Report:
    """What a run did, or (dry) would do."""

    run: str
    space: str
    at: datetime
    seconds: float = 0.0
    outcomes: list[Outcome] = field(default_factory=list)
    """Dry: nothing is done, and every outcome is a proposal."""
    upkeep: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    stopped: str | None = None
    tokens: int = 0

    def counts(self) -> dict[str, dict[str, int]]:
        """How often each step did what."""
        found: dict[str, dict[str, int]] = {}
        for outcome in self.outcomes:
            if outcome.done:
                actions = found.setdefault(outcome.proposal.step, {})
                actions[outcome.proposal.action] = actions.get(outcome.proposal.action, 0) + 1
        return found

    def summary(self) -> dict[str, Any]:
        """The run as JSON types, without texts."""
        return {
            "run": self.run, "space": self.space, "at": times.to_text(self.at),
            "seconds": round(self.seconds, 2), "steps": self.counts(), "upkeep": self.upkeep,
            "skipped": self.skipped, "stopped": self.stopped, "tokens": self.tokens,
        }  # fmt: skip


def consolidate(
    memories: Memories,
    wanted: Wanted | None = None,
    reasoner: Reasoner | None = None,
    progress: Progress = lambda step, done: None,
) -> Report:
    """Do the steps that are wanted in the space, as far as the limits let.

    The caller holds the lock. Raises StoreUnusable; what was done until then stays.
    """
    wanted = wanted or Wanted()
    now = memories.now()
    report = Report(memories.new_id(now), memories.space, now)
    started = time.monotonic()
    with memories.as_one_change(report.run, ORIGIN):
        run = _Run(memories, wanted, reasoner, progress, report, started)
        for step in STEPS:
            if step in wanted.steps and not run.over():
                run.do(step)
        report.seconds = time.monotonic() - started
        report.tokens = reasoner.tokens if reasoner else 0
        if not wanted.dry_run and (report.counts() or report.upkeep):
            noted.note_run(memories, report.run, report.summary())
    return report


def carry_out_plan(memories: Memories, proposals: Sequence[Proposal]) -> Report:
    """Do what a plan says and nothing else; parts whose memories have changed since are left out."""
    now = memories.now()
    report = Report(memories.new_id(now), memories.space, now)
    started = time.monotonic()
    with memories.as_one_change(report.run, ORIGIN):
        known = Known(memories, now)
        for some in _parts(proposals):
            report.outcomes += carry_out(memories, some, known)
        report.seconds = time.monotonic() - started
        if report.counts():
            noted.note_run(memories, report.run, report.summary())
    return report


class _Run:
    def __init__(
        self,
        memories: Memories,
        wanted: Wanted,
        reasoner: Reasoner | None,
        progress: Progress,
        report: Report,
        started: float,
    ) -> None:
        self._memories = memories
        self._wanted = wanted
        self._reasoner = reasoner
        self._progress = progress
        self._report = report
        self._started = started
        self._around: Surroundings | None = None
        # What the step at hand has yet to look at.
        self._later: set[str] = set()
        self._compared = Known(memories, report.at)
        # Whether there are memories by now that it does not know.
        self._more = False
        # What an earlier step would have ended: a dry run must not propose it twice.
        self._gone: set[str] = set()

    def over(self) -> bool:
        """Whether a limit is reached; then the report says which."""
        wanted, spent = self._wanted, time.monotonic() - self._started
        if wanted.max_seconds is not None and spent >= wanted.max_seconds:
            self._report.stopped = f"after {wanted.max_seconds:g} s (--max-seconds); the next run goes on"
        tokens = self._reasoner.tokens if self._reasoner else 0
        if wanted.max_tokens is not None and self._reasoner and tokens >= wanted.max_tokens:
            self._report.stopped = f"after {tokens} tokens (--max-tokens); the next run goes on"
        return self._report.stopped is not None

    def do(self, step: str) -> None:
        """One step, as far as the limits let."""
        self._progress(step, 0)
        now = self._memories.now()
        if step == "tend":
            if not self._wanted.dry_run:
                self._report.upkeep += tending.tend(self._memories, now, self.over)
        elif step == "fold":
            self._fold(now)
        elif step in _NEWS:
            self._look_at_news(step)
        else:
            module = {"expire": expire, "decay": decay, "prune": pruning}[step]
            self._act(list(module.propose(self._memories, now)))

    def _look_at_news(self, step: str) -> None:
        memories = self._memories
        after = noted.read_to(memories, step)
        found = news(memories, after, step, STEPS)
        if step == "distil" and after and erased_since(memories, after):
            self._act(list(distilling.orphans(memories)))
        if self._more:
            self._around = None
        done = 0
        self._later.clear()
        self._later.update(memory for _, memory in found.numbers)
        for batch in batched(found.numbers, _LOOKED_AT):
            if self.over():
                return
            self._later.difference_update(memory for _, memory in batch)
            some = [each for each in memories.store.get([memory for _, memory in batch]) if self._here(each)]
            last = batch[-1][0]
            proposals = self._proposed(step, some)
            self._act(proposals, lambda last=last: noted.note_read(memories, step, last))  # type: ignore[misc]
            self._progress(step, done := done + len(batch))
        if found.numbers and not self._wanted.dry_run:
            noted.note_read(memories, step, found.read_to)

    def _here(self, memory: Memory) -> bool:
        return memory.space == self._memories.space and memory.ended_at is None

    def _proposed(self, step: str, some: Sequence[Memory]) -> list[Proposal]:
        try:
            return list(self._propose(step, some, self._reasoner))
        except ReasonerFailed as error:
            self._report.skipped.append(f"{step}: {error}")
            return list(self._propose(step, some, None))

    def _propose(self, step: str, some: Sequence[Memory], reasoner: Reasoner | None) -> Iterator[Proposal]:
        if self._around is None:
            self._around = Surroundings(self._memories, self._later)
            self._more = False
        if step == "distil":
            return distilling.propose(self._memories, some, self._around, reasoner)
        if step == "merge":
            return merging.propose(some, self._around)
        return contradicting.propose(self._memories, some, self._around, reasoner)

    def _fold(self, now: datetime) -> None:
        memories = self._memories
        found = news(memories, noted.read_to(memories, "fold"), "fold", STEPS)
        turns = [each for each in memories.store.get([m for _, m in found.numbers]) if self._here(each)]
        sessions = {*noted.open_sessions(memories), *fold_sessions.sessions_of(turns)}
        if not self._wanted.dry_run and found.numbers:
            with memories.store.writing():
                noted.note_open(memories, sessions)
                noted.note_read(memories, "fold", found.read_to)
        left = set(sessions)
        for session in sorted(sessions):
            if self.over():
                break
            self._act(list(fold_sessions.propose(memories, now, [session])))
            if not fold_sessions.waiting(memories, session):
                left.discard(session)
        if not self._wanted.dry_run:
            noted.note_open(memories, left)

    def _act(self, proposals: list[Proposal], then: Callable[[], None] | None = None) -> None:
        """Carry out proposals a few at a time; what is to be noted `then` goes with the last."""
        if self._wanted.dry_run:
            kept = [each for each in proposals if not self._gone & set(each.memories)]
            self._gone.update(m for each in kept if each.action in ("end", "merge") for m in each.memories)
            self._report.outcomes += [Outcome(each, False, "dry run") for each in kept]
            return
        parts = list(_parts(proposals)) or ([[]] if then else [])
        for number, part in enumerate(parts, start=1):
            if number > 1 and self.over():
                return
            last = then if then and number == len(parts) else _nothing
            self._report.outcomes += carry_out(self._memories, part, self._compared, last, self._summarise)
        if any(each.action in ("keep", "merge", "fold") for each in proposals):
            self._more = True
        if self._around:
            self._around.forget(memory for each in proposals for memory in each.memories)

    def _summarise(self, fold: Fold) -> str:
        if self._reasoner:
            try:
                return self._reasoner.summarise(fold)
            except ReasonerFailed as error:
                self._report.skipped.append(f"fold: {error}")
        return extract(fold)


def _parts(proposals: Sequence[Proposal]) -> Iterator[list[Proposal]]:
    """Proposals for one transaction each; a new memory is compared with all others, so it stands alone."""
    for alone, some in groupby(proposals, lambda each: each.action == "keep"):
        yield from batched(some, 1 if alone else _AT_ONCE)


def _nothing() -> None:
    """Nothing is to be noted."""
