"""Restoring a copy in place of a store; see `memcli.storage.stores.restore_store`.

A store that can be opened is overwritten page by page in one transaction (SQLite's backup API): other
processes see the old or the new content, and an interruption is rolled back. One that cannot be read is set
aside with its log, and the new file takes its name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import sqlcipher3.dbapi2 as sqlite

from memcli.errors import (
    MemcliError,
    NewerStore,
    NoKey,
    NotFound,
    StoreBusy,
    StoreDamaged,
    StoreUnusable,
    WrongKey,
)
from memcli.messages import Command, message
from memcli.named_tuple import NamedTuple
from memcli.storage import Store
from memcli.storage.errands import RESTORING
from memcli.storage.known_copies import CopyKind, record_home
from memcli.storage.reports import Erasure, RestoredStore
from memcli.storage.sqlite.erasing.copy_erasure import erase_from_copy
from memcli.storage.sqlite.file.alone import being_alone
from memcli.storage.sqlite.file.conversion_lock import sync_whole, take_place
from memcli.storage.sqlite.file.copies import making_copy, real_file, restored_part, stamp
from memcli.storage.sqlite.file.damage import HEADER_SIZE, clear_flag
from memcli.storage.sqlite.file.database_file import back_up, connect_for_reading
from memcli.storage.sqlite.file.errors import UNCHANGED, explained_errors, explained_os_errors
from memcli.storage.sqlite.file.opening import open_database, salt_of
from memcli.storage.sqlite.file.setting_aside import set_aside
from memcli.storage.sqlite.store import SqliteStore
from memcli.system.files import put_where_nothing_is, sync_folder
from memcli.system.locks import hold_lock

if TYPE_CHECKING:
    Settle = Callable[[Store | None, Store], Erasure]

# The end of the label of a store that a restored copy replaced.
BEFORE_RESTORE = "-before-restore"
# How often other processes may write while the store is kept aside, before this gives up.
_ATTEMPTS = 5
# The suffixes of the files that SQLite keeps beside a database and that belong to its content.
_LOGS = ("-wal", "-journal")


def restore(
    location: Path, copy: Path, at: datetime, settle: Settle, *, busy_timeout: float, force: bool
) -> RestoredStore:
    """See `memcli.storage.stores.restore_store`."""
    file = real_file(location)
    if copy.exists() and file.exists() and copy.samefile(file):
        raise StoreUnusable(f"{copy}: this is the store itself", advice="name a copy of it")
    here = _present(file, busy_timeout)
    if isinstance(here.problem, WrongKey | NoKey) and not force:
        raise WrongKey(
            f"{file}: no key opens it, or its first page is damaged",
            left="nothing was touched",
            by_hand="give the key, or with --force it is set aside as it is",
        ) from here.problem
    store = here.store
    try:
        if store is not None:
            _check_same_protection(copy, file)
        if store is not None and here.problem is None:
            done = _replace_content(store, copy, at, settle, busy_timeout)
            clear_flag(file)
            return done
        seen = _damaged_revision(store)
        with _prepared(copy, file, store, settle, busy_timeout) as prepared:
            if store is not None:
                if _damaged_revision(store) != seen:
                    raise StoreBusy(
                        f"{file}: others are writing to it", advice="try again when they are done"
                    )
                store.close()
            with being_alone(file, busy_timeout) as gate, explained_os_errors(file):
                kept = set_aside(file, at) if here.problem else None
                if kept:
                    take_place(gate, prepared.path, file)
                else:
                    _put_where_nothing_is(prepared.path, file)
            clear_flag(file)
            return RestoredStore(
                kept,
                was_damaged=kept is not None,
                knows_erased=prepared.knows_erased,
                left_out=prepared.left_out,
            )
    finally:
        if store is not None:
            store.close()


def _check_same_protection(copy: Path, file: Path) -> None:
    """Raise StoreUnusable if only one of both is encrypted: no plain content may end up beside it."""
    with explained_errors(copy):
        is_encrypted = salt_of(real_file(copy)) is not None
    with explained_errors(file):
        is_alike = is_encrypted == (salt_of(file) is not None)
    if not is_alike:
        how, verb = ("encrypted", "decrypt") if is_encrypted else ("not encrypted", "encrypt")
        raise StoreUnusable(
            f"{copy}: {how}, other than the store",
            left="nothing was changed",
            by_hand=message(Command(f"{verb} --db"), " a copy of it first"),
        )


class _Present(NamedTuple):
    """The store that is present at the path, if it can be opened, and the problem with it."""

    store: SqliteStore | None
    problem: StoreUnusable | None


def _present(file: Path, busy_timeout: float) -> _Present:
    """Return what is there. Raises StoreUnusable if it must not be replaced: busy, newer, or not writable."""
    try:
        if file.exists() and file.stat().st_size < HEADER_SIZE:
            return _Present(None, StoreDamaged(f"{file}: cut off"))
        store = SqliteStore(file, create=False, busy_timeout=busy_timeout, force=True)
    except NotFound:
        return _Present(None, None)
    except (StoreBusy, NewerStore):
        raise
    except StoreUnusable as error:
        return _Present(None, error)
    if store.hindrance:
        store.close()
        raise store.hindrance
    try:
        with explained_errors(store.path):
            [(verdict,), *_] = store.connection.execute("PRAGMA quick_check(1)")
    except StoreBusy:
        store.close()
        raise
    except StoreUnusable as error:
        return _Present(store, error)
    return _Present(store, None if verdict == "ok" else StoreDamaged(f"{file}: {' '.join(verdict.split())}"))


class _Prepared(NamedTuple):
    """The file that replaces the store, and whether what was erased since it was copied is gone from it."""

    path: Path
    knows_erased: bool
    left_out: Erasure


@contextmanager
def _prepared(
    copy: Path, file: Path, store: SqliteStore | None, settle: Settle, busy_timeout: float
) -> Iterator[_Prepared]:
    """Yield a new file beside the store with the content that the store is to have."""
    fresh = restored_part(file)
    lock = file.with_name(f"{file.name}{RESTORING}")
    with (
        hold_lock(lock, busy=f"{file}: another process is going back to a copy", patience=busy_timeout),
        explained_os_errors(fresh),
    ):
        _remove(fresh)
        try:
            _copy_of(copy, fresh, busy_timeout)
            erasure, knows = _settled(store, fresh, settle, busy_timeout)
            if any(erasure):
                with explained_errors(fresh):
                    erase_from_copy(fresh, erasure, busy_timeout)
            with explained_errors(fresh), closing(open_database(fresh)) as db:
                db.execute("PRAGMA journal_mode = WAL")
            sync_whole(fresh)
            yield _Prepared(fresh, knows, erasure)
        finally:
            _remove(fresh)


def _copy_of(copy: Path, fresh: Path, busy_timeout: float) -> None:
    with closing(connect_for_reading(copy, busy_timeout=busy_timeout)) as source:
        # With query_only on, SQLite would not write the other file either.
        source.execute("PRAGMA query_only = OFF")
        back_up(source, fresh)


def _settled(
    store: SqliteStore | None, fresh: Path, settle: Settle, busy_timeout: float
) -> tuple[Erasure, bool]:
    """Return the result of `settle`; for a damaged store as far as it can be read."""
    with closing(SqliteStore(fresh, create=False, busy_timeout=busy_timeout)) as coming:
        with suppress(StoreDamaged):
            return settle(store, coming), store is not None
        return settle(None, coming), False


def _replace_content(
    store: SqliteStore, copy: Path, at: datetime, settle: Settle, busy_timeout: float
) -> RestoredStore:
    """Keep the store as a backup (or as damaged), and replace its content by that of a copy.

    If others wrote since the store's revision was read, all is prepared again: what they erased must not
    come back, what they wrote must be in the backup.
    """
    label = f"{stamp(at)}{BEFORE_RESTORE}"
    kept: Path | None = None
    kind = CopyKind.BACKUP
    record_home(store, real_file(store.path), at)

    def said() -> str:
        return f"as it was it is kept as {kept}" if kept else UNCHANGED

    with explained_errors(store.path, kept=said), closing(open_database(store.file)) as watch:
        for _ in range(_ATTEMPTS):
            revision = store.revision()
            with _prepared(copy, store.file, store, settle, busy_timeout) as prepared:
                # A new one replaces that of the last attempt.
                try:
                    kept = store.make_copy(kind, label, at)
                except StoreDamaged:
                    kind = CopyKind.DAMAGED
                    kept = store.make_copy(kind, label, at)
                seen = _revision(watch)
                try:
                    is_done = store.revision() == revision and _overwritten(
                        store, prepared.path, watch, seen, patience=busy_timeout
                    )
                except (sqlite.Error, MemcliError):
                    with suppress(sqlite.Error, MemcliError):
                        # Removed only if the store was not written to; else it is all that is left of it.
                        if _revision(watch) == seen:
                            store.drop_copy(kept)
                            kept = None
                    raise
                if is_done:
                    with suppress(sqlite.Error):  # everything is in the log already
                        store.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                    return RestoredStore(
                        kept, was_damaged=kind is CopyKind.DAMAGED, left_out=prepared.left_out
                    )
    if kept:
        store.drop_copy(kept)
    raise StoreBusy(
        f"{store.path}: other processes keep writing to it", advice="try again when they are done"
    )


class _Written(Exception):
    """Raised if somebody has written to the store since it was kept."""


def _overwritten(
    store: SqliteStore, fresh: Path, watch: sqlite.Connection, seen: int, *, patience: float
) -> bool:
    """Overwrite the store; return False if others wrote to it since `watch` saw that revision.

    That is checked after the first page, when SQLite holds the lock and nobody can write any more. Erasures
    are waited for as long as `patience` (seconds).
    """
    asked = False

    def look(*_: object) -> None:
        nonlocal asked
        if not asked and _revision(watch) != seen:
            raise _Written
        asked = True

    # An erasure cleans copies under the same lock, so none begins between the check and the change.
    with making_copy(store.path, patience=patience), closing(open_database(fresh)) as source:
        try:
            source.backup(store.connection, pages=1, progress=look)
        except _Written:
            return False
    return True


def _revision(watch: sqlite.Connection) -> int:
    return int(watch.execute("PRAGMA data_version").fetchone()[0])


def _damaged_revision(store: SqliteStore | None) -> int | None:
    """Return the revision of a store that is not completely readable; None if even that fails."""
    with suppress(StoreDamaged):
        return store.revision() if store else None
    return None


def _put_where_nothing_is(fresh: Path, file: Path) -> None:
    put_where_nothing_is(fresh, file)
    sync_folder(file.parent)


def _remove(path: Path) -> None:
    for tail in (*_LOGS, "-shm", ""):
        with suppress(OSError):
            Path(f"{path}{tail}").unlink()
