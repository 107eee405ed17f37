"""Report of an import: counts, and what was left out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from memcli.write_policy.said_again import MatchedText

# At most so many problems are named; the others are only counted.
_NAMED = 1000


@dataclass(slots=True)
class CarriedReport:
    """What an import did: counts, and what was left out and why.

    `problems` could not be read, `refused` were refused by the write policy; each is named by its place (file
    and line) and the reason, at most a thousand of each. `undated` are times that could not be parsed, which
    has no other effect; `doubtful` counts statements that may contradict or update others; `passed_over` are
    files that no source reads; `taken_for` are all statements that were taken for memories known in other
    words; `ended` are the ids of records that are known and were ended here, which stay ended. `gap` says why
    turns are kept without vectors; None if they have them.
    """

    source: str
    conversations: int = 0
    turns_added: int = 0
    turns_known: int = 0
    turns_grown: int = 0
    statements_added: int = 0
    statements_updated: int = 0
    statements_known: int = 0
    held: int = 0
    links_added: int = 0
    links_known: int = 0
    procedures_added: int = 0
    procedures_updated: int = 0
    procedures_known: int = 0
    blocks_set: int = 0
    blocks_known: int = 0
    doubtful: int = 0
    unreadable: int = 0
    refusals: int = 0
    times_unread: int = 0
    problems: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    undated: list[str] = field(default_factory=list)
    passed_over: list[dict[str, Any]] = field(default_factory=list)
    taken_for: list[MatchedText] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)
    gap: str | None = None

    def could_not_read(self, place: str, why: str) -> None:
        """Note a record that could not be read."""
        self.unreadable += 1
        if len(self.problems) < _NAMED:
            self.problems.append(f"{place}: {why}")

    def was_refused(self, place: str, why: str) -> None:
        """Note a record that the write policy refused."""
        self.refusals += 1
        if len(self.refused) < _NAMED:
            self.refused.append(f"{place}: {why}")

    def time_unread(self, place: str, told: str) -> None:
        """Note a time that could not be parsed."""
        self.times_unread += 1
        if len(self.undated) < _NAMED:
            self.undated.append(f"{place}: {told} is not a time")

    def times_told(self) -> str:
        """Return a line with the first unparsed time and the number of others; "" if there is none."""
        if not self.times_unread:
            return ""
        more = f", and so are {self.times_unread - 1:,} more" if self.times_unread > 1 else ""
        return f"{self.undated[0]}{more}; kept without one"

    @property
    def is_empty(self) -> bool:
        """True if there was nothing to import."""
        counts = (getattr(self, name) for name in self.__slots__ if name != "conversations")
        return not any(count for count in counts if isinstance(count, int))

    def lines(self, *, dry_run: bool = False) -> list[str]:
        """Return the counts for people, one line for each kind of thing that occurred."""
        would = "would be " if dry_run else ""
        found = []
        if self.conversations:
            grown = f", {self.turns_grown:,} {would}completed" if self.turns_grown else ""
            found.append(
                f"conversations: {self.conversations:,}; turns: {self.turns_added:,} {would}added, "
                f"{self.turns_known:,} known{grown}"
            )
        if self.statements_added or self.statements_updated or self.statements_known or self.held:
            held = f", {self.held:,} held for review" if self.held else ""
            found.append(
                f"statements: {self.statements_added:,} {would}added, "
                f"{self.statements_updated:,} {would}updated, "
                f"{self.statements_known:,} known{held}"
            )
        if self.links_added or self.links_known:
            found.append(f"links: {self.links_added:,} {would}added, {self.links_known:,} known")
        if self.procedures_added or self.procedures_updated or self.procedures_known:
            found.append(
                f"procedures: {self.procedures_added:,} {would}added, "
                f"{self.procedures_updated:,} {would}updated, {self.procedures_known:,} known"
            )
        if self.blocks_set or self.blocks_known:
            found.append(f"blocks: {self.blocks_set:,} {would}set, {self.blocks_known:,} known")
        return found

    def to_record(self) -> dict[str, Any]:
        """Return the report as JSON types."""
        record = {name: getattr(self, name) for name in self.__slots__ if name != "gap"}
        return {**record, "taken_for": [each.to_record() for each in self.taken_for]}
