"""basic-memory's folder of notes. Mostly agents write them: untrusted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from memcli.importers.files import heads_of
from memcli.importers.notes import is_note, read_notes
from memcli.importers.records import Record, Source


def guess(path: Path) -> bool:
    """Whether the front matter of its first notes has a permalink."""
    if not path.is_dir() and not is_note(path.name):
        return False
    heads = heads_of(path, is_note, most=5)
    return any(re.match(r"---\r?\n(?:.*\r?\n)*?permalink:", head[:2000]) for head in heads)


def read(path: Path) -> Iterator[Record]:
    """Statements of observations and passages; links."""
    return read_notes(path, trusted=False)


SOURCE = Source("basic-memory", "basic-memory's notes: a folder, or one of them.", guess, read, ".md")
