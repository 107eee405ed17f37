"""One run: which steps, in which order, how far each may go, and what it reports.

Steps that look at news keep a line of history each up to which they have seen
everything, moved in the same transaction as what they did: a run that is
stopped, by its limits or by SIGKILL, is gone on with by the next. Every change
of a run carries the run's id, so `mem undo` takes it back whole.
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

# So many of those that a step ended at a time are read, to tell a few of them.
_LOOKED_AT = 100


class RunOptions(NamedTuple):
    """Which steps, by name, and how much they may take; `dry_run` proposes only."""

    steps: Sequence[str] = registry.STEP_NAMES
    max_seconds: float | None = None
    max_tokens: int | None = None
    dry_run: bool = False


def consolidation_lock(store: Store, *, wait: bool) -> AbstractContextManager[bool]:
    """Consolidate as the only process; gives whether none did. With `wait`, once none does.

    Raises StoreUnusable where that cannot be told.
    """
    return only_one(store, CONSOLIDATING, wait=wait)


def consolidate(
    memories: Memories,
    options: RunOptions | None = None,
    reasoner: Reasoner | None = None,
    progress: Callable[[str, int], None] = lambda step, done: None,
    asking: Callable[[int], None] = lambda tokens: None,
) -> RunReport:
    """Do the steps that are wanted in the space, as far as the limits let.

    `progress` hears of a step that begins (0) and of how many memories it has
    looked at, `asking` of the tokens that it will take to ask an LLM what was
    said. The caller holds the lock. Raises StoreUnusable; what was done until
    then stays. Raises Refused for an untrusted origin that would do more than look.
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
    """Do what a plan says and nothing else; parts whose memories have changed since are left out.

    What is to be purged is looked at once more: something may rest on it by now.
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


# The note of what is only proposed.
_DRY = "dry run"


@contextmanager
def _on_record(memories: Memories) -> Iterator[tuple[Memories, RunReport]]:
    """A run, all of whose changes are one change; what it did is kept, if it did anything."""
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
    """Says whether the time is up, now and for the rest of the run; then the report says so."""
    limit, started = options.max_seconds, time.monotonic()

    def over() -> bool:
        if limit is None or time.monotonic() - started < limit:
            return False
        report.stopped = f"after {limit:g} s (--max-seconds); the next run goes on"
        return True

    return over


def _relied_on(memories: Memories, proposals: Sequence[Proposal]) -> list[Proposal]:
    """The purges of what live memories and links rest on."""
    purges = [each for each in proposals if each.action == "purge"]
    kept = ids_rested_on(memories) if purges else set()
    return [each for each in purges if not kept.isdisjoint(each.memories)]


class _Run:
    """Has steps propose, and does what they propose or (dry) writes it down."""

    def __init__(self, context: StepContext) -> None:
        self._context = context
        self._memories = context.memories
        self._report = context.report
        self._cache = ComparisonCache(context.memories, context.report.at)
        # What an earlier step would have ended: a dry run must not propose it twice.
        self._gone: set[str] = set()
        self._asked = 0

    def do(self, step: Step) -> None:
        """One step, as far as the limits let."""
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
        # A first night over a large store asks thousands, and each portion reads those that are there.
        if self._asked > open_questions.MAX_QUESTIONS:
            self._put_off_questions()
            self._asked = 0

    def _tell_ended(self, outcomes: Sequence[ProposalOutcome]) -> None:
        """Note how the first of each step begin that were ended, for whoever reads the report.

        Turns of sessions are not told: they live out every night.
        """
        ended = [each.proposal for each in outcomes if each.done and each.proposal.action == "end"]
        asked = {memory: each for each in ended for memory in each.memories}
        # Of thousands that lived out a few are read.
        for memory in self._memories.store.get([*asked][:_LOOKED_AT]):
            proposal = asked[memory.id]
            told = sum(each.step == proposal.step for each in self._report.ended)
            if told < MOST_TOLD and not is_record(memory):
                by = proposal.end.get("replaced_by")
                why = f"updated by {ids.short_id(by)}" if by else proposal.why
                self._report.ended.append(EndedNote(proposal.step, memory.id, memory.text, why))

    def _put_off_questions(self) -> None:
        """Leave no more questions open than an owner might answer, the newest."""
        if self._context.dry_run:
            asked = [each.proposal for each in self._report.outcomes if each.proposal.action == "ask"]
            newest = sorted(asked, key=lambda each: max(each.memories), reverse=True)
            beyond = {frozenset(each.memories) for each in newest[open_questions.MAX_QUESTIONS :]}
        else:
            beyond = {frozenset(pair) for pair in open_questions.put_off_questions(self._memories)}
        self._report.put_off_questions(beyond)
