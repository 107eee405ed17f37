"""Markdown importer: plain notes, in which each paragraph and each list item is a statement."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memcli.importers.notes import is_note, read_notes
from memcli.importers.records import Cleared, Only, Record, Source, as_it_stands


def guess(path: Path) -> bool:
    """True if the file name is that of a note."""
    return path.is_file() and is_note(path.name)


def read(path: Path, only: Only = None, cleared: Cleared = as_it_stands) -> Iterator[Record]:
    """Yield a statement for each passage."""
    return read_notes(path, only, cleared, trusted=True)


SOURCE = Source(
    "markdown",
    "Plain Markdown, a file or a folder; memcli's own export, too.",
    guess,
    read,
    ".md",
    is_note,
    read_prose=read,
)
