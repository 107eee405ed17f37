"""What nobody takes of what lies at a path: named, with why, and how it is taken if it can be."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from memcli.errors import BadInput
from memcli.importers.files import File, files_of, opened
from memcli.importers.source import Source
from memcli.named_tuple import NamedTuple

# So much of a file may be brackets around nothing.
_EMPTY = re.compile(rb"\s*(?:\[\s*\]|\{\s*(?:\"\w+\"\s*:\s*\[\s*\]\s*)?\})?\s*")
UNKNOWN = "of no form that is known here"
_FILES = ("file", "files")
# So many are named on a line, and in a record.
_NAMED, _LISTED = 5, 1000


class PassedOver(NamedTuple):
    """Files that nobody takes, by their names below the path; why, and how they are taken, if they can be."""

    names: tuple[str, ...]
    why: str
    how: str = ""

    @property
    def told(self) -> str:
        """A line for people, which names the first few files."""
        some = ", ".join(self.names[:_NAMED]) + (", …" if len(self.names) > _NAMED else "")
        how = f"; {self.how}" if self.how else ""
        return f"passed over: {len(self.names):,} {_FILES[len(self.names) > 1]} ({some}): {self.why}{how}"

    def to_record(self) -> dict[str, Any]:
        """The files and the reason as JSON types."""
        return {
            "files": list(self.names[:_LISTED]),
            "count": len(self.names),
            "why": self.why,
            "how": self.how,
        }


def rest_of_archive(path: Path, source: Source) -> tuple[PassedOver, ...]:
    """What a source does not read of an archive of its own."""
    names = []
    try:
        for each in files_of(path):
            if isinstance(each, File) and not source.wants(each.name) and not is_empty(each):
                names.append(each.name)
    except BadInput:
        return ()  # whoever reads it says so
    return aside(names, source)


def is_empty(file: File) -> bool:
    """Whether a JSON file holds nothing, as those of an export do for what was never used."""
    if file.suffix != ".json":
        return False
    try:
        with opened(file) as stream:
            return _EMPTY.fullmatch(stream.read(200)) is not None
    except BadInput:
        return False


def aside(names: Iterable[str], source: Source) -> tuple[PassedOver, ...]:
    """The files of an export that its source does not read, by what they are."""
    by_reason: dict[str, list[str]] = {}
    for name in names:
        by_reason.setdefault(why_aside(name, source) or UNKNOWN, []).append(name)
    return tuple(PassedOver(tuple(some), why) for why, some in by_reason.items())


def why_aside(name: str, source: Source) -> str | None:
    """Why a source does not read a file of its own; None where it says nothing of it."""
    matching = (why for pattern, why in source.aside if re.fullmatch(f"(?:.*/)?(?:{pattern})", name, re.I))
    return next(matching, None)
