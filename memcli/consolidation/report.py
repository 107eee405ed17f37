"""Report of a run: the outcome of each proposal, and what else the run did."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from typing import Any

from memcli import times
from memcli.consolidation.proposals import Proposal
from memcli.errors import MemcliError
from memcli.named_tuple import NamedTuple


class ProposalStatus(Enum):
    """The outcome of a proposal. The note beside it is for people; no code depends on it."""

    DONE = "done"
    KNOWN = "known"
    """Kept or asked before: repeating it confirms nothing."""
    HELD = "held"
    """Done as far as possible: the write policy holds it for the owner's review."""
    PUT_OFF = "put off"
    """Deferred, because too much waits for the owner already."""
    DRY_RUN = "dry run"
    STALE = "stale"
    """What it rests on was erased, ended or changed since it was proposed."""
    REFUSED = "refused"
    """The write policy does not let it in, or a rule of its action forbids it."""


class ProposalOutcome(NamedTuple):
    """The outcome of a proposal, with a note for people; `made` is the memory that it created, if any."""

    proposal: Proposal
    status: ProposalStatus
    note: str = ""
    made: str | None = None

    @property
    def done(self) -> bool:
        """True if it was carried out."""
        return self.status is ProposalStatus.DONE

    @property
    def refused(self) -> bool:
        """True if it was not carried out because it no longer holds, or never did."""
        return self.status in (ProposalStatus.STALE, ProposalStatus.REFUSED)


# How many of the memories that a step ended are reported with their texts.
MOST_TOLD = 5


class EndedNote(NamedTuple):
    """A memory that a step ended, and why, without quoting another."""

    step: str
    memory: str
    text: str
    why: str


class SetAside(NamedTuple):
    """A claim of an LLM in a step, and why it was refused."""

    step: str
    text: str
    reason: str


@dataclass(slots=True)
class RunReport:
    """The report of a run: what it did, or in a dry run would do."""

    run: str
    space: str
    at: datetime
    seconds: float = 0.0
    outcomes: list[ProposalOutcome] = field(default_factory=list)
    """The outcomes; in a dry run all have the status DRY_RUN. What was put off is only counted."""
    upkeep: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    set_aside: list[SetAside] = field(default_factory=list)
    """Claims of an LLM that were refused before they were proposed."""
    ended: list[EndedNote] = field(default_factory=list)
    """The first few memories that each step ended, without merged ones."""
    damaged: str | None = None
    """Why no backup was made: the store is damaged."""
    stopped: str | None = None
    tokens: int = 0
    """Tokens of an LLM, input and output; `tokens_expected` is the estimate before asking."""
    tokens_expected: int = 0
    put_off: int = 0
    """How many questions and links were deferred, because too many wait for the owner already."""

    def add(self, outcomes: Iterable[ProposalOutcome]) -> None:
        """Add the outcomes of proposals."""
        for each in outcomes:
            if each.status is ProposalStatus.PUT_OFF:
                self.put_off += 1
            else:
                self.outcomes.append(each)

    def put_off_questions(self, pairs: Collection[frozenset[str]]) -> None:
        """Count the questions about these pairs of memories as put off: they were dropped again."""
        self.put_off += len(pairs)
        self.outcomes = [
            each
            for each in self.outcomes
            if each.proposal.action != "ask" or frozenset(each.proposal.memories) not in pairs
        ]

    def skip(self, step: str, error: MemcliError) -> None:
        """Note, once, what a step had to do without."""
        line = f"{step}: {error}"
        if line not in self.skipped:
            self.skipped.append(line)

    @property
    def refused(self) -> list[ProposalOutcome]:
        """The proposals that were not carried out because they no longer hold."""
        return [each for each in self.outcomes if each.refused]

    @property
    def held(self) -> int:
        """How many distilled memories wait for the owner's review."""
        return sum(each.status is ProposalStatus.HELD for each in self.outcomes)

    @property
    def idle(self) -> bool:
        """True if there is nothing to report; then the run is not recorded."""
        return not (self.counts() or self.upkeep or self.held or self.set_aside or self._turned_down())

    def counts(self) -> dict[str, dict[str, int]]:
        """Return how often each step carried out each action."""
        found: dict[str, Counter[str]] = {}
        for outcome in self.outcomes:
            if outcome.done:
                found.setdefault(outcome.proposal.step, Counter())[outcome.proposal.action] += 1
        return {step: dict(actions) for step, actions in found.items()}

    def _turned_down(self) -> dict[str, int]:
        """Return why the write policy refused proposed memories and links, with counts."""
        return Counter(
            each.note
            for each in self.outcomes
            if each.status is ProposalStatus.REFUSED and each.proposal.action in ("keep", "link")
        )

    def summary(self) -> dict[str, Any]:
        """Return the run as JSON types, without texts: refused claims are counted."""
        return {
            "run": self.run, "space": self.space, "at": times.to_iso(self.at),
            "seconds": round(self.seconds, 2), "steps": self.counts(), "upkeep": self.upkeep,
            "held": self.held, "skipped": self.skipped, "damaged": self.damaged, "stopped": self.stopped,
            "put_off": self.put_off,
            "set_aside": len(self.set_aside), "refused": dict(self._turned_down()),
            "tokens": self.tokens, "tokens_expected": self.tokens_expected,
        }  # fmt: skip
