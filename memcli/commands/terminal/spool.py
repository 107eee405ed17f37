"""stdin as a file, for readers that go back and forth in it."""

from __future__ import annotations

import shutil
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memcli.commands.terminal.input import stdin_is_empty
from memcli.errors import BadInput
from memcli.system.temporary import temporary_folder

_ARCHIVE = b"PK\x03\x04"


@contextmanager
def spooled_stdin(suffix: str) -> Iterator[Path]:
    """stdin as a file of its own: private, and gone afterwards.

    It has the suffix `suffix`; an archive has its own, and so have lines of JSON where JSON is meant. What
    begins the same has the same name. Raises BadInput where nothing is piped in.
    """
    if stdin_is_empty():
        raise BadInput("nothing to import: name a file, or pipe one in")
    with temporary_folder() as folder:
        path = folder / "stdin"
        with path.open("wb") as stream:
            shutil.copyfileobj(sys.stdin.buffer, stream)
        with path.open("rb") as stream:
            first, second = stream.readline(), stream.readline()
        if not first:
            raise BadInput("nothing to import: stdin is empty")
        if first.startswith(_ARCHIVE):
            suffix = ".zip"
        elif suffix == ".json" and first.lstrip()[:1] == second.lstrip()[:1] == b"{":
            suffix = ".jsonl"
        yield path.rename(path.with_name(f"stdin-{zlib.crc32(first):08x}{suffix}"))
