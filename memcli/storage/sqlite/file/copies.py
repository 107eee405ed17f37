"""Which files are copies of a store: the one place that knows. Erasure, backups, snapshots and doctor ask it.

*A copy beside the store* is `STORE.KIND-LABEL` (`memory.db.backup-20261122T031500Z`), where
KIND is a `CopyKind` and STORE the **real file's** name in the real file's folder: a store that is
opened by a symlink, a relative path or through a bind mount has its copies in one place. Whoever
makes one asks `copy_path` for its name. Until it is whole it is a `.part`.

*A copy elsewhere* is where its owner wished it (`mem backup /mnt/usb/x.db`). Whoever makes one
calls `Store.note_copy` BEFORE the first byte is written: a copy that nobody knows of could not be
erased from. `Store.forget_copy` when it is dropped.

*Other names of the store.* Copies were made beside other names of the same file, too: beside a
symlink (memcli before 0.14), a hard link, the one file that a container sees, or where the store
stood before it was moved. Asked are the real path, each symlink on the way to it, and each *home*
on record, if nothing stands there any more or it is the same file (`samefile`): of two stores of
which one is a `cp` of the other neither touches the other's copies.

*Making one*: `with making_copy(file, …):` around all of it, from before the store is read until
the copy has its name. An erasure holds the same lock while it cleans copies, so that none that is
just being made brings back what was erased; and as whoever holds it is alone, each `.part` that it
finds has lost its writer and is removed.

*Going back to one* (restore, rollback, repair): the store that comes back is older than the
record of its copies, so what stands in `areas.COPY` and `areas.ERASURE` is carried over.
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

# When a copy was made, as its label says it (UTC).
STAMP = "%Y%m%dT%H%M%SZ"
# What stands in a copy's own side files, and in the locks.
_SIDE_FILES = ("-wal", "-shm", "-journal", ".erasing", ".copying", ".restoring", ".converted", ".unconverted")
_PART, _LOG = ".part", "-wal"


def real_file(path: Path) -> Path:
    """The file that a name leads to, absolute and without symlinks, whether it is there or not."""
    return Path(os.path.realpath(path))


def names_of(path: Path) -> list[Path]:
    """The real file, then each other name on the way to it: absolute, folders real, symlinks not followed."""
    names: list[Path] = [real_file(path)]
    name = path
    # SQLite itself follows no more (SQLITE_MAX_SYMLINK).
    for _ in range(100):
        name = real_file(name.parent) / name.name
        if name not in names:
            names.append(name)
        if not name.is_symlink():
            break
        name = name.parent / name.readlink()
    return names


def copy_path(file: Path, kind: CopyKind, label: str) -> Path:
    """Where a copy beside the store stands."""
    file = real_file(file)
    return file.with_name(f"{file.name}.{kind.value}-{label}")


def part_of(target: Path) -> Path:
    """The name of a copy while it is written; `target` is the one that it gets."""
    return target.with_name(f"{target.name}{_PART}")


def find_copies(path: Path, records: Records) -> list[StoreCopy]:
    """Every copy of the store at `path`, those elsewhere too, each file once, by name; parts among them.

    One elsewhere need not be there: `is_gone` says whether it is lost or only out of reach.
    Raises OSError where a folder cannot be listed.
    """
    file = real_file(path)
    names = dict.fromkeys([*names_of(path), *(home for home in records.homes if _is_home(home, file))])
    # Twice: one that gets its name in between is seen with or without it.
    beside = {copy.path: copy for _ in range(2) for name in names for copy in _beside(name)}
    there = [copy for copy in beside.values() if copy.path.exists()]
    elsewhere = [recorded_copy(copy, state) for copy, state in records.copies.items() if copy not in beside]
    return sorted([*there, *elsewhere])


def has_only_log(path: Path) -> bool:
    """True if a copy is empty but for its log: what was set aside of a store that was cut. Raises OSError."""
    log = path.with_name(f"{path.name}{_LOG}")
    return not path.stat().st_size and log.exists() and log.stat().st_size > 0


def holds_nothing(path: Path) -> bool:
    """True if a copy is empty, and so is what may be all that is left of it. Raises OSError."""
    return path.is_file() and not path.stat().st_size and not has_only_log(path)


def is_gone(copy: StoreCopy) -> bool:
    """True if a copy is no more: its folder can be looked into, and it is not there.

    Of one whose folder is missing (a stick that is not plugged in) nobody knows.
    """
    try:
        return copy.path.parent.is_dir() and not copy.path.exists()
    except OSError:
        return False


@contextmanager
def making_copy(file: Path, *, patience: float) -> Iterator[None]:
    """Be the only one who makes a copy of the store, or cleans its copies; what lost its writer goes.

    Raises StoreBusy where another is at it for `patience` seconds, StoreUnusable
    where the lock cannot be made.
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
    """What a copy is put into before it takes the place of a store: an erasure finds it, too.

    It is no part whose writer was killed until nobody holds the lock of who goes back (`RESTORING`).
    """
    return part_of(copy_path(file, CopyKind.BACKUP, "restoring"))


def repair_prefix(file: Path) -> str:
    """How the folders begin in which a damaged store is salvaged; beside it, and under `making_copy`."""
    return f".{file.name}.repair-"


def remove_copy(path: Path) -> None:
    """Remove a copy, and what SQLite left beside it. Raises OSError."""
    for tail in ("-wal", "-shm", "-journal", ""):
        path.with_name(path.name + tail).unlink(missing_ok=True)


def stamp(at: datetime) -> str:
    """The label of a copy that is named by when it was made."""
    return at.astimezone(UTC).strftime(STAMP)


def _is_home(home: Path, file: Path) -> bool:
    try:
        return not home.exists() or home.samefile(file)
    except OSError:
        return False


def _beside(name: Path) -> Iterator[StoreCopy]:
    """The copies beside one name of a store."""
    if not name.parent.is_dir():
        return
    kinds = {f"{name.name}.{kind.value}-": kind for kind in CopyKind}
    with os.scandir(name.parent) as entries:
        found = {entry.name for entry in entries}
    for each in found:
        kind = next((kind for head, kind in kinds.items() if each.startswith(head)), None)
        if kind is None:
            continue
        # The log of what was set aside says what was in it, also when the file itself is removed.
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
