"""Step protocol: a step of consolidation looks, and proposes portion by portion.

The run carries each portion out, or records it in a dry run, and then lets the step go on. So one step
serves a run, a dry run and a plan, and its progress is recorded in the transaction that does what it
proposed. To add one: a file in `steps/`, named as the command is to name it, with a class of this protocol
and an instance of it as `STEP`; and its name in `registry`.
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
    """Proposals, and a note (a bookmark) to be written in one transaction with the last of them.

    The note is not written in a dry run, nor if a limit cuts the portion short.
    """

    proposals: Sequence[Proposal] = ()
    note: Callable[[], None] | None = None


@runtime_checkable
class Step(Protocol):
    """One step of consolidation. It keeps no state between runs but in the store."""

    name: ClassVar[str]
    """The step's name, as in the command and its module."""
    does: ClassVar[str]
    """One line for people that says what it does."""
    actions: ClassVar[tuple[ProposalAction, ...]]
    """All actions that it may propose. Its results are news to later steps, and not to earlier ones."""

    def propose(self, run: StepContext) -> Iterator[Portion]:
        """Yield proposals. When the next portion is asked for, the last one has been carried out, unless dry.

        It writes nothing itself: what it wants to keep is the `note` of a portion.
        """


@runtime_checkable
class UpkeepStep(Step, Protocol):
    """A step that maintains derived data only: no memory changes, so there is nothing to propose.

    A dry run leaves it out.
    """

    actions: ClassVar[tuple[ProposalAction, ...]] = ()

    def propose(self, run: StepContext) -> Iterator[Portion]:
        """Propose nothing."""
        return iter(())

    def tend(self, run: StepContext) -> Iterator[str]:
        """Do the work piece by piece until `run.over` is true; yield a line for each thing done."""


@dataclass(frozen=True, slots=True)
class StepContext:
    """The run as a step sees it: the memories, the LLM it may ask, the limits, and the report."""

    memories: Memories
    report: RunReport
    pairs: PairFinder
    order: Sequence[Step]
    """All steps, including those left out this time."""
    over: Callable[[], bool]
    """Returns True if a limit is reached; then the report says which."""
    reasoner: Reasoner | None = None
    dry_run: bool = False
    progress: Callable[[str, int], None] = lambda step, done: None
    asking: Callable[[int], None] = lambda tokens: None
    """Called with the expected number of tokens before an LLM is asked."""

    def news(self, step: Step, after: int) -> News:
        """Return what came or changed since history line `after`, except by this step or a later one."""
        place = self.order.index(step)
        before = {action for each in self.order[:place] for action in each.actions}
        later = {action for each in self.order[place:] for action in each.actions}
        return news_since(self.memories, after, (later - before).union(step.actions))

    def live(self, ids: Sequence[str]) -> list[Memory]:
        """Return the memories with these ids that are in the space and have not ended."""
        here = [each for each in self.memories.store.get(ids) if each.space == self.memories.space]
        return [each for each in here if each.ended_at is None]

    def summariser(self, step: str) -> Summariser:
        """Return a summariser that asks the LLM, and makes an extract if there is none, or it fails."""

        def summarise(fold: SummaryRequest) -> str:
            if self.reasoner:
                try:
                    return self.reasoner.summarise(fold)
                except ReasonerFailure as error:
                    self.report.skip(step, error)
            return extractive_summary(fold)

        return summarise
