"""Obsidian importer: a vault of the owner's notes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memcli.importers.files import File, head_of
from memcli.importers.records import Record
from memcli.importers.source import Source
from memcli.importers.sources.notes import NO_NOTE, is_note, note_records


def guess(path: Path) -> bool:
    """True if it is a note with wikilinks, or a canvas."""
    return is_note(path.name) and (path.suffix == ".canvas" or b"[[" in head_of(path))


def is_vault(folder: Path) -> bool:
    """True if a folder holds Obsidian's settings of a vault."""
    return (folder / ".obsidian").is_dir()


def records(file: File) -> Iterator[Record]:
    """Statements of passages; links of wikilinks and of canvases."""
    return note_records(file, trusted=True)


SOURCE = Source(
    "obsidian",
    "An Obsidian vault, or a note of one.",
    guess,
    records,
    ".md",
    is_note,
    is_vault,
    nothing=NO_NOTE,
)
