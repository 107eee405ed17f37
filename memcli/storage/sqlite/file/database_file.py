"""Database file of a store: created private, opened, migrated, backed up."""

from __future__ import annotations

import importlib.util
import os
import stat
import time
from contextlib import closing, suppress
from pathlib import Path

import sqlcipher3.dbapi2 as sqlite

from memcli.errors import (
    NewerStore,
    NoKey,
    NotFound,
    ReadOnlyStore,
    StoreBusy,
    StoreDamaged,
    StoreUnusable,
    WrongKey,
)
from memcli.messages import Command, message
from memcli.storage.errands import LOCKS
from memcli.storage.sqlite.file.damage import HEADER_SIZE, check_not_cut, is_plain_file
from memcli.storage.sqlite.file.errors import explained_errors, explained_os_errors, result_code
from memcli.storage.sqlite.file.opening import PAGE_SIZE, open_database
from memcli.storage.sqlite.tables.schema import APPLICATION_ID, SCHEMA_VERSION
from memcli.system.places import guard, is_writable, make_private_folder


def connect(
    path: Path, *, create: bool, busy_timeout: float, force: bool = False
) -> tuple[sqlite.Connection, ReadOnlyStore | None]:
    """Return a connection to the store at `path`, in autocommit mode, migrated; and why it may not write.

    A file that is read-only, or has no room for what SQLite needs even to read, is read from a private
    copy, see `reading_copy`. With `force` a store is created beside copies of a missing one. Raises
    NotFound without `create`, else StoreUnusable.
    """
    # SQLite's side files are beside the real file, whatever the name.
    file = Path(os.path.realpath(path))
    guard(path)
    try:
        size = _size(file, path)
        if size is None or size < HEADER_SIZE:
            _wait_at_gate(file, busy_timeout)
            check_not_cut(path, size := _size(file, path), force=force)
    except OSError as error:
        raise StoreUnusable(
            f"{path}: cannot be reached ({error.strerror})", advice="check the permissions"
        ) from error
    if size is None:
        if not create:
            raise NotFound(
                f"{path}: no store there",
                by_hand=message(Command("remember"), " makes one, --db names another"),
            )
        return _make_store(file, path, busy_timeout), None
    if is_writable(file):
        _wait_at_gate(file, busy_timeout)
        try:
            return _connect(file, path, busy_timeout), None
        except StoreUnusable as error:
            if not isinstance(error, ReadOnlyStore) and result_code(error.__cause__) != sqlite.SQLITE_IOERR:
                raise
            hindrance = error if isinstance(error, ReadOnlyStore) else ReadOnlyStore(error.what, **error.told)
    else:
        from memcli.storage.sqlite.file.room import lack_of_right

        why = f"may only be read: {lack_of_right(file)}"
        hindrance = ReadOnlyStore(f"{path}: {why}", why, left="nothing was changed")
    return _connect_to_copy(file, path, busy_timeout), hindrance


def _wait_at_gate(file: Path, busy_timeout: float) -> None:
    """Wait while the file is encrypted, decrypted or replaced; clean up after killed processes."""
    if file.with_name(f"{file.name}.conversion").exists():
        from memcli.storage.sqlite.file.conversion_lock import wait_for_conversion

        wait_for_conversion(file, busy_timeout)
    if any(file.with_name(f"{file.name}{tail}").exists() for tail in LOCKS):
        from memcli.storage.sqlite.file.leftovers import clear_leftovers

        clear_leftovers(file)


def _make_store(file: Path, path: Path, busy_timeout: float) -> sqlite.Connection:
    _make_private_file(file)
    try:
        return _connect(file, path, busy_timeout)
    except BaseException:
        import glob

        # Remove an empty file after a failure; if another process is creating the store it is not empty.
        with suppress(OSError):
            if not file.stat().st_size and not list(file.parent.glob(f"{glob.escape(file.name)}-*")):
                file.unlink()
        raise


def connect_for_reading(path: Path, *, busy_timeout: float) -> sqlite.Connection:
    """Return a connection to read a copy of a store, which is not changed; an older one is migrated aside.

    Raises NotFound, StoreUnusable.
    """
    with explained_os_errors(path):
        if not path.is_file():
            raise NotFound(f"{path}: no file there")
        if not path.stat().st_size:
            raise StoreDamaged(f"{path}: the file is empty; it is not a memcli store")
        # A file copied by hand may have a log, which reading would write into it.
        aside = path.with_name(f"{path.name}-wal").exists() or not is_writable(path)
    if not aside:
        with explained_errors(path):
            connection = open_database(path, timeout=busy_timeout)
            try:
                _require_ours(connection, path)
                if schema_version(connection) == SCHEMA_VERSION:
                    connection.execute("PRAGMA query_only = ON")
                    return connection
            except BaseException:
                connection.close()
                raise
        connection.close()
    return _connect_to_copy(path, path, busy_timeout)


def _size(file: Path, path: Path) -> int | None:
    """Return the size of a store's file, None if there is none; raise StoreUnusable for what is no file."""
    try:
        status = file.stat()
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(status.st_mode):
        what = "a folder" if stat.S_ISDIR(status.st_mode) else "not a regular file"
        raise StoreUnusable(f"{path}: is {what}", by_hand="name the file of a store with --db or MEMCLI_DB")
    return status.st_size


def _connect_to_copy(file: Path, path: Path, busy_timeout: float) -> sqlite.Connection:
    """Return a connection to a copy in the first folder that has room for it, else in memory."""
    from memcli.storage.sqlite.file.reading_copy import memory_copy, private_copy, remove_copy
    from memcli.system.temporary import temporary_places

    why: StoreUnusable | None = None
    for folder in temporary_places():
        copy = None
        try:
            copy = private_copy(file, busy_timeout, folder)
            connection = _connect(copy, path, busy_timeout, is_copy=True)
            # A single file from here on, which on POSIX can be removed while it is open.
            with explained_errors(path):
                connection.execute("PRAGMA journal_mode = MEMORY")
        except (StoreBusy, WrongKey, NoKey, StoreDamaged, NewerStore):
            raise
        except StoreUnusable as error:
            why = why or error
        else:
            return connection
        finally:
            if copy:
                remove_copy(copy)
    with explained_errors(path):
        connection = memory_copy(file)
        if connection is None:
            raise why or StoreUnusable(
                f"{path}: no folder for a private copy", advice="name one with room by TMPDIR"
            )
        _prepare(connection, path, busy_timeout, is_copy=True)
    return connection


def _connect(file: Path, path: Path, busy_timeout: float, *, is_copy: bool = False) -> sqlite.Connection:
    with explained_errors(path):
        try:
            connection = open_database(file, timeout=busy_timeout, named=path)
        except (NoKey, WrongKey) as error:
            if not is_plain_file(file):
                raise
            raise StoreDamaged(
                f"{path}: the head of the file is damaged",
                left="nothing was touched",
                by_hand=message("run ", Command("doctor --repair"), ", or go back to a backup"),
            ) from error
        try:
            _prepare(connection, path, busy_timeout, is_copy=is_copy)
        except BaseException:
            connection.close()
            raise
    return connection


def make_like(new: Path, like: Path, busy_timeout: float) -> None:
    """Create an empty store at `new`, encrypted like the file at `like`, if that is."""
    _make_private_file(new)
    with (
        explained_errors(new),
        closing(open_database(new, timeout=busy_timeout, like=like)) as connection,
    ):
        _prepare(connection, new, busy_timeout, is_copy=False)


def back_up(connection: sqlite.Connection, target: Path) -> None:
    """Write a consistent copy of the open store to `target`, readable by the owner alone.

    Raises StoreUnusable if the copy cannot be made or does not pass SQLite's check.
    """
    _make_private_file(target)
    with explained_errors(target, kept=lambda: "the copy was not made"):
        connection.execute("VACUUM INTO ?", (str(target),))
        with closing(open_database(target)) as copy:
            verdict = copy.execute("PRAGMA quick_check").fetchone()[0]
    if verdict != "ok":
        raise StoreDamaged(f"{target}: the backup does not pass SQLite's check: {' '.join(verdict.split())}")


def load_vector_functions(connection: sqlite.Connection) -> None:
    """Load sqlite-vec into the connection; raise ImportError if it is not installed.

    Located without importing the package, which would import Python's own sqlite3 for a type annotation, 10
    ms in every recall.
    """
    spec = importlib.util.find_spec("sqlite_vec")
    if spec is None or spec.origin is None:
        raise ImportError("sqlite-vec is not installed")
    connection.enable_load_extension(True)  # noqa: FBT003 - takes no keyword
    try:
        connection.load_extension(str(Path(spec.origin).with_name("vec0")))
    finally:
        connection.enable_load_extension(False)  # noqa: FBT003 - takes no keyword


def schema_version(connection: sqlite.Connection) -> int:
    """Return the schema version of the open file; 0 for an empty one."""
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return version


def newer_store(path: Path, connection: sqlite.Connection) -> NewerStore:
    """Return the error that a newer memcli wrote the open file, so that this one must not touch it."""
    version = schema_version(connection)
    numbers = f" (schema {version}, this one knows {SCHEMA_VERSION})" if version > SCHEMA_VERSION else ""
    return NewerStore(
        f"{path}: written by a newer memcli{numbers}",
        left="nothing was touched",
        advice="upgrade memcli: pip install -U memcli",
    )


def _make_private_file(path: Path) -> None:
    """Create an empty file of mode 0600, and its folder with 0700 if it is missing."""
    try:
        make_private_folder(path.parent)
        with suppress(FileExistsError):
            descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
            os.close(descriptor)
            path.chmod(0o600)  # a umask may have removed the owner's rights
    except OSError as error:
        raise StoreUnusable(
            f"{path}: cannot be made ({error.strerror})", by_hand="name another with --db or MEMCLI_DB"
        ) from error


def _prepare(connection: sqlite.Connection, path: Path, busy_timeout: float, *, is_copy: bool) -> None:
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA secure_delete = ON")
    version = schema_version(connection)
    if version < SCHEMA_VERSION:
        _bring_up_to_date(connection, path, version, busy_timeout, is_copy=is_copy)
    # A flipped bit may have changed the application id, but a store has its tables.
    elif not _is_ours(connection) and not _has_memories(connection):
        _require_ours(connection, path)
    if version > SCHEMA_VERSION:
        raise newer_store(path, connection)
    # In WAL mode FULL means that a commit is on disk when it returns.
    connection.execute("PRAGMA synchronous = FULL")


def _bring_up_to_date(
    connection: sqlite.Connection, path: Path, version: int, busy_timeout: float, *, is_copy: bool
) -> None:
    from sqlite_utils import Database

    from memcli.storage.known_copies import CopyKind
    from memcli.storage.sqlite.file.copies import copy_path, making_copy, part_of
    from memcli.storage.sqlite.tables.migrations import migrations
    from memcli.system.files import sync_file, sync_folder

    if connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        _require_ours(connection, path)
    if is_copy:
        pass  # what it is a copy of stays as it is
    elif version:
        target = copy_path(path, CopyKind.UPGRADE, f"{version + 1}.{os.getpid()}")
        with making_copy(path, patience=busy_timeout), explained_os_errors(target):
            back_up(connection, part_of(target))
            sync_file(part_of(target))
            part_of(target).replace(target)
            sync_folder(target.parent)
    else:
        connection.execute(f"PRAGMA page_size = {PAGE_SIZE}")
        # Allows freeing unused pages a few at a time; must be set before the first table.
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        use_wal(connection, busy_timeout)
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have migrated it while this one waited for the lock.
        if schema_version(connection) < SCHEMA_VERSION:
            migrations().apply(Database(connection, execute_plugins=False))
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _is_ours(connection: sqlite.Connection) -> bool:
    return bool(connection.execute("PRAGMA application_id").fetchone()[0] == APPLICATION_ID)


def _has_memories(connection: sqlite.Connection) -> bool:
    return bool(connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'memories'").fetchone())


def _require_ours(connection: sqlite.Connection, path: Path) -> None:
    if not _is_ours(connection):
        raise StoreDamaged(
            f"{path}: a SQLite file, but not a memcli store",
            left="nothing was touched",
            by_hand="name another with --db or MEMCLI_DB",
        )


def use_wal(connection: sqlite.Connection, busy_timeout: float) -> None:
    """Switch the file to a write-ahead log. Waits `busy_timeout` seconds for other processes."""
    # Changing the journal mode does not wait for other processes by itself.
    deadline = time.monotonic() + busy_timeout
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)
