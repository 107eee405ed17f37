"""Markdown importer: plain notes, in which each paragraph and each list item is a statement."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memcli.importers.files import File
from memcli.importers.records import Record
from memcli.importers.source import Source
from memcli.importers.sources.notes import NO_NOTE, is_note, note_records


def guess(path: Path) -> bool:
    """True if the file name is that of a note."""
    return path.is_file() and is_note(path.name)


def records(file: File) -> Iterator[Record]:
    """Statements of passages."""
    return note_records(file, trusted=True)


SOURCE = Source(
    "markdown",
    "Plain Markdown, a file or a folder; memcli's own export, too.",
    guess,
    records,
    ".md",
    is_note,
    nothing=NO_NOTE,
)
