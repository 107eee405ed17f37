"""Run of consolidation: which steps, in which order, within which limits, and its report.

Steps that look at news keep a bookmark, a history line up to which they have read everything, which moves
in the same transaction as what they did: a run stopped by its limits or by SIGKILL is continued by the
next. Every change of a run carries the run's id, so `mem undo` takes it back as a whole.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager

from memcli import ids
from memcli.changes import open_questions
from memcli.consolidation import bookmarks, registry
from memcli.consolidation.carry_out import carry_out
from memcli.consolidation.comparison_cache import ComparisonCache
from memcli.consolidation.pairs import PairFinder
from memcli.consolidation.proposals import ADDING, ENDING, ORIGIN, Proposal
from memcli.consolidation.reasoner import Reasoner
from memcli.consolidation.report import (
    MOST_TOLD,
    EndedNote,
    ProposalOutcome,
    ProposalStatus,
    RunReport,
    SetAside,
)
from memcli.consolidation.retention import ids_rested_on
from memcli.consolidation.step import Portion, Step, StepContext, UpkeepStep
from memcli.doors import CONSOLIDATION, Deed
from memcli.memories import Memories
from memcli.model import is_record
from memcli.named_tuple import NamedTuple
from memcli.storage import Store
from memcli.storage.errands import CONSOLIDATING, only_one

# How many of the memories that a step ended are read, to report a few of them.
_LOOKED_AT = 100


class RunOptions(NamedTuple):
    """The options of a run: its steps by name, and their limits; `dry_run` only proposes."""

    steps: Sequence[str] = registry.STEP_NAMES
    max_seconds: float | None = None
    max_tokens: int | None = None
    dry_run: bool = False


def consolidation_lock(store: Store, *, wait: bool) -> AbstractContextManager[bool]:
    """Return a context manager that holds the lock; it yields False if another process holds it.

    With `wait` it waits for the lock. Raises StoreUnusable if the lock cannot be tested.
    """
    return only_one(store, CONSOLIDATING, wait=wait)


def consolidate(
    memories: Memories,
    options: RunOptions | None = None,
    reasoner: Reasoner | None = None,
    progress: Callable[[str, int], None] = lambda step, done: None,
    asking: Callable[[int], None] = lambda tokens: None,
) -> RunReport:
    """Run the chosen steps in the space, as far as the limits allow; return the report.

    `progress` is called when a step begins (0) and with how many memories it has looked at, `asking` with
    the tokens that asking an LLM will take. The caller holds the lock. Raises StoreUnusable; what was done
    until then stays. Raises Refused for an untrusted origin, except in a dry run.
    """
    options = options or RunOptions()
    if not options.dry_run:
        memories.require(CONSOLIDATION, Deed.CHANGE, "consolidating")
        bookmarks.read_again_what_was_undone(memories)
    with _on_record(memories) as (signed, report):
        order = registry.all_steps()
        over = _limit(options, report)
        context = StepContext(
            signed, report, PairFinder(signed), order, over, reasoner, options.dry_run, progress, asking
        )
        run, refused_before = _Run(context), len(reasoner.set_aside) if reasoner else 0
        for step in order:
            if step.name in options.steps and not over():
                run.do(step)
                claims = reasoner.set_aside[refused_before:] if reasoner else ()
                report.set_aside += [SetAside(step.name, text, reason) for text, reason in claims]
                refused_before += len(claims)
        report.tokens = reasoner.tokens if reasoner else 0
    return report


def carry_out_plan(memories: Memories, proposals: Sequence[Proposal], *, dry_run: bool = False) -> RunReport:
    """Carry out a plan and nothing else; proposals whose memories have changed since are left out.

    Purges are checked once more: something may rest on the memory by now.
    """
    if not dry_run:
        memories.require(CONSOLIDATION, Deed.CHANGE, "consolidating")
    with _on_record(memories) as (signed, report):
        if dry_run:
            report.add(ProposalOutcome(each, ProposalStatus.DRY_RUN, _DRY) for each in proposals)
            return report
        relied_on = _relied_on(signed, proposals)
        report.add(
            ProposalOutcome(each, ProposalStatus.REFUSED, "something rests on it") for each in relied_on
        )
        left = [each for each in proposals if each not in relied_on]
        report.add(carry_out(signed, left, ComparisonCache(signed, report.at)))
    return report


# The note of an outcome in a dry run.
_DRY = "dry run"


@contextmanager
def _on_record(memories: Memories) -> Iterator[tuple[Memories, RunReport]]:
    """Yield the memories, with all changes recorded as one change, and the report, stored if not idle."""
    now, started = memories.now(), time.monotonic()
    report = RunReport(memories.new_id(now), memories.space, now)
    memories = memories.as_one_change(report.run, ORIGIN)
    with memories.store.giving_way():
        read_from = bookmarks.lines_read(memories)
        yield memories, report
        report.seconds = time.monotonic() - started
        if not report.idle:
            set_aside = [each._asdict() for each in report.set_aside]
            bookmarks.note_run(memories, report.run, report.summary(), set_aside, read_from)


def _limit(options: RunOptions, report: RunReport) -> Callable[[], bool]:
    """Return a function that says whether the time is up; when it is, the report says so."""
    limit, started = options.max_seconds, time.monotonic()

    def over() -> bool:
        if limit is None or time.monotonic() - started < limit:
            return False
        report.stopped = f"after {limit:g} s (--max-seconds); the next run goes on"
        return True

    return over


def _relied_on(memories: Memories, proposals: Sequence[Proposal]) -> list[Proposal]:
    """Return the purges of memories that live memories and links rest on."""
    purges = [each for each in proposals if each.action == "purge"]
    kept = ids_rested_on(memories) if purges else set()
    return [each for each in purges if not kept.isdisjoint(each.memories)]


class _Run:
    """Lets steps propose, and carries their proposals out, or in a dry run records them."""

    def __init__(self, context: StepContext) -> None:
        self._context = context
        self._memories = context.memories
        self._report = context.report
        self._cache = ComparisonCache(context.memories, context.report.at)
        # Memories that an earlier step would have ended, so that a dry run does not propose it twice.
        self._gone: set[str] = set()
        self._asked = 0

    def do(self, step: Step) -> None:
        """Do one step, as far as the limits allow."""
        self._context.progress(step.name, 0)
        for portion in step.propose(self._context):
            if self._context.dry_run:
                self._write_down(portion.proposals)
            else:
                self._carry_out(step, portion)
        if "ask" in step.actions:
            self._put_off_questions()
        if isinstance(step, UpkeepStep) and not self._context.dry_run:
            self._report.upkeep += step.tend(self._context)

    def _write_down(self, proposals: Sequence[Proposal]) -> None:
        kept = [each for each in proposals if self._gone.isdisjoint(each.memories)]
        self._gone.update(m for each in kept if each.action in ENDING for m in each.memories)
        self._report.add(ProposalOutcome(each, ProposalStatus.DRY_RUN, _DRY) for each in kept)

    def _carry_out(self, step: Step, portion: Portion) -> None:
        context = self._context
        outcomes = list(carry_out(
            self._memories, portion.proposals, self._cache,
            note=portion.note, summarise=context.summariser(step.name), over=context.over,
        ))  # fmt: skip
        self._report.add(outcomes)
        self._tell_ended(outcomes)
        if any(each.action in ADDING for each in portion.proposals):
            context.pairs.note_added()
        context.pairs.note_changed(memory for each in portion.proposals for memory in each.memories)
        self._asked += sum(each.action == "ask" for each in portion.proposals)
        # The first run over a large store asks thousands of questions, and each portion reads the open ones.
        if self._asked > open_questions.MAX_QUESTIONS:
            self._put_off_questions()
            self._asked = 0

    def _tell_ended(self, outcomes: Sequence[ProposalOutcome]) -> None:
        """Add the first few memories that each step ended to the report.

        Turns of sessions are left out: they expire every night.
        """
        ended = [each.proposal for each in outcomes if each.done and each.proposal.action == "end"]
        asked = {memory: each for each in ended for memory in each.memories}
        # Thousands may have expired; only some are read.
        for memory in self._memories.store.get([*asked][:_LOOKED_AT]):
            proposal = asked[memory.id]
            told = sum(each.step == proposal.step for each in self._report.ended)
            if told < MOST_TOLD and not is_record(memory):
                by = proposal.end.get("replaced_by")
                why = f"updated by {ids.short_id(by)}" if by else proposal.why
                self._report.ended.append(EndedNote(proposal.step, memory.id, memory.text, why))

    def _put_off_questions(self) -> None:
        """Keep no more questions open than an owner might answer: the newest."""
        if self._context.dry_run:
            asked = [each.proposal for each in self._report.outcomes if each.proposal.action == "ask"]
            newest = sorted(asked, key=lambda each: max(each.memories), reverse=True)
            beyond = {frozenset(each.memories) for each in newest[open_questions.MAX_QUESTIONS :]}
        else:
            beyond = {frozenset(pair) for pair in open_questions.put_off_questions(self._memories)}
        self._report.put_off_questions(beyond)
