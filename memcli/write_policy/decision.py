"""Decisions of the write policy: the action taken on one memory, the rule that took it, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from memcli.errors import Refused
from memcli.memory_data import OVERRIDES
from memcli.messages import joined
from memcli.model import Memory
from memcli.named_tuple import NamedTuple
from memcli.text.printable import one_line

if TYPE_CHECKING:
    from memcli.judgement.statements import State

WriteAction = Literal["take", "reinforce", "supersede", "hold", "refuse"]

# How a new text relates to a stored memory: it says the same, replaces its value, holds beside it, or is
# close to it and no judge can tell which.
Relation = Literal["same", "replaces", "both_hold", "near"]

# The keys of a memory's data under which memcli records how the memory was decided on.
_VERDICTS = ("approved", OVERRIDES, "judged")
# How much of another memory a message quotes, in characters.
_SHOWN = 100


def quoted(memory: Memory) -> str:
    """Return another memory's text, shortened and in quotes, for a message: people do not know ids."""
    return f'"{one_line(memory.text, _SHOWN)}"'


class Neighbour(NamedTuple):
    """A memory close to a new one, and their relation.

    `likely` is the probability of the relation, 0 to 1; None where word comparison decided.
    """

    id: str
    relation: Relation
    likely: float | None


class WriterClaims(NamedTuple):
    """The writer's own statements on how a new memory relates to memories in force; taken without judging."""

    replaces: Memory | None = None
    both_hold: tuple[Memory, ...] = ()
    same_as: Memory | None = None
    """The memory that the new text repeats: it is confirmed, and the new text is not stored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The decision on one memory, as returned by `admit` and printed by the commands.

    `memory` is what is kept, or would be; for `reinforce` it is the stored memory. If the text was refused
    or redacted, it holds no secret. `other` is the id of the memory reinforced or superseded. `rule` is the
    stable slug of the deciding rule, `reason` explains it to a person, `by_hand` says what somebody with a
    shell can do about it, `notes` are further remarks. `overrides` are the rules overridden by force.
    `on_record` are remarks for the memory's history; they speak of its own text alone, since other memories
    may be erased. `contradicts` are the ids of memories that it may contradict. `judged` gives the judges'
    probabilities by finding: "kind: procedure", "passing", "update: ID". `near` are the closest memories,
    without those whose relation the writer has stated; `both_hold` are the ids that the writer said hold
    beside it. `said` is the text of a repetition in other words, which goes on record; `merged` is the id
    of a memory that holds the same text by itself and is ended.
    """

    action: WriteAction
    memory: Memory
    rule: str = "default"
    reason: str = ""
    by_hand: str = ""
    other: str | None = None
    notes: tuple[str, ...] = ()
    overrides: tuple[str, ...] = ()
    on_record: tuple[str, ...] = ()
    contradicts: tuple[str, ...] = ()
    judged: Mapping[str, float] = field(default_factory=dict)
    near: tuple[Neighbour, ...] = ()
    both_hold: tuple[str, ...] = ()
    said: str | None = None
    merged: str | None = None

    @property
    def is_doubtful(self) -> bool:
        """True if the memory is kept although it may contradict or update a stored one."""
        return bool(self.contradicts) and self.action in ("take", "supersede")

    @property
    def waits_already(self) -> bool:
        """True if the memory is held for review and was waiting there already."""
        return self.action == "hold" and self.rule == "duplicate"

    def to_record(self) -> dict[str, Any]:
        """Return the decision as JSON types, without the memory."""
        return {
            "action": self.action,
            "rule": self.rule,
            "reason": self.reason,
            "other": self.other,
            "notes": list(self.notes),
            "overrides": list(self.overrides),
            "contradicts": list(self.contradicts),
            "judged": judged_record(self.judged),
            "near": [
                {**each._asdict(), "likely": each.likely and round(each.likely, 3)} for each in self.near
            ],
        }

    def check(self) -> None:
        """Raise Refused if the action is `refuse`, with advice for callers that offer no redaction."""
        if self.action == "refuse":
            raise Refused(self.reason, self.rule, advice="leave it out" if self.by_hand else "")

    def refusal(self, *ways: str) -> Refused:
        """Return the Refused error for this decision; `ways` are further ways out that the caller offers."""
        return Refused(self.reason, self.rule, by_hand=joined("; ", filter(None, (self.by_hand, *ways))))


@dataclass(frozen=True, slots=True)
class Case:
    """A memory being decided on, with what the rules have found so far.

    `told` is what its writer states about memories in force. `unlasting` is the state (passing, undecided,
    trivial) for which a judge thinks that it will not last. `kind_is_open` is True if nobody has stated its
    kind. `passing` is True if a rule has turned it into an episode that expires.
    """

    memory: Memory
    notes: tuple[str, ...] = ()
    overrides: tuple[str, ...] = ()
    on_record: tuple[str, ...] = ()
    verdict: Decision | None = None
    told: WriterClaims = field(default_factory=WriterClaims)
    contradicts: tuple[str, ...] = ()
    passing: bool = False
    kind_is_open: bool = False
    unlasting: State | None = None
    judged: Mapping[str, float] = field(default_factory=dict)

    def noting(self, note: str) -> Case:
        """Return this case with one more note for the writer."""
        return replace(self, notes=(*self.notes, note))

    def recording(self, what: str) -> Case:
        """Return this case with one more remark for the memory's history."""
        return replace(self, on_record=(*self.on_record, what))

    def judging(self, what: str, likely: float) -> Case:
        """Return this case with one more finding of a judge: `what` holds with the probability `likely`."""
        return replace(self, judged={**self.judged, what: likely})

    def overriding(self, rule: str, reason: str) -> Case:
        """Return this case with a rule overridden by --force, which goes on record."""
        return replace(self, overrides=(*self.overrides, rule)).noting(f"overridden: {reason}")

    def decided(
        self, action: WriteAction, rule: str, reason: str, other: str | None = None, *, by_hand: str = ""
    ) -> Case:
        """Return this case with its verdict set."""
        verdict = Decision(
            action=action, memory=self.memory, rule=rule, reason=reason, by_hand=by_hand, other=other,
            notes=self.notes, overrides=self.overrides, on_record=self.on_record,
            contradicts=self.contradicts, judged=self.judged,
            both_hold=tuple(each.id for each in self.told.both_hold),
        )  # fmt: skip
        return replace(self, verdict=verdict)


def judged_record(judged: Mapping[str, float]) -> dict[str, float]:
    """Return the judges' probabilities rounded to 3 digits, as kept in a memory's data and printed."""
    return {what: round(likely, 3) for what, likely in judged.items()}


def without_verdicts(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a memory's data without memcli's own records of approval, force and judges.

    A writer cannot state these.
    """
    return {name: value for name, value in data.items() if name not in _VERDICTS}


def without_judgement(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a memory's data without the judges' findings: a text that is written anew is judged anew."""
    return {name: value for name, value in data.items() if name != "judged"}
