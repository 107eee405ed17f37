"""basic-memory importer: a folder of Markdown notes, mostly written by agents and therefore untrusted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from memcli.importers.files import File, head_of
from memcli.importers.records import Record
from memcli.importers.source import Source
from memcli.importers.sources.notes import NO_NOTE, is_note, note_records

_HEAD = re.compile(rb"(?:\xef\xbb\xbf)?---\r?\n(?:.*\r?\n)*?permalink:")


def guess(path: Path) -> bool:
    """True if the file's front matter has a permalink."""
    return is_note(path.name) and _HEAD.match(head_of(path)[:2000]) is not None


def records(file: File) -> Iterator[Record]:
    """Statements of observations and passages; links."""
    return note_records(file, trusted=False)


SOURCE = Source(
    "basic-memory",
    "basic-memory's notes: a folder, or one of them.",
    guess,
    records,
    ".md",
    is_note,
    nothing=NO_NOTE,
)
