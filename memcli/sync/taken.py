"""What came in from another replica, as it is told: counts, and a line for each thing that needs one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from memcli.model import DEFAULT_SPACE, State
from memcli.sync.corrected_twice import CorrectedTwice


@dataclass(slots=True)
class Taken:
    """What came in, counted; `refused` holds a line for each that was left out, `lost` what was replaced."""

    added: Counter[str] = field(default_factory=Counter)
    changed: Counter[str] = field(default_factory=Counter)
    gone: int = 0
    events: int = 0
    refused: list[str] = field(default_factory=list)
    left_out: int = 0
    """How many were, those too that are not worth a line."""
    bad: int = 0
    lost: list[str] = field(default_factory=list)
    """Keyed values that were changed on both sides: here the earlier one was replaced, and is kept aside."""
    successors: dict[str, str] = field(default_factory=dict)
    """By the ids of memories that took another's place elsewhere the ids of these."""
    corrected: list[CorrectedTwice] = field(default_factory=list)
    """Memories that were corrected on both sides, each in its way."""

    def note_lost(self, states: Iterable[State]) -> None:
        """Name keyed values that another took the place of, each once: others may have done so in turn."""
        for state in states:
            where = "" if state.space == DEFAULT_SPACE else f" in {state.space}"
            if (named := f"{state.area}/{state.key}{where}") not in self.lost:
                self.lost.append(named)

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.gone or self.events)
