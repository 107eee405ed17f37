"""What a step of consolidation is: it looks, and proposes portion by portion.

The run carries each portion out, or (dry) writes it down, and then lets the
step go on. So one step serves a run, a dry run and a plan, and how far it has
come is noted in the transaction that does what it proposed.

To add one: a file in `steps/`, named as the command is to name it, with a class
of this protocol and an instance of it as `STEP`; and its name in `registry`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol, runtime_checkable

from memcli.consolidation.news import News, news_since
from memcli.consolidation.pairs import PairFinder
from memcli.consolidation.proposals import Proposal, ProposalAction
from memcli.consolidation.reasoner import Reasoner, ReasonerFailure
from memcli.consolidation.report import RunReport
from memcli.memories import Memories
from memcli.model import Memory
from memcli.named_tuple import NamedTuple
from memcli.tiers.sessions.extracts import Summariser, SummaryRequest, extractive_summary


class Portion(NamedTuple):
    """Proposals, and what is to be noted in one transaction with the last of them.

    Nothing is noted in a dry run, nor where a limit cuts the portion short.
    """

    proposals: Sequence[Proposal] = ()
    note: Callable[[], None] | None = None


@runtime_checkable
class Step(Protocol):
    """One way to keep a store relevant, small and true. It keeps nothing between runs but in the store."""

    name: ClassVar[str]
    """As the command and its module name it."""
    does: ClassVar[str]
    """What it does, in a line for people."""
    actions: ClassVar[tuple[ProposalAction, ...]]
    """All that it may propose. What a step makes is news to those after it, and to none before."""

    def propose(self, run: StepContext) -> Iterator[Portion]:
        """Its proposals. When it is asked for the next portion, the last one was carried out, unless dry.

        It writes nothing itself: what it wants to keep is the `note` of a portion.
        """


@runtime_checkable
class UpkeepStep(Step, Protocol):
    """A step that tends what is derived: nothing that is remembered changes, so there is nothing to propose.

    A dry run leaves it out.
    """

    actions: ClassVar[tuple[ProposalAction, ...]] = ()

    def propose(self, run: StepContext) -> Iterator[Portion]:
        """Nothing."""
        return iter(())

    def tend(self, run: StepContext) -> Iterator[str]:
        """Do it, piece by piece, as far as `run.over` lets; a line for each thing done."""


@dataclass(frozen=True, slots=True)
class StepContext:
    """The run as a step sees it: where it looks, whom it may ask, how far it may go, and where it reports."""

    memories: Memories
    report: RunReport
    pairs: PairFinder
    order: Sequence[Step]
    """All steps there are, also those that are left out this time."""
    over: Callable[[], bool]
    """Whether a limit is reached; then the report says which."""
    reasoner: Reasoner | None = None
    dry_run: bool = False
    progress: Callable[[str, int], None] = lambda step, done: None
    asking: Callable[[int], None] = lambda tokens: None
    """Told how many tokens it will take, before an LLM is asked what memories say."""

    def news(self, step: Step, after: int) -> News:
        """What came or changed since line `after` of history, but by the step itself or one after it."""
        place = self.order.index(step)
        before = {action for each in self.order[:place] for action in each.actions}
        later = {action for each in self.order[place:] for action in each.actions}
        return news_since(self.memories, after, (later - before).union(step.actions))

    def live(self, ids: Sequence[str]) -> list[Memory]:
        """The memories with these ids that are in the space and have not ended."""
        here = [each for each in self.memories.store.get(ids) if each.space == self.memories.space]
        return [each for each in here if each.ended_at is None]

    def summariser(self, step: str) -> Summariser:
        """The LLM's summaries; an extract where there is none, or where it fails."""

        def summarise(fold: SummaryRequest) -> str:
            if self.reasoner:
                try:
                    return self.reasoner.summarise(fold)
                except ReasonerFailure as error:
                    self.report.skip(step, error)
            return extractive_summary(fold)

        return summarise
