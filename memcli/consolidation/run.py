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
from memcli.consolidation import bookmarks as noted
from memcli.consolidation import questions
from memcli.consolidation.carry_out import HELD, KNOWN, PUT_OFF, Known, Outcome, carry_out
from memcli.consolidation.news import erased_since, news
from memcli.consolidation.pairs import Surroundings
from memcli.consolidation.proposals import ORIGIN, Proposal
from memcli.consolidation.reasoner import Reasoner, ReasonerFailed
from memcli.consolidation.steps import contradict as contradicting
from memcli.consolidation.steps import decay, expire
from memcli.consolidation.steps import distil as distilling
from memcli.consolidation.steps import fold as fold_sessions
from memcli.consolidation.steps import merge as merging
from memcli.consolidation.steps import prune as pruning
from memcli.consolidation.steps import tend as tending
from memcli.graph.walk import taken_back
from memcli.memories import Memories, batched
from memcli.model import Memory
from memcli.tiers.sessions.extracts import Fold, extract

# What is distilled is compared in the same run; what is ended is not looked at again.
STEPS = ("distil", "fold", "expire", "merge", "contradict", "decay", "prune", "tend")
# How far an LLM was asked what the turns say (it may lag behind the step itself);
# as a step of progress: about how many tokens that will take.
ASKED = "distil-asked"
# Why an outcome of a dry run is not done.
DRY = "dry run"
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
    """Of an LLM, in and out; `tokens_expected` is what was reckoned before it was asked for facts."""
    tokens_expected: int = 0
    put_off: int = 0
    """Questions and links that were not put to the owner: so many stand open already."""

    @property
    def refused(self) -> list[Outcome]:
        """What was proposed and not done, because it holds no longer."""
        undone = [each for each in self.outcomes if not each.done and each.note not in (KNOWN, DRY)]
        return [each for each in undone if not each.note.startswith(HELD)]

    @property
    def held(self) -> int:
        """How much of what was distilled waits for the owner's review."""
        return sum(each.note.startswith(HELD) for each in self.outcomes)

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
            "held": self.held, "skipped": self.skipped, "stopped": self.stopped, "put_off": self.put_off,
            "tokens": self.tokens, "tokens_expected": self.tokens_expected,
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
    memories = memories.as_one_change(report.run, ORIGIN)
    with memories.store.giving_way():
        run = _Run(memories, wanted, reasoner, progress, report, started)
        for step in STEPS:
            if step in wanted.steps and not run.over():
                run.do(step)
        report.seconds = time.monotonic() - started
        report.tokens = reasoner.tokens if reasoner else 0
        if not wanted.dry_run and (report.counts() or report.upkeep or report.held):
            noted.note_run(memories, report.run, report.summary())
    return report


def carry_out_plan(memories: Memories, proposals: Sequence[Proposal], *, dry_run: bool = False) -> Report:
    """Do what a plan says and nothing else; parts whose memories have changed since are left out.

    What is to be purged is looked at once more: something may rest on it by now.
    """
    now = memories.now()
    report = Report(memories.new_id(now), memories.space, now)
    if dry_run:
        report.outcomes = [Outcome(each, False, DRY) for each in proposals]
        return report
    started = time.monotonic()
    memories = memories.as_one_change(report.run, ORIGIN)
    with memories.store.giving_way():
        compared = Known(memories, now)
        purges = any(each.action == "purge" for each in proposals)
        kept = set(pruning.cited(memories)) if purges else set()
        relied_on = [each for each in proposals if each.action == "purge" and kept & set(each.memories)]
        report.outcomes += [Outcome(each, False, "something rests on it") for each in relied_on]
        for some in _parts([each for each in proposals if each not in relied_on]):
            report.outcomes += carry_out(memories, some, compared)
        report.seconds = time.monotonic() - started
        if report.counts() or report.held:
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
            return True
        return False

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
            # What was said before there was an LLM is not gone back to.
            known = ASKED if noted.begun(self._memories, ASKED) else step
            asked_before = noted.read_to(self._memories, known)
            asked = self._reasoner if step == "distil" else None
            if asked and not self._wanted.dry_run:
                noted.begin(self._memories, ASKED, asked_before)
            self._look_at_news(step)
            if asked and not self.over():
                self._ask_about_news(asked, asked_before)
            self._put_off_questions()
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

    def _put_off_questions(self) -> None:
        """Leave no more questions open than an owner might answer, the newest."""
        report = self._report
        asked = [each.proposal for each in report.outcomes if each.proposal.action == "ask"]
        if self._wanted.dry_run:
            newest = sorted(asked, key=lambda each: max(each.memories), reverse=True)
            beyond = {frozenset(each.memories) for each in newest[questions.MOST :]}
            report.put_off += len(beyond)
        else:
            dropped = questions.drop_beyond(self._memories)
            report.put_off += len(dropped)
            beyond = {frozenset(pair) for pair in dropped}
        report.outcomes = [
            each
            for each in report.outcomes
            if each.proposal.action != "ask" or frozenset(each.proposal.memories) not in beyond
        ]

    def _here(self, memory: Memory) -> bool:
        return memory.space == self._memories.space and memory.ended_at is None

    def _proposed(self, step: str, some: Sequence[Memory]) -> list[Proposal]:
        try:
            return list(self._propose(step, some, self._reasoner))
        except ReasonerFailed as error:
            self._skipped(step, error)
            return list(self._propose(step, some, None))

    def _ask_about_news(self, reasoner: Reasoner, after: int) -> None:
        """What an LLM concludes from the turns that came since it was asked last, a prompt at a time.

        It keeps a place of its own: where it is down or a limit is reached, all
        else is done, and the next run asks from there.
        """
        memories = self._memories
        found = news(memories, after, "distil", STEPS)
        numbers = {memory: number for number, memory in found.numbers}
        here = memories.store.get(list(numbers))
        # A turn may be folded, and its life over, before an LLM that was down is up again.
        here = [each for each in here if each.space == memories.space and not taken_back(each)]
        turns = [each for each in here if distilling.by_owner(each)]
        portions = list(reasoner.portions(turns))
        self._report.tokens_expected += sum(map(reasoner.cost, portions))
        if portions:
            self._progress(ASKED, self._report.tokens_expected)
        for portion in portions:
            if self.over():
                return
            proposals: list[Proposal] = []
            try:
                proposals = list(distilling.conclude(memories, portion, reasoner))
            except ReasonerFailed as error:
                self._skipped("distil", error)
                if error.limit:
                    self._report.stopped = "at the limit, asking what was said; the next run goes on there"
                if error.limit or error.down:
                    return
            last = numbers[portion[-1].id]
            self._act(proposals, lambda last=last: noted.note_read(memories, ASKED, last))  # type: ignore[misc]
        if not self._wanted.dry_run:
            noted.note_read(memories, ASKED, found.read_to)

    def _skipped(self, step: str, error: ReasonerFailed) -> None:
        line = f"{step}: {error}"
        if line not in self._report.skipped:
            self._report.skipped.append(line)

    def _propose(self, step: str, some: Sequence[Memory], reasoner: Reasoner | None) -> Iterator[Proposal]:
        if self._around is None:
            self._around = Surroundings(self._memories, self._later)
            self._more = False
        if step == "distil":
            return distilling.propose(self._memories, some, self._around)
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
            self._act([self._summarised(each) for each in fold_sessions.propose(memories, now, [session])])
            if not fold_sessions.waiting(memories, session):
                left.discard(session)
        if not self._wanted.dry_run:
            noted.note_open(memories, left)

    def _summarised(self, fold: Proposal) -> Proposal:
        """For a plan: what the LLM says now, since nobody is asked when it is carried out."""
        if not (self._wanted.dry_run and self._reasoner):
            return fold
        session = str(fold.data["session"])
        summaries = fold_sessions.summarised(self._memories, session, self._summarise)
        return fold._replace(data={**fold.data, "summaries": summaries})

    def _act(self, proposals: list[Proposal], then: Callable[[], None] | None = None) -> None:
        """Carry out proposals a few at a time; what is to be noted `then` goes with the last."""
        if self._wanted.dry_run:
            kept = [each for each in proposals if not self._gone & set(each.memories)]
            self._gone.update(m for each in kept if each.action in ("end", "merge") for m in each.memories)
            self._report.outcomes += [Outcome(each, False, DRY) for each in kept]
            return
        parts = list(_parts(proposals)) or ([[]] if then else [])
        for number, part in enumerate(parts, start=1):
            if number > 1 and self.over():
                return
            last = then if then and number == len(parts) else _nothing
            outcomes = carry_out(self._memories, part, self._compared, last, self._summarise)
            self._report.outcomes += [each for each in outcomes if each.note != PUT_OFF]
            self._report.put_off += sum(each.note == PUT_OFF for each in outcomes)
        if any(each.action in ("keep", "merge", "fold") for each in proposals):
            self._more = True
        if self._around:
            self._around.forget(memory for each in proposals for memory in each.memories)

    def _summarise(self, fold: Fold) -> str:
        if self._reasoner:
            try:
                return self._reasoner.summarise(fold)
            except ReasonerFailed as error:
                self._skipped("fold", error)
        return extract(fold)


def _parts(proposals: Sequence[Proposal]) -> Iterator[list[Proposal]]:
    """Proposals for one transaction each; a new memory is compared with all others, so it stands alone."""
    for alone, some in groupby(proposals, lambda each: each.action == "keep"):
        yield from batched(some, 1 if alone else _AT_ONCE)


def _nothing() -> None:
    """Nothing is to be noted."""
