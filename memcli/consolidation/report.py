"""What a run reports: what became of each proposal, and what it did besides."""

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
    """How a proposal ended. The note of an outcome is for people and decides nothing."""

    DONE = "done"
    KNOWN = "known"
    """Kept or asked before: saying it once more confirms nothing."""
    HELD = "held"
    """Done as far as it can be: the policy holds it until its owner has looked at it."""
    PUT_OFF = "put off"
    """So much waits for its owner that this must wait itself."""
    DRY_RUN = "dry run"
    STALE = "stale"
    """What it rests on went, was ended or was changed since it was proposed."""
    REFUSED = "refused"
    """The policy does not let it in, or a rule of its action forbids it."""


class ProposalOutcome(NamedTuple):
    """What became of a proposal, with a note for people; the memory that it made, if any."""

    proposal: Proposal
    status: ProposalStatus
    note: str = ""
    made: str | None = None

    @property
    def done(self) -> bool:
        """Whether it was carried out."""
        return self.status is ProposalStatus.DONE

    @property
    def refused(self) -> bool:
        """Whether it was not carried out because it holds no longer, or never did."""
        return self.status in (ProposalStatus.STALE, ProposalStatus.REFUSED)


# So many of what a step ended are told by their texts.
MOST_TOLD = 5


class EndedNote(NamedTuple):
    """A memory that a step ended, and why, without quoting another."""

    step: str
    memory: str
    text: str
    why: str


class SetAside(NamedTuple):
    """What an LLM claimed in a step, and why it was refused."""

    step: str
    text: str
    reason: str


@dataclass(slots=True)
class RunReport:
    """What a run did, or (dry) would do."""

    run: str
    space: str
    at: datetime
    seconds: float = 0.0
    outcomes: list[ProposalOutcome] = field(default_factory=list)
    """Dry: nothing is done, and every outcome is a proposal. What was put off is counted only."""
    upkeep: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    set_aside: list[SetAside] = field(default_factory=list)
    """Of an LLM's claims, those that were not even proposed."""
    ended: list[EndedNote] = field(default_factory=list)
    """The first that each step ended; what was merged is told elsewhere."""
    damaged: str | None = None
    """Why no backup was made: the store is not as memcli wrote it."""
    stopped: str | None = None
    tokens: int = 0
    """Of an LLM, in and out; `tokens_expected` is what was reckoned before it was asked for facts."""
    tokens_expected: int = 0
    put_off: int = 0
    """Questions and links that were not put to the owner: so many stand open already."""

    def add(self, outcomes: Iterable[ProposalOutcome]) -> None:
        """Take in what became of proposals."""
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
        """Say, once, what a step had to do without."""
        line = f"{step}: {error}"
        if line not in self.skipped:
            self.skipped.append(line)

    @property
    def refused(self) -> list[ProposalOutcome]:
        """What was proposed and not done, because it holds no longer."""
        return [each for each in self.outcomes if each.refused]

    @property
    def held(self) -> int:
        """How much of what was distilled waits for the owner's review."""
        return sum(each.status is ProposalStatus.HELD for each in self.outcomes)

    @property
    def idle(self) -> bool:
        """Whether there is nothing to tell of it: then it is not kept on record."""
        return not (self.counts() or self.upkeep or self.held or self.set_aside or self._turned_down())

    def counts(self) -> dict[str, dict[str, int]]:
        """How often each step did what."""
        found: dict[str, Counter[str]] = {}
        for outcome in self.outcomes:
            if outcome.done:
                found.setdefault(outcome.proposal.step, Counter())[outcome.proposal.action] += 1
        return {step: dict(actions) for step, actions in found.items()}

    def _turned_down(self) -> dict[str, int]:
        """Why the policy let proposed memories and links not in, and how many."""
        return Counter(
            each.note
            for each in self.outcomes
            if each.status is ProposalStatus.REFUSED and each.proposal.action in ("keep", "link")
        )

    def summary(self) -> dict[str, Any]:
        """The run as JSON types, without texts: what was set aside is counted."""
        return {
            "run": self.run, "space": self.space, "at": times.to_iso(self.at),
            "seconds": round(self.seconds, 2), "steps": self.counts(), "upkeep": self.upkeep,
            "held": self.held, "skipped": self.skipped, "damaged": self.damaged, "stopped": self.stopped,
            "put_off": self.put_off,
            "set_aside": len(self.set_aside), "refused": dict(self._turned_down()),
            "tokens": self.tokens, "tokens_expected": self.tokens_expected,
        }  # fmt: skip
