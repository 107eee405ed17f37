"""basic-memory importer: a folder of Markdown notes, mostly written by agents and therefore untrusted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from memcli.importers.files import head_of
from memcli.importers.notes import is_note, read_notes
from memcli.importers.records import Cleared, Only, Record, Source, as_it_stands

_HEAD = re.compile(rb"(?:\xef\xbb\xbf)?---\r?\n(?:.*\r?\n)*?permalink:")


def guess(path: Path) -> bool:
    """True if the file's front matter has a permalink."""
    return is_note(path.name) and _HEAD.match(head_of(path)[:2000]) is not None


def read(path: Path, only: Only = None, cleared: Cleared = as_it_stands) -> Iterator[Record]:
    """Yield statements for observations and passages, and links."""
    return read_notes(path, only, cleared, trusted=False)


SOURCE = Source(
    "basic-memory",
    "basic-memory's notes: a folder, or one of them.",
    guess,
    read,
    ".md",
    is_note,
    read_prose=read,
)
