"""What the write policy says of one memory, and why."""

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

# How a new text is related to a memory that is there: it says the same, gives it a new value, stands
# beside it, or is near it and no judge can tell.
Relation = Literal["same", "replaces", "both_hold", "near"]

# What memcli notes in a memory's data of how it was decided on.
_VERDICTS = ("approved", OVERRIDES, "judged")
# So much of another memory is shown, in characters.
_SHOWN = 100


def quoted(memory: Memory) -> str:
    """Another memory as a message names it: by its text, cut short, for nobody knows one by its id."""
    return f'"{one_line(memory.text, _SHOWN)}"'


class Neighbour(NamedTuple):
    """A memory that is near a new one. `likely`: that it is so related, 0 to 1; None where words decided."""

    id: str
    relation: Relation
    likely: float | None


class WriterClaims(NamedTuple):
    """What the writer of a new memory says of memories in force: they are not judged any more."""

    replaces: Memory | None = None
    both_hold: tuple[Memory, ...] = ()
    same_as: Memory | None = None
    """The new text is not kept: this one is confirmed by it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One decision.

    `memory` is what is kept, or would be; for `reinforce` the one that was there.
    Of a refused or redacted text no secret stands in it. `other` is the memory
    reinforced or superseded. `rule` names the rule that decided (a stable slug),
    `reason` says it to a person, `by_hand` what one with a shell can do about it,
    `notes` what else they should know, `overrides` the rules that were overridden
    by force, `on_record` what else the memory's record should say of it (of its own text alone: other
    memories may be erased), `contradicts` the memories that it may contradict. `judged` says how
    likely the judges hold what they said: "kind: procedure", "passing", "update:
    ID". `near` are the memories that it stands closest to, but for those that its
    writer has settled it with: `both_hold` is told of these. Of a text that says
    the same as `memory` in other words, as it was told or judged, `said` is the
    text, which goes on record; `merged` is a memory that holds it by itself, and is ended.
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
        """Whether what is kept by it may contradict, or update, what is there."""
        return bool(self.contradicts) and self.action in ("take", "supersede")

    @property
    def waits_already(self) -> bool:
        """Whether it is to wait for its owner, and does so since another time."""
        return self.action == "hold" and self.rule == "duplicate"

    def to_record(self) -> dict[str, Any]:
        """The decision as JSON types, without the memory."""
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
        """Raise Refused where the policy says no, in the words of a door that redacts nothing."""
        if self.action == "refuse":
            raise Refused(self.reason, self.rule, advice="leave it out" if self.by_hand else "")

    def refusal(self, *ways: str) -> Refused:
        """That the policy says no; `ways` are what the door has beside the way out of the rule."""
        return Refused(self.reason, self.rule, by_hand=joined("; ", filter(None, (self.by_hand, *ways))))


@dataclass(frozen=True, slots=True)
class Case:
    """A memory on its way in, and what was said of it so far.

    `told` is what its writer says of memories in force, `unlasting` why a judge thinks
    that it will not last, `kind_is_open` whether its kind is nobody's word, `passing` whether
    it was put off to the episodic tier as something that will not last.
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
        """This case with one more note."""
        return replace(self, notes=(*self.notes, note))

    def recording(self, what: str) -> Case:
        """This case with one more thing for the memory's record."""
        return replace(self, on_record=(*self.on_record, what))

    def judging(self, what: str, likely: float) -> Case:
        """This case with one more verdict of a learned judge: `what` holds, with the probability `likely`."""
        return replace(self, judged={**self.judged, what: likely})

    def overriding(self, rule: str, reason: str) -> Case:
        """This case, let past a rule by --force, which goes on record."""
        return replace(self, overrides=(*self.overrides, rule)).noting(f"overridden: {reason}")

    def decided(
        self, action: WriteAction, rule: str, reason: str, other: str | None = None, *, by_hand: str = ""
    ) -> Case:
        """This case, decided."""
        verdict = Decision(
            action=action, memory=self.memory, rule=rule, reason=reason, by_hand=by_hand, other=other,
            notes=self.notes, overrides=self.overrides, on_record=self.on_record,
            contradicts=self.contradicts, judged=self.judged,
            both_hold=tuple(each.id for each in self.told.both_hold),
        )  # fmt: skip
        return replace(self, verdict=verdict)


def judged_record(judged: Mapping[str, float]) -> dict[str, float]:
    """What judges said as it is kept in a memory's data and printed."""
    return {what: round(likely, 3) for what, likely in judged.items()}


def without_verdicts(data: Mapping[str, Any]) -> dict[str, Any]:
    """A memory's data without what memcli notes there of approval, force and judges: no writer says that."""
    return {name: value for name, value in data.items() if name not in _VERDICTS}


def without_judgement(data: Mapping[str, Any]) -> dict[str, Any]:
    """A memory's data without what judges said: of a text that is written anew they are asked anew."""
    return {name: value for name, value in data.items() if name != "judged"}
