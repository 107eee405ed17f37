"""Backups: made nightly or on demand, listed, verified, restored."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memcli.changes.arrivals import note_arrival
from memcli.config.config import Config
from memcli.doors import COPIES, Deed
from memcli.errors import BadInput, FlaggedStore, MemcliError, NotFound, StoreDamaged
from memcli.messages import Command, message
from memcli.model import Filter
from memcli.named_tuple import NamedTuple
from memcli.scope import Scope, require
from memcli.storage import Store
from memcli.storage.known_copies import CopyKind, StoreCopy
from memcli.storage.reports import NOT_OF_A_COPY, Erasure, Finding, RestoredStore
from memcli.storage.stores import copies_beside, open_copy, open_store, restore_store
from memcli.storage.upkeep import Progress
from memcli.system.places import expanded
from memcli.times import to_iso
from memcli.upkeep.copies.erased import settle
from memcli.upkeep.copies.files import file_of_store

# The format of the time in a backup's name.
_STAMP = "%Y%m%dT%H%M%SZ"
# The end of the label of a store that a restore replaced, and how such a copy is described.
_BEFORE_RESTORE, _REPLACED = "-before-restore", "before a restore"
# The purpose of a copy, for people.
_MADE_FOR = {
    CopyKind.BACKUP: "backup", CopyKind.UPGRADE: "before an upgrade", CopyKind.DAMAGED: "set aside, damaged",
    CopyKind.SNAPSHOT: "snapshot",
}  # fmt: skip
_ANY = frozenset(_MADE_FOR)
_BACKUPS = _ANY - {CopyKind.SNAPSHOT}


class Backup(NamedTuple):
    """A backup on record, or beside the store. `size` is in bytes; None if it is not reachable now."""

    path: Path
    made_for: str
    at: datetime | None
    size: int | None
    elsewhere: bool

    @property
    def is_set_aside(self) -> bool:
        """True if it is a damaged store that was kept."""
        return self.made_for == _MADE_FOR[CopyKind.DAMAGED]

    def to_record(self) -> dict[str, Any]:
        """Return the backup as JSON types."""
        at = to_iso(self.at) if self.at else None
        return {
            "path": str(self.path), "kind": self.made_for, "at": at, "bytes": self.size,
            "elsewhere": self.elsewhere, "there": self.size is not None,
        }  # fmt: skip


class Verdict(NamedTuple):
    """The result of verifying a copy: whether it opens and is sound, its problems, and what it holds."""

    path: Path
    ok: bool
    problems: list[str]
    counts: dict[str, int]

    def to_record(self) -> dict[str, Any]:
        """Return the verdict as JSON types."""
        return {"path": str(self.path), "ok": self.ok, "problems": self.problems, **self.counts}


def make_backup(scope: Scope, to: Path | None = None, progress: Progress | None = None) -> Path:
    """Back the store up beside it, or into a folder or file; return the backup's path.

    Nothing is overwritten but an earlier backup of this store. Raises BadInput, Refused, StoreUnusable;
    StoreDamaged if the store is damaged, and then there is no backup. By force a copy is kept all the same,
    named as damaged, and the error names it.
    """
    scope.require(COPIES, Deed.ADD, "a backup")
    try:
        return _backed_up(scope, to, progress)
    except StoreDamaged as error:
        if not scope.store.forced:
            raise
        raise StoreDamaged(
            error.what,
            left=f"a copy of it as it is was made: {_keep_damaged(scope, to)}",
            by_hand=message(Command("doctor --repair"), " mends the store"),
        ) from error


def _keep_damaged(scope: Scope, to: Path | None) -> Path:
    """Copy a damaged store as it is, under a name that says so and that no other copy has."""
    now, store = scope.now(), scope.store
    kind, stamp = CopyKind.DAMAGED, _stamp(now)
    if to is None:
        return store.make_copy(kind, f"{stamp}-{scope.new_id(now)[-6:].lower()}", now)
    folder = expanded(to)
    name = file_of_store(store).name if folder.is_dir() else folder.name
    target = (folder if folder.is_dir() else folder.parent) / f"{name}.{kind.value}-{stamp}"
    store.copy_to(target, now, kind=kind)
    return target


def _backed_up(scope: Scope, to: Path | None, progress: Progress | None) -> Path:
    now, store = scope.now(), scope.store
    own = file_of_store(store)
    label = f"{_stamp(now)}-on-demand"
    if to is None:
        if (why := store.hindrance) and not isinstance(why, FlaggedStore):
            way_out = "name another place for the backup"
            raise type(why)(
                f"{store.location}: {why.why}", why.why, left="nothing was changed", by_hand=way_out
            )
        if why:
            raise why
        while any(copy.label == label for copy in store.copies()):
            label = f"{_stamp(now)}-{scope.new_id(now)[-6:].lower()}-on-demand"
        return store.make_copy(CopyKind.BACKUP, label, now, progress)
    target = _target(own, expanded(to), _stamp(now))
    store.copy_to(target, now, progress)
    return target


def _stamp(at: datetime) -> str:
    return at.astimezone(UTC).strftime(_STAMP)


def _target(own: Path, to: Path, stamp: str) -> Path:
    """Return the file to write. Raises BadInput for one that must not, or cannot, be overwritten."""
    try:
        target = to / f"{own.name}.backup-{stamp}" if to.is_dir() else to
        if not target.parent.is_dir():
            raise BadInput(f"{target.parent}: no such folder; create it first")
        real, mine = target.resolve(), own.resolve()
        is_mine = real == mine or (target.exists() and mine.exists() and target.samefile(mine))
    except OSError as error:
        raise BadInput(f"{to}: cannot be used ({error.strerror})") from error
    if is_mine or (real.parent == mine.parent and _is_side_file(real.name, mine.name)):
        raise BadInput(f"{target}: this is the store itself; name another file or a folder")
    if target.exists() and not target.is_file():
        raise BadInput(f"{target}: a device, not a file or folder")
    return target


def _is_side_file(name: str, store: str) -> bool:
    return name in {
        f"{store}{tail}" for tail in ("-wal", "-shm", "-journal", ".erasing", ".copying", ".lock")
    }


def backups(scope: Scope) -> list[Backup]:
    """Return all known backups, newest first, including those elsewhere. Raises BadInput."""
    file_of_store(scope.store)
    return _sorted(scope.store.copies())


def backups_beside(location: Path) -> list[Backup]:
    """Return the backups and snapshots beside a store that cannot be opened: each can be restored."""
    return _sorted(copies_beside(location), _ANY)


def _sorted(copies: Iterable[StoreCopy], kinds: Collection[CopyKind] = _BACKUPS) -> list[Backup]:
    found = [
        _backup(copy) for copy in copies if copy.kind in kinds and copy.whole and not _is_gone(copy.path)
    ]
    return sorted(found, key=lambda each: (each.at is not None, each.at, str(each.path)), reverse=True)


def _is_gone(path: Path) -> bool:
    """True if somebody removed it; if its folder is missing, it may come back with that."""
    try:
        return path.parent.is_dir() and not path.exists()
    except OSError:
        return False


def _backup(copy: StoreCopy) -> Backup:
    try:
        status = copy.path.stat()
    except OSError:
        status = None
    at = copy.made or _made(copy.label)
    if at is None and status:
        at = datetime.fromtimestamp(status.st_mtime, UTC)
    size = status.st_size if status else None
    replaced = copy.kind is CopyKind.BACKUP and copy.label.endswith(_BEFORE_RESTORE)
    made_for = _REPLACED if replaced else _MADE_FOR[copy.kind]
    return Backup(copy.path, made_for, at, size, copy.elsewhere)


def _made(label: str) -> datetime | None:
    try:
        return datetime.strptime(label[:16], _STAMP).replace(tzinfo=UTC)
    except ValueError:
        return None


def find_backup(known: list[Backup], named: str) -> Path:
    """Return the named backup: `latest`, a path, or part of the name of a known one.

    Raises NotFound, BadInput if several fit.
    """
    if not named.strip():
        raise BadInput(f"{named!r} names no backup; give `latest`, a path, or part of a name")
    there = [each for each in known if each.size is not None]
    if named == "latest":
        for each in there:
            if each.made_for == _MADE_FOR[CopyKind.BACKUP]:
                return each.path
        raise NotFound("there is no backup yet", by_hand=message(Command("backup"), " makes one"))
    path = expanded(named)
    if path.exists():
        return path
    fitting = [each.path for each in there if named in each.path.name]
    if len(fitting) > 1:
        names = ", ".join(each.name for each in fitting[:5])
        raise BadInput(f"{named!r:.60} fits {len(fitting)} backups, give more of the name: {names}")
    if not fitting:
        raise NotFound(
            f"no backup {named!r:.60}", by_hand=message(Command("backup list"), " shows those that are known")
        )
    return fitting[0]


def verify_copy(path: Path, busy_timeout: float) -> Verdict:
    """Open a copy and check all of it, without changing it."""
    try:
        store = open_copy(path, busy_timeout=busy_timeout)
    except MemcliError as error:
        return Verdict(path, ok=False, problems=[str(error)], counts={})
    try:
        problems = [f"{each.name}: {each.detail}" for each in _findings(store) if not each.ok]
        return Verdict(path, not problems, problems, _counts(store))
    except MemcliError as error:
        return Verdict(path, ok=False, problems=[str(error)], counts={})
    finally:
        store.close()


def _findings(store: Store) -> Iterator[Finding]:
    return (each for each in store.check() if each.name not in NOT_OF_A_COPY)


def _counts(store: Store) -> dict[str, int]:
    everything = Filter(spaces=None, live=False)
    return {
        "memories": sum(number for _, _, number in store.count(everything)),
        "links": sum(1 for _ in store.links()),
        "changes": sum(1 for _ in store.history()),
    }


def holdings(location: Path, busy_timeout: float) -> dict[str, int]:
    """Return how many memories, links and changes a store has. Raises NotFound, StoreUnusable."""
    with closing(open_store(location, create=False, busy_timeout=busy_timeout)) as store:
        return _counts(store)


def restore_backup(
    config: Config, location: Path, path: Path, at: datetime, *, force: bool = False
) -> RestoredStore:
    """Replace the store at `location` by a backup; the replaced store is kept beside it first.

    Nothing that was erased since comes back. Raises StoreUnusable if the backup is damaged, foreign or
    newer, and then nothing was changed; see `memcli.storage.stores.restore_store` for `force`.
    """
    require(config, COPIES, Deed.CHANGE, "restoring a backup")
    patience = config["busy_timeout"]
    # A copy that cannot be opened raises its own error.
    open_copy(path, busy_timeout=patience).close()
    verdict = verify_copy(path, patience)
    if not verdict.ok:
        raise StoreDamaged(f"{path}: is not sound, so nothing was restored: {verdict.problems[0]}")

    def settled(store: Store | None, coming: Store) -> Erasure:
        note_arrival(coming, "restore", str(path), at)
        return settle(store, coming)

    return restore_store(location, path, at, settled, busy_timeout=patience, force=force)
