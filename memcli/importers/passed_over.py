"""Files passed over: those at a path that no source reads, with the reason, and how to import them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from memcli.errors import BadInput
from memcli.importers.files import File, files_of, opened
from memcli.importers.source import Source
from memcli.named_tuple import NamedTuple

# JSON that holds nothing: empty brackets, or one empty list.
_EMPTY = re.compile(rb"\s*(?:\[\s*\]|\{\s*(?:\"\w+\"\s*:\s*\[\s*\]\s*)?\})?\s*")
UNKNOWN = "of no form that is known here"
_FILES = ("file", "files")
# At most so many files are named on a line, and in a record.
_NAMED, _LISTED = 5, 1000


class PassedOver(NamedTuple):
    """Files that no source reads, by their names below the path; why, and how to import them, if possible."""

    names: tuple[str, ...]
    why: str
    how: str = ""

    @property
    def told(self) -> str:
        """Return a line for people that names the first few files."""
        some = ", ".join(self.names[:_NAMED]) + (", …" if len(self.names) > _NAMED else "")
        how = f"; {self.how}" if self.how else ""
        return f"passed over: {len(self.names):,} {_FILES[len(self.names) > 1]} ({some}): {self.why}{how}"

    def to_record(self) -> dict[str, Any]:
        """Return the files and the reason as JSON types."""
        return {
            "files": list(self.names[:_LISTED]),
            "count": len(self.names),
            "why": self.why,
            "how": self.how,
        }


def rest_of_archive(path: Path, source: Source) -> tuple[PassedOver, ...]:
    """Return the files of an archive that its source does not read."""
    names = []
    try:
        for each in files_of(path):
            if isinstance(each, File) and not source.wants(each.name) and not is_empty(each):
                names.append(each.name)
    except BadInput:
        return ()  # reported by whoever reads the archive
    return aside(names, source)


def is_empty(file: File) -> bool:
    """True if a JSON file holds nothing, like files of an export for features never used."""
    if file.suffix != ".json":
        return False
    try:
        with opened(file) as stream:
            return _EMPTY.fullmatch(stream.read(200)) is not None
    except BadInput:
        return False


def aside(names: Iterable[str], source: Source) -> tuple[PassedOver, ...]:
    """Return the files of an export that its source does not read, grouped by reason."""
    by_reason: dict[str, list[str]] = {}
    for name in names:
        by_reason.setdefault(why_aside(name, source) or UNKNOWN, []).append(name)
    return tuple(PassedOver(tuple(some), why) for why, some in by_reason.items())


def why_aside(name: str, source: Source) -> str | None:
    """Return why a source does not read a file of its own export; None if it gives no reason."""
    matching = (why for pattern, why in source.aside if re.fullmatch(f"(?:.*/)?(?:{pattern})", name, re.I))
    return next(matching, None)
