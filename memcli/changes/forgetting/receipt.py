"""The receipt of an erasure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from memcli.messages import Command

ERASED = "erased"
"""What a receipt says of a place that is clean."""


@dataclass(frozen=True, slots=True)
class ErasureReceipt:
    """What was erased where, and how that was checked; holds nothing of the content."""

    memories: list[str]
    earlier_versions: list[str] = field(default_factory=list)
    """Versions that the erased memories had replaced; erased as well."""
    derived: list[str] = field(default_factory=list)
    """Summaries and merged memories that quoted them; erased as well."""
    rebuilt: list[str] = field(default_factory=list)
    """Summaries written anew without what they quoted."""
    rows: dict[str, int] = field(default_factory=dict)
    """Rows erased, by part of the store."""
    states: list[str] = field(default_factory=list)
    """Keyed values that quoted them and were dropped (`area/key`)."""
    values: list[str] = field(default_factory=list)
    """Keyed values that were named, with what belongs to them, and dropped (`area/key`)."""
    links: list[str] = field(default_factory=list)
    """Links erased: those named, those of whom was forgotten by name, those of the space that went."""
    reasons: list[str] = field(default_factory=list)
    """Memories that stay, and from whose record reasons, tags or names that quoted it were taken."""
    space: dict[str, int] = field(default_factory=dict)
    """Keyed values erased with their space, by area: their keys may say what they held."""
    backups: dict[str, str] = field(default_factory=dict)
    """Copies of the store by path: `erased`, or why they may still hold it."""
    checks: dict[str, int] = field(default_factory=dict)
    """How many texts, words and vectors were looked for in files and index."""
    shared: list[str] = field(default_factory=list)
    """Memories, links (`link/ID`) and keyed values (`area/key`) that stay and say the same, or quote it."""
    removal: list[str] = field(default_factory=list)
    """The commands that erase all of these; and a space whose name says it."""
    shared_outside: bool = False
    """Whether another space says the same; which, stays behind its wall."""
    traces: list[str] = field(default_factory=list)
    """Where something was still found; empty when all is gone."""
    unreached: str = ""
    """Where it may still lie beyond what the store reaches (`Store.unreached`)."""
    unfinished: list[str] = field(default_factory=list)
    """A line for each file that is not proven clean, with why: every command tries it again."""
    change_files: dict[str, str] = field(default_factory=dict)
    """By folder of a sync: `erased` from this store's change files there, or why not yet."""
    told_at_next_sync: dict[str, Command] = field(default_factory=dict)
    """By folder, the sync here by which other machines hear of it."""

    @property
    def verified(self) -> bool:
        """Whether nothing of it is left in any file, and that was looked for."""
        return not (self.traces or self.unfinished)

    def to_record(self) -> dict[str, Any]:
        """The receipt as JSON types."""
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
