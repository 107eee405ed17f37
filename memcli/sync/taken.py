"""Taken records: what came in from other replicas, counted, with lines for what needs to be reported."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from memcli.model import DEFAULT_SPACE, State
from memcli.sync.corrected_twice import CorrectedTwice


@dataclass(slots=True)
class Taken:
    """Counts of records taken in; `refused` has a line per refused record, `lost` names replaced values."""

    added: Counter[str] = field(default_factory=Counter)
    changed: Counter[str] = field(default_factory=Counter)
    gone: int = 0
    events: int = 0
    refused: list[str] = field(default_factory=list)
    left_out: int = 0
    """How many records were refused, including those without a line."""
    bad: int = 0
    lost: list[str] = field(default_factory=list)
    """Keyed values changed on both sides: the earlier one was replaced here, and is kept aside."""
    successors: dict[str, str] = field(default_factory=dict)
    """Maps memories that replaced another elsewhere to the id of that one."""
    corrected: list[CorrectedTwice] = field(default_factory=list)
    """Memories that were corrected differently on both sides."""

    def note_lost(self, states: Iterable[State]) -> None:
        """Name keyed values that were replaced, each once, even if several replicas replaced it."""
        for state in states:
            where = "" if state.space == DEFAULT_SPACE else f" in {state.space}"
            if (named := f"{state.area}/{state.key}{where}") not in self.lost:
                self.lost.append(named)

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.gone or self.events)
