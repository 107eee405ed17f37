"""Spooled stdin: stdin as a temporary file, for readers that need to seek."""

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
    """Yield the path of a private temporary file with the contents of stdin.

    It gets the suffix `suffix`, but .zip for an archive and .jsonl for JSON Lines if JSON is expected. The
    file's name is always the same for the same kind of contents. Raises BadInput if nothing is piped in.
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
