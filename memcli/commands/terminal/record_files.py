"""Record files named on a command line: check them before import, and report the records left out."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from memcli.commands.terminal.input import head_of_stream, stdin_is_empty
from memcli.importers.file_kinds import kind_of, refusal
from memcli.importers.files import head_of
from memcli.importers.register import is_own


def check_records(file: str, **said: str) -> None:
    """Raise BadInput for a file (stdin for '-') that is not JSON, with what it seems to be.

    `said` are arguments of `memcli.importers.file_kinds.refusal`.
    """
    if file == "-":
        head = b"" if stdin_is_empty() else head_of_stream(sys.stdin.buffer)
    else:
        head = head_of(Path(file).expanduser())
    if not is_own(head) and (kind := kind_of(head)):
        raise refusal(kind, "stdin" if file == "-" else file, **said)


def told_reasons(reasons: Sequence[str], bad: int, *, some_taken: bool) -> list[str]:
    """Return why records were left out, a line each; only the first reason if no record could be read."""
    if some_taken or bad < 2 or len(reasons) != bad:
        return list(reasons)
    return [f"nothing in it can be taken in: {reasons[0]}; nor can {bad - 1:,} more"]
