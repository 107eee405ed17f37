"""Plain Markdown: each paragraph and each item of a list states something."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memcli.importers.files import names_of
from memcli.importers.notes import is_note, read_notes
from memcli.importers.records import Record, Source


def guess(path: Path) -> bool:
    """Whether it is called so, or is a folder with such files."""
    return any(map(is_note, names_of(path))) if path.is_dir() else path.is_file() and is_note(path.name)


def read(path: Path) -> Iterator[Record]:
    """Statements of passages."""
    return read_notes(path, trusted=True)


SOURCE = Source(
    "markdown", "Plain Markdown, a file or a folder; memcli's own export, too.", guess, read, ".md"
)
