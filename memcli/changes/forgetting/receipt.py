"""The receipt of an erasure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from memcli.messages import Command

ERASED = "erased"
"""The verdict of a receipt on a copy or folder that is clean."""


@dataclass(frozen=True, slots=True)
class ErasureReceipt:
    """A receipt of an erasure: what was erased where, and how that was checked; quotes nothing erased."""

    memories: list[str]
    earlier_versions: list[str] = field(default_factory=list)
    """Versions that the erased memories had replaced; erased as well."""
    derived: list[str] = field(default_factory=list)
    """Summaries and merged memories that quoted them; erased as well."""
    rebuilt: list[str] = field(default_factory=list)
    """Summaries rewritten without the quotations."""
    rows: dict[str, int] = field(default_factory=dict)
    """Rows erased, by part of the store."""
    states: list[str] = field(default_factory=list)
    """Keyed values that quoted them and were dropped (`area/key`)."""
    values: list[str] = field(default_factory=list)
    """Keyed values that were chosen, with what belongs to them, and dropped (`area/key`)."""
    links: list[str] = field(default_factory=list)
    """Links erased: those chosen, those of a person forgotten by name, those of the erased space."""
    reasons: list[str] = field(default_factory=list)
    """Memories that stay, from whose history reasons, tags or names that quoted it were removed."""
    space: dict[str, int] = field(default_factory=dict)
    """Keyed values erased with their space, counted by area: their keys may say what they held."""
    backups: dict[str, str] = field(default_factory=dict)
    """Copies of the store by path: `erased`, or why they may still hold it."""
    checks: dict[str, int] = field(default_factory=dict)
    """How many texts, words and byte strings were searched for in files and index."""
    shared: list[str] = field(default_factory=list)
    """Memories, links (`link/ID`) and keyed values (`area/key`) that stay and say the same, or quote it."""
    removal: list[str] = field(default_factory=list)
    """The commands that erase all of these, and spaces whose name says it."""
    shared_outside: bool = False
    """True if another space says the same; which one is not told, since spaces are walled off."""
    traces: list[str] = field(default_factory=list)
    """Where something was still found; empty if all is gone."""
    unreached: str = ""
    """Where remains may lie that the store cannot reach (`Store.unreached`)."""
    unfinished: list[str] = field(default_factory=list)
    """A line for each file that is not proven clean, with the reason: every command tries it again."""
    change_files: dict[str, str] = field(default_factory=dict)
    """By folder of a sync: `erased` from this store's change files there, or why not yet."""
    told_at_next_sync: dict[str, Command] = field(default_factory=dict)
    """By folder, the command of the sync by which the other machines learn of the erasure."""

    @property
    def verified(self) -> bool:
        """True if the search has found nothing of it in any file, and none is left to clean."""
        return not (self.traces or self.unfinished)

    def to_record(self) -> dict[str, Any]:
        """Return the receipt as JSON types."""
        return {
            "erased": self.memories, "earlier_versions": self.earlier_versions, "derived": self.derived,
            "rebuilt": self.rebuilt,
            "rows": self.rows, "states": self.states, "values": self.values, "links": self.links,
            "reasons": self.reasons, "space": self.space,
            "backups": self.backups, "checks": self.checks,
            "shared": self.shared, "removal": self.removal, "shared_outside": self.shared_outside,
            "traces": self.traces, "unreached": self.unreached, "unfinished": self.unfinished,
            "verified": self.verified,
            "change_files": self.change_files, "told_at_next_sync": list(self.told_at_next_sync),
        }  # fmt: skip
