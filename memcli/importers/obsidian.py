"""Obsidian importer: a vault of the owner's notes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memcli.importers.files import head_of
from memcli.importers.notes import is_note, read_notes
from memcli.importers.records import Cleared, Only, Record, Source, as_it_stands


def guess(path: Path) -> bool:
    """True if it is a note with wikilinks, or a canvas."""
    return is_note(path.name) and (path.suffix == ".canvas" or b"[[" in head_of(path))


def is_vault(folder: Path) -> bool:
    """True if a folder holds Obsidian's settings of a vault."""
    return (folder / ".obsidian").is_dir()


def read(path: Path, only: Only = None, cleared: Cleared = as_it_stands) -> Iterator[Record]:
    """Yield statements for passages; links for wikilinks and for the arrows of canvases."""
    return read_notes(path, only, cleared, trusted=True)


SOURCE = Source(
    "obsidian", "An Obsidian vault, or a note of one.", guess, read, ".md", is_note, is_vault, read_prose=read
)
