"""Copies of a store: which files they are. Erasure, backups, snapshots and doctor all ask this module.

*A copy beside the store* is `STORE.KIND-LABEL` (`memory.db.backup-20261122T031500Z`), where KIND is a
`CopyKind` and STORE the **real file's** name in the real file's folder: a store that is opened by a
symlink, a relative path or through a bind mount has its copies in one place. `copy_path` gives the name of
a new one. Until it is complete it is a `.part`.

*A copy elsewhere* is where its owner wanted it (`mem backup /mnt/usb/x.db`). It is recorded by
`Store.note_copy` BEFORE its first byte is written: nothing could be erased from an unknown copy.
`Store.forget_copy` is called when it is dropped.

*Other names of the store.* Copies were made beside other names of the same file, too: beside a symlink
(memcli before 0.14), a hard link, the one file that a container sees, or where the store was before it was
moved. Searched are the real path, each symlink on the way to it, and each recorded *home*, if nothing is
there any more or it is the same file (`samefile`): of two stores, one a `cp` of the other, neither touches
the other's copies.

*Making one*: `with making_copy(file, …):` around all of it, from before the store is read until the copy
has its name. An erasure holds the same lock while it cleans copies, so that none that is being made brings
back what was erased; and since the holder is alone, each `.part` that it finds has lost its writer and is
removed.

*Restoring one* (restore, rollback, repair): the restored store is older than the record of its copies, so
the content of `areas.COPY` and `areas.ERASURE` is carried over.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from memcli.storage.errands import COPYING
from memcli.storage.known_copies import CopyKind, Records, StoreCopy, recorded_copy
from memcli.system.locks import hold_lock

# The format of the time in a copy's label (UTC).
STAMP = "%Y%m%dT%H%M%SZ"
# The suffixes of side files of a copy, and of locks, which are no copies.
_SIDE_FILES = ("-wal", "-shm", "-journal", ".erasing", ".copying", ".restoring", ".converted", ".unconverted")
_PART, _LOG = ".part", "-wal"


def real_file(path: Path) -> Path:
    """Return the file that a name leads to, absolute and without symlinks, whether it exists or not."""
    return Path(os.path.realpath(path))


def names_of(path: Path) -> list[Path]:
    """Return the real file, then each other name on the way to it.

    They are absolute, with real folders, and symlinks not followed.
    """
    names: list[Path] = [real_file(path)]
    name = path
    # SQLite itself follows as many (SQLITE_MAX_SYMLINK).
    for _ in range(100):
        name = real_file(name.parent) / name.name
        if name not in names:
            names.append(name)
        if not name.is_symlink():
            break
        name = name.parent / name.readlink()
    return names


def copy_path(file: Path, kind: CopyKind, label: str) -> Path:
    """Return the path of a copy beside the store."""
    file = real_file(file)
    return file.with_name(f"{file.name}.{kind.value}-{label}")


def part_of(target: Path) -> Path:
    """Return the name of a copy while it is being written; `target` is its final name."""
    return target.with_name(f"{target.name}{_PART}")


def find_copies(path: Path, records: Records) -> list[StoreCopy]:
    """Return every copy of the store at `path`, including those elsewhere and parts, each file once, by name.

    A copy elsewhere may be missing: `is_gone` says whether it is lost or only unreachable. Raises OSError
    if a folder cannot be listed.
    """
    file = real_file(path)
    names = dict.fromkeys([*names_of(path), *(home for home in records.homes if _is_home(home, file))])
    # Twice, so that a copy that is renamed from its part in between is found.
    beside = {copy.path: copy for _ in range(2) for name in names for copy in _beside(name)}
    there = [copy for copy in beside.values() if copy.path.exists()]
    elsewhere = [recorded_copy(copy, state) for copy, state in records.copies.items() if copy not in beside]
    return sorted([*there, *elsewhere])


def has_only_log(path: Path) -> bool:
    """True if a copy is empty except for its log, as when a truncated store was set aside. Raises OSError."""
    log = path.with_name(f"{path.name}{_LOG}")
    return not path.stat().st_size and log.exists() and log.stat().st_size > 0


def holds_nothing(path: Path) -> bool:
    """True if a copy is empty, and has no log that may hold its content. Raises OSError."""
    return path.is_file() and not path.stat().st_size and not has_only_log(path)


def is_gone(copy: StoreCopy) -> bool:
    """True if a copy no longer exists: its folder is readable, and it is not there.

    If the folder is missing (a stick that is not plugged in), that is unknown.
    """
    try:
        return copy.path.parent.is_dir() and not copy.path.exists()
    except OSError:
        return False


@contextmanager
def making_copy(file: Path, *, patience: float) -> Iterator[None]:
    """Hold the lock for making and cleaning copies of the store; removes parts that lost their writer.

    Raises StoreBusy if another process holds it for `patience` seconds, StoreUnusable if the lock cannot be
    made.
    """
    file = real_file(file)
    lock = file.with_name(f"{file.name}{COPYING}")
    with hold_lock(lock, busy=f"{file}: a copy of it is being made", patience=patience):
        for copy in _beside(file):
            if copy.is_part:
                remove_copy(copy.path)
        for folder in file.parent.glob(f"{glob.escape(repair_prefix(file))}*"):
            import shutil

            shutil.rmtree(folder, ignore_errors=True)
        yield


def restored_part(file: Path) -> Path:
    """Return the file that holds a copy before it replaces a store; an erasure finds it, too.

    It counts as abandoned only when nobody holds the lock of restoring (`RESTORING`).
    """
    return part_of(copy_path(file, CopyKind.BACKUP, "restoring"))


def repair_prefix(file: Path) -> str:
    """Return how the names of folders begin in which a damaged store is salvaged; under `making_copy`."""
    return f".{file.name}.repair-"


def remove_copy(path: Path) -> None:
    """Remove a copy, and what SQLite left beside it. Raises OSError."""
    for tail in ("-wal", "-shm", "-journal", ""):
        path.with_name(path.name + tail).unlink(missing_ok=True)


def stamp(at: datetime) -> str:
    """Return the label of a copy that is named by its time."""
    return at.astimezone(UTC).strftime(STAMP)


def _is_home(home: Path, file: Path) -> bool:
    try:
        return not home.exists() or home.samefile(file)
    except OSError:
        return False


def _beside(name: Path) -> Iterator[StoreCopy]:
    """Yield the copies beside one name of a store."""
    if not name.parent.is_dir():
        return
    kinds = {f"{name.name}.{kind.value}-": kind for kind in CopyKind}
    with os.scandir(name.parent) as entries:
        found = {entry.name for entry in entries}
    for each in found:
        kind = next((kind for head, kind in kinds.items() if each.startswith(head)), None)
        if kind is None:
            continue
        # The log of a damaged copy holds its content, even if the file itself was removed.
        lone = kind is CopyKind.DAMAGED and each.endswith(_LOG) and each.removesuffix(_LOG) not in found
        if each.endswith(_SIDE_FILES) and not lone:
            continue
        label = each[len(f"{name.name}.{kind.value}-") :].removesuffix(_PART)
        whole = not each.endswith(_PART)
        yield StoreCopy(name.parent / each, kind, label, _made(label), whole)


def _made(label: str) -> datetime | None:
    with suppress(ValueError):
        return datetime.strptime(label, STAMP).replace(tzinfo=UTC)
    return None
