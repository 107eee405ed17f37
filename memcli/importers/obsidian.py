"""An Obsidian vault: its owner's notes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memcli.importers.files import heads_of
from memcli.importers.notes import is_note, read_notes
from memcli.importers.records import Record, Source


def guess(path: Path) -> bool:
    """Whether it is a vault, or a note or a folder of them with wikilinks."""
    if path.is_dir() and (path / ".obsidian").is_dir():
        return True
    if not path.is_dir() and not is_note(path.name):
        return False
    return path.suffix == ".canvas" or any("[[" in head for head in heads_of(path, is_note, most=20))


def read(path: Path) -> Iterator[Record]:
    """Statements of passages; links of wikilinks and of canvases."""
    return read_notes(path, trusted=True)


SOURCE = Source("obsidian", "An Obsidian vault, or a note of one.", guess, read, ".md")
