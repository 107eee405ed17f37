"""What the write policy says of one memory, and why."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from memcli.model import Memory

Action = Literal["take", "reinforce", "supersede", "hold", "refuse"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One decision.

    `memory` is what is kept, or would be; for `reinforce` the one that was
    there. Of a refused or redacted text no secret stands in it. `other` is the
    memory reinforced or superseded. `rule` names the rule that decided (a
    stable slug), `reason` says it to a person, `notes` what else they should
    know, `overrides` the rules that were overridden by force, `contradicts` the
    memories that it may contradict.
    """

    action: Action
    memory: Memory
    rule: str = "default"
    reason: str = ""
    other: str | None = None
    notes: tuple[str, ...] = ()
    overrides: tuple[str, ...] = ()
    contradicts: tuple[str, ...] = ()

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
        }


@dataclass(frozen=True, slots=True)
class Case:
    """A memory on its way in, and what was said of it so far."""

    memory: Memory
    notes: tuple[str, ...] = ()
    overrides: tuple[str, ...] = ()
    verdict: Decision | None = None
    supersedes: Memory | None = None
    contradicts: tuple[str, ...] = ()
    passing: bool = False

    def noting(self, note: str) -> Case:
        """The same with one more note."""
        return replace(self, notes=(*self.notes, note))

    def decided(self, action: str, rule: str, reason: str, other: str | None = None) -> Case:
        """The same, decided."""
        verdict = Decision(
            action=action,  # type: ignore[arg-type]  # one of Action, by the gate
            memory=self.memory, rule=rule, reason=reason, other=other, notes=self.notes,
            overrides=self.overrides, contradicts=self.contradicts,
        )  # fmt: skip
        return replace(self, verdict=verdict)
