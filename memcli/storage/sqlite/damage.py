"""What is known of damage to a store: the flag beside its file, a file that was cut, names of rows.

The flag stands beside the file, for a damaged file is no place to write to: `STORE.damaged`, a
line for each thing that was found, without any text of a memory. Who finds the store well again,
or mends it, removes it. To look for it costs a command one call of `stat`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from memcli.errors import StoreDamaged
from memcli.text.printable import one_line

_FLAG = ".damaged"
# https://www.sqlite.org/fileformat2.html#the_database_header: a file with less has no header.
_HEADER = 100


def flag_of(path: Path) -> Path:
    """Where the flag of a store stands, by whichever name the store is called."""
    return Path(f"{os.path.realpath(path)}{_FLAG}")


def is_flagged(path: Path) -> bool:
    """Whether damage was found that has not been mended since."""
    return os.path.exists(f"{os.path.realpath(path)}{_FLAG}")  # noqa: PTH110 - in every command


def flag(path: Path, found: Sequence[str]) -> None:
    """Note durably that the store is damaged, by what was found; where nobody can write, nothing is noted."""
    from memcli.system.files import write_private

    with suppress(OSError):
        write_private(flag_of(path), "".join(f"{one_line(line)}\n" for line in found).encode())


def clear_flag(path: Path) -> None:
    """The store is well again."""
    with suppress(FileNotFoundError):
        flag_of(path).unlink()


def why_flagged(path: Path) -> str:
    """In one line, that the store is not written to, and the way out."""
    return (
        f"{path}: `mem doctor` found it damaged, and nothing is written to it; nothing was changed. "
        "`mem doctor` says what is damaged and `mem doctor --repair` mends it; --force writes all the same"
    )


def damaged_row(path: Path, kind: str, name: str) -> str:
    """In one line, that a row is not written over."""
    return (
        f"{path}: the {kind} {name} is damaged, and is not written over; nothing was changed. "
        "Run `mem doctor --repair`; --force writes all the same"
    )


def check_not_cut(path: Path, copies: Sequence[Path]) -> None:
    """Raise StoreDamaged for a file that is too short for a store, unless it is a new one.

    A file is new where it is empty and nothing beside it tells of what it held: no log of changes, none of
    `copies`, which are those that were made of it.
    """
    try:
        size = path.stat().st_size
    except FileNotFoundError:
        size = 0
    if size >= _HEADER:
        return
    log = path.with_name(f"{path.name}-wal")
    beside = [each for each in (log, *copies) if each.exists() and each.stat().st_size]
    if size == 0 and not beside:
        return
    newest = max(beside, key=lambda each: each.stat().st_mtime, default=None)
    held = f"the file is cut to {size} bytes" if path.exists() else "the file is gone"
    if newest is None:
        way = "it is no store; name another with --db, or move it away to begin anew"
    elif newest == log:
        way = f"its log {log.name} is still there; keep both, and go back to a backup"
    else:
        way = f"go back to {newest.name} beside it (`mem backup list`), or move both away to begin anew"
    raise StoreDamaged(f"{path}: {held}; nothing was touched: {way}")
