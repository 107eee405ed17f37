"""Options and report of a sync."""

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
    """The options of a sync.

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
    """The result of a sync. `left` lists files that were left alone, with the reason."""

    replica: str = ""
    told: int = 0
    """How many records and history lines were written for others."""
    files: int = 0
    taken: Taken = field(default_factory=Taken)
    erased: Erased = field(default_factory=lambda: Erased([]))
    would_erase: int = 0
    outlived: list[SurvivingSuccessor] = field(default_factory=list)
    """Corrections of memories that were erased on another machine; they stay."""
    renewed: bool = False
    sealed: int = 0
    """How many own change files were unencrypted before, and are encrypted now."""
    still_held: list[str] = field(default_factory=list)
    """Own change files, or copies of them, that may still hold erased content, with the reason."""
    left: list[tuple[str, str]] = field(default_factory=list)
    """Files that are not memcli's."""
    unread: list[tuple[str, str]] = field(default_factory=list)
    """Segments that are incomplete, or that this memcli or this key cannot read."""
    locked: int = 0
    """How many of these need another key."""
    others: int = 0
    notes: list[str] = field(default_factory=list)
    damaged: int = 0
    """How many damaged records were not sent."""

    def note_damaged(self, number: int, other: str | None = None) -> None:
        """Record that so many records of this store, or of the `other` file, are damaged and not sent."""
        if not number:
            return
        self.damaged += number
        whose, verb = f" of {other}" if other else "", "is" if number == 1 else "are"
        way_out = message("run ", Command("doctor", db=other))
        self.notes.append(message(f"{counted(number, 'damaged record')}{whose} {verb} not told; ", way_out))

    @property
    def successors(self) -> dict[str, str]:
        """Maps memories that replaced another, as received or erased, to the id of that one."""
        return {**self.taken.successors, **self.erased.successors}

    @property
    def verified(self) -> bool:
        """True if what was erased is proven gone from this machine."""
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
