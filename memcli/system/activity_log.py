"""Activity log: what ran and what it changed, a line of JSON per command, in the file named by MEMCLI_LOG.

A log is read by others than its owner (a colleague, an issue, a log server), so it holds only ids and
memcli's own words: commands, options, errors, actions. No text, no tag, no space, no path, no value of an
option.
"""

from __future__ import annotations

import errno
import json
import os
import stat
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from memcli.system.files import check_target

VARIABLE = "MEMCLI_LOG"
# The beginning of each line.
_HEAD = b'{"at":'

_committed: dict[tuple[str, str | None], list[str]] = {}
_error: str | None = None


def note_committed(changes: Iterable[tuple[str, str | None, str]]) -> None:
    """Note a committed transaction: for each changed row the action, the change's id and the memory's."""
    for action, change, memory in changes:
        _committed.setdefault((action, change), []).append(memory)


def note_error(code: str) -> None:
    """Note the code of the error that ends the command."""
    global _error  # noqa: PLW0603 - one command a process
    _error = code


@contextmanager
def logging(words: Sequence[str]) -> Iterator[list[int]]:
    """Log what runs inside as the command of these words; the caller appends the exit status to the list.

    Raises OSError before anything has run if the file is not a log of memcli's, belongs to a store, or cannot
    be written.
    """
    descriptor = _opened(os.environ[VARIABLE])
    began, clock = datetime.now(UTC), time.monotonic()
    status: list[int] = []
    try:
        yield status
    finally:
        line = {
            "at": f"{began:%Y-%m-%dT%H:%M:%SZ}",
            "pid": os.getpid(),
            "command": [*words],
            "exit_status": status[-1] if status else None,
            "milliseconds": round((time.monotonic() - clock) * 1000),
            **({"error": _error} if _error else {}),
            "changes": [
                {"action": action, "change": change, "memories": ids}
                for (action, change), ids in _committed.items()
            ],
        }
        try:
            _append(descriptor, json.dumps(line, separators=(",", ":")).encode() + b"\n")
        except OSError as error:
            # The command is done, so its exit status stands.
            with suppress(OSError):
                sys.stderr.write(f"mem: {VARIABLE}: this line was lost ({error.strerror})\n")
        finally:
            os.close(descriptor)


def _append(descriptor: int, line: bytes) -> None:
    """Append a line, whole or not at all. Raises OSError if there is no room for it."""
    size = os.fstat(descriptor).st_size
    if size:
        os.lseek(descriptor, size - 1, os.SEEK_SET)
        line = line if os.read(descriptor, 1) == b"\n" else b"\n" + line  # a full disk cut the last line
    # A single write in append mode, so that lines of concurrent processes are not mixed.
    written = os.write(descriptor, line)
    if written < len(line):
        if os.fstat(descriptor).st_size == size + written:
            os.ftruncate(descriptor, size)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _opened(path: str) -> int:
    """Open the log for appending, private to its owner. A file that holds anything else is left alone."""
    target = check_target(Path(path))
    # O_BINARY: on Windows a descriptor would turn \n into \r\n.
    descriptor = os.open(target, os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(22, "not a regular file", path)
        head = os.read(descriptor, len(_HEAD))
        if _HEAD.startswith(head) and head != _HEAD:
            os.ftruncate(descriptor, 0)  # a full disk cut the first line short
        elif head != _HEAD:
            raise OSError(17, "holds something other than memcli's log", path)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor
