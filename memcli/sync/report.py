"""What a sync is asked to do, and what it did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from memcli.messages import Command, message
from memcli.named_tuple import NamedTuple
from memcli.sync.erasures.remote_erasures import Erased
from memcli.sync.outlived import SurvivingSuccessor
from memcli.sync.taken import Taken
from memcli.text.counting import counted


class SyncOptions(NamedTuple):
    """What a sync is asked to do.

    `spaces` are the only ones that take part (None: all). With `vectors` they travel as well. `force` takes
    in what the write policy refuses. A `dry_run` keeps nothing, here or in the folder. `plain` allows the
    change files of an encrypted store to be unencrypted.
    """

    spaces: Sequence[str] | None = None
    vectors: bool = False
    force: bool = False
    dry_run: bool = False
    plain: bool = False


@dataclass(slots=True)
class SyncReport:
    """What a sync did. `left` holds files that were left alone, with why."""

    replica: str = ""
    told: int = 0
    """Records and lines of history that were written for others."""
    files: int = 0
    taken: Taken = field(default_factory=Taken)
    erased: Erased = field(default_factory=lambda: Erased([]))
    would_erase: int = 0
    outlived: list[SurvivingSuccessor] = field(default_factory=list)
    """What was corrected on one machine and erased on another: the corrections, which stay."""
    renewed: bool = False
    sealed: int = 0
    """How many own change files were not encrypted, and are now."""
    still_held: list[str] = field(default_factory=list)
    """Own change files, or copies of them, that may still hold what was erased, with why."""
    left: list[tuple[str, str]] = field(default_factory=list)
    """Files that are none of ours."""
    unread: list[tuple[str, str]] = field(default_factory=list)
    """Segments that are not whole, or that this memcli, or this key, cannot read."""
    locked: int = 0
    """How many of these want another key."""
    others: int = 0
    notes: list[str] = field(default_factory=list)
    damaged: int = 0
    """How many records stayed where they are, for they are not as memcli wrote them."""

    def note_damaged(self, number: int, other: str | None = None) -> None:
        """Note that so many records of this store, or of the `other` file, are damaged and told nobody."""
        if not number:
            return
        self.damaged += number
        whose, verb = f" of {other}" if other else "", "is" if number == 1 else "are"
        way_out = message("run ", Command("doctor", db=other))
        self.notes.append(message(f"{counted(number, 'damaged record')}{whose} {verb} not told; ", way_out))

    @property
    def successors(self) -> dict[str, str]:
        """By the ids of memories that took another's place the ids of these, told or erased."""
        return {**self.taken.successors, **self.erased.successors}

    @property
    def verified(self) -> bool:
        """Whether what was erased is proven gone from this machine."""
        return not self.still_held and all(each.verified for each in self.erased.receipts)

    def to_record(self) -> dict[str, Any]:
        """Return the report as JSON types."""
        taken = self.taken
        return {
            "replica": self.replica, "others": self.others, "told": self.told, "files": self.files,
            "added": dict(taken.added), "changed": dict(taken.changed), "dropped": taken.gone,
            "history": taken.events, "erased": self.erased.number or self.would_erase,
            "verified": self.verified, "still_held": self.still_held, "replaced": taken.lost,
            "corrected_twice": [
                {"memory": each.memory, "stand": [one.id for one in each.stand]} for each in taken.corrected
            ],
            "outlived": [
                {"memory": each.memory, "stands": each.stands.id, "removal": each.command}
                for each in self.outlived
            ],
            "refused": len(taken.refused), "reasons": taken.refused,
            "bad": taken.bad, "damaged": self.damaged,
            "left": [{"file": name, "why": why} for name, why in self.left],
            "unread": [{"file": name, "why": why} for name, why in self.unread],
            "notes": self.notes,
        }  # fmt: skip
