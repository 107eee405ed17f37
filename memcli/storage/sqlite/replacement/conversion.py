"""Conversion of a file in place: encrypt, decrypt, or change its key; atomic, whenever it is interrupted.

The new file is written beside the old one, compared with it row by row, and renamed to its name. What keeps
writers away meanwhile:

- The lock `STORE.conversion` exists as long as it lasts, and processes that open the store wait for
  it (`conversion_lock`). It outlives a holder that was killed, and the next one cleans up.
- Processes that have the store open already are waited for: in WAL mode every connection holds a shared
  lock from its first read to its end, so that only the last one can leave WAL mode. From then on
  until the rename the file is locked exclusively: nobody writes into a file without a name.
- A process that opened the old file in the instant between finds random bytes, and opens again (`opening`).

The old file, and its log, are overwritten before they are released. On flash and on copy-on-write file
systems the old blocks may survive that; only full-disk encryption helps there.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from itertools import zip_longest
from pathlib import Path
from typing import IO

import sqlcipher3.dbapi2 as sqlite

from memcli.errors import StoreBusy, StoreDamaged, StoreUnusable
from memcli.messages import Command, message
from memcli.storage.encryption import Converted, FileKey
from memcli.storage.sqlite.file.conversion_lock import (
    NEW,
    OLD,
    beside,
    clean_up_file,
    converting,
    overwrite,
    shred,
    sync_whole,
)
from memcli.storage.sqlite.file.copies import has_only_log, making_copy, real_file
from memcli.storage.sqlite.file.database_file import use_wal
from memcli.storage.sqlite.file.errors import UNCHANGED, explained_errors
from memcli.storage.sqlite.file.opening import (
    PAGE_SIZE,
    create_database,
    key_literal,
    learn_key,
    open_database,
    salt_of,
)
from memcli.storage.sqlite.store import SqliteStore
from memcli.system.files import sync_folder
from memcli.system.temporary import remove_all_abandoned

_POLL = 0.01


def convert_store(path: Path, target: FileKey | None, patience: float) -> Converted:
    """See `storage.encryption.convert_store`."""
    file = real_file(path)
    remove_all_abandoned()
    with making_copy(file, patience=patience):
        with closing(SqliteStore(file, create=False, busy_timeout=patience)) as store:
            if store.hindrance:
                raise store.hindrance
            copies = [copy.path for copy in store.copies()]
        if target:
            learn_key(target.salt, target.key)
        done: list[Path] = []
        left: list[tuple[Path, str]] = []
        kept: list[tuple[Path, str]] = []

        def convert_copies() -> None:
            for copy in copies:
                try:
                    if _needs(copy, target):
                        kept.extend(convert(copy, target, patience))
                        done.append(copy)
                except StoreUnusable as error:
                    left.append((copy, error.in_passing()))
                except OSError as error:
                    left.append((copy, str(error)))

        with converting(file, copies, patience):
            with explained_errors(file):
                salt = salt_of(file)
            if target and salt == target.salt:
                convert_copies()
                return Converted(tuple(done), tuple(left), tuple(kept))
            # Copies first when encrypting: an encrypted store must not have plain copies that nobody was
            # told of.
            kept += convert(file, target, patience, convert_copies if target else lambda: None)
            if not target:
                convert_copies()
    return Converted(tuple(done), tuple(left), tuple(kept))


def _needs(copy: Path, target: FileKey | None) -> bool:
    """True if a copy has to be converted. Raises StoreUnusable if it cannot be."""
    with explained_errors(copy):
        salt = salt_of(copy)
    if not copy.exists():
        raise StoreUnusable(f"{copy}: is out of reach, and stays as it is")
    if has_only_log(copy):
        raise StoreUnusable(f"{copy}: is empty but for its log, and stays as it is; rm {copy} {copy}-wal")
    return salt != (target.salt if target else None) and copy.stat().st_size > 0


def convert(
    path: Path, target: FileKey | None, patience: float, before: Callable[[], None] = lambda: None
) -> list[tuple[Path, str]]:
    """Replace the file at `path` by the same content encrypted with `target`, or plain for None.

    Returns what could not be overwritten afterwards, with the reason. `before` is called when the new file
    is ready, and nobody else can have the old one open. Raises StoreBusy if others have it open for
    `patience` seconds, StoreUnusable if there is no room, StoreDamaged if the new file is not the same:
    then all is as it was.
    """
    if path.stat().st_nlink > 1:
        raise StoreUnusable(
            f"{path}: the file has another name as well (a hard link), which would keep the old content",
            left="nothing was touched",
            advice="remove that name",
        )
    new, old = beside(path, NEW), beside(path, OLD)
    there = path.stat()
    nameless: IO[bytes] | None = None
    stays = UNCHANGED
    with explained_errors(path):
        connection = open_database(path, timeout=patience)
    try:
        # The log is opened before SQLite removes it, so that it can still be overwritten.
        with _kept_log(path) as log:
            with explained_errors(path):
                was_wal = connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
            try:
                with explained_errors(path):
                    _lock_exclusively(connection, path, patience, was_wal=was_wal)
                with explained_errors(new):
                    _write_new(connection, path, new, target, was_wal)
                stays = "it is as it was, copies of it may be converted by now; run the same again"
                before()
                nameless = _kept_beside(path, old)
                if os.name == "nt":  # open files cannot be replaced there
                    connection.close()
                new.replace(path)
            except BaseException:
                if os.path.samestat(there, path.stat()):
                    clean_up_file(path)
                    connection.close()
                    if was_wal:
                        _have_log_back(path, patience)
                raise
            # The conversion is done; later failures do not undo it.
            with suppress(OSError):
                sync_folder(path.parent)
            return [*_overwritten(log, nameless, path), *_shredded(old)]
    except OSError as error:
        raise StoreUnusable(f"{path}: cannot be converted ({error.strerror})", left=stays) from error
    except StoreUnusable as error:
        error.rename(new, path)  # the file is there under the new name, for whoever reads the error
        raise
    finally:
        connection.close()
        if nameless:
            nameless.close()


def _overwritten(log: IO[bytes] | None, nameless: IO[bytes] | None, path: Path) -> Iterator[tuple[Path, str]]:
    """Overwrite files that have lost their names; yield what cannot be overwritten, with the reason."""
    for file, what in ((log, "its log"), (nameless, "the old file")):
        try:
            if file:
                overwrite(file)
        except OSError as error:
            yield path, f"{what} is removed, and could not be overwritten ({error.strerror})"


def _shredded(old: Path) -> Iterator[tuple[Path, str]]:
    try:
        shred(old)
    except OSError as error:
        yield old, f"the file as it was before; it could not be overwritten ({error.strerror}): remove it"


def _kept_beside(path: Path, old: Path) -> IO[bytes] | None:
    """Keep the old file until it is overwritten: by another name, or by an open descriptor."""
    try:
        old.hardlink_to(path)
    except OSError:
        if os.name != "nt":
            return path.open("r+b", buffering=0)
    return None


def _lock_exclusively(connection: sqlite.Connection, path: Path, patience: float, *, was_wal: bool) -> None:
    """Wait until nobody else has the file open, and lock it; it has no log then."""
    deadline = time.monotonic() + patience
    connection.execute("PRAGMA busy_timeout = 0")
    while was_wal:
        try:
            # Fails while another connection exists, and does not wait by itself.
            if connection.execute("PRAGMA journal_mode = DELETE").fetchone()[0] == "delete":
                break
        except sqlite.OperationalError:
            pass
        if time.monotonic() > deadline:
            raise StoreBusy(
                f"{path}: another process has the store open and did not end in time",
                left="nothing was changed",
                by_hand="try again, or raise MEMCLI_BUSY_TIMEOUT",
            )
        time.sleep(_POLL)
    connection.execute(f"PRAGMA busy_timeout = {int(patience * 1000)}")
    connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    connection.execute("BEGIN EXCLUSIVE")
    connection.execute("COMMIT")  # the lock stays


def _write_new(
    connection: sqlite.Connection, path: Path, new: Path, target: FileKey | None, wal: bool
) -> None:
    there = path.stat()
    os.close(os.open(new, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    with suppress(OSError, AttributeError):
        os.chown(new, there.st_uid, there.st_gid)
    literal = key_literal(target.key, target.salt) if target else ""
    connection.execute("PRAGMA cipher_log_level = NONE")  # it would write to stderr
    connection.execute(f"PRAGMA cipher_default_page_size = {PAGE_SIZE}")
    # The key is bound, so that no statement text contains it.
    connection.execute("ATTACH ? AS new KEY ?", (str(new), literal))
    # No syncs while writing: the file counts only when complete, and is synced then.
    connection.execute("PRAGMA new.synchronous = OFF")
    connection.execute("PRAGMA new.journal_mode = OFF")
    if not target:
        connection.execute(f"PRAGMA new.page_size = {PAGE_SIZE}")
    for pragma in ("auto_vacuum", "secure_delete"):
        connection.execute(f"PRAGMA new.{pragma} = {_number(connection, pragma)}")
    connection.execute("SELECT sqlcipher_export('new')")
    for pragma in ("user_version", "application_id"):
        connection.execute(f"PRAGMA new.{pragma} = {_number(connection, pragma)}")
    _compare(connection, new)
    connection.execute("DETACH new")
    with closing(create_database(new, target.key, target.salt) if target else open_database(new)) as again:
        if again.execute("PRAGMA quick_check").fetchone()[0] != "ok":
            raise StoreDamaged(
                f"{path}: what was written does not pass SQLite's check", left="nothing was changed"
            )
        if wal:
            use_wal(again, 1)
    sync_whole(new)


def _number(connection: sqlite.Connection, pragma: str) -> int:
    return int(connection.execute(f"PRAGMA {pragma}").fetchone()[0])


def _compare(connection: sqlite.Connection, new: Path) -> None:
    """Raise StoreDamaged unless every row of every table is in the new file, and nothing else."""
    schema = "SELECT type, name, tbl_name, sql FROM {}.sqlite_master ORDER BY type, name"
    before = connection.execute(schema.format("main")).fetchall()
    same = before == connection.execute(schema.format("new")).fetchall()
    # Virtual tables keep their content in other tables, which are compared.
    tables = [name for kind, name, _, sql in before if kind == "table" and "VIRTUAL" not in (sql or "")[:20]]
    for table in tables if same else ():
        rows = (connection.execute(f'SELECT * FROM {side}."{table}"') for side in ("main", "new"))
        same = same and all(old == fresh for old, fresh in zip_longest(*rows))
    if not same:
        raise StoreDamaged(
            f"{new}: is not the same as the store",
            left="nothing was changed",
            by_hand=message("run ", Command("doctor")),
        )


def _have_log_back(path: Path, patience: float) -> None:
    """Restore WAL mode by a connection of its own: the failed one may have the new file attached."""
    with suppress(sqlite.Error, StoreUnusable), closing(open_database(path, timeout=patience)) as connection:
        use_wal(connection, patience)


@contextmanager
def _kept_log(path: Path) -> Iterator[IO[bytes] | None]:
    log = beside(path, "-wal")
    if sys.platform == "win32" or not log.exists():
        yield None
        return
    with log.open("r+b", buffering=0) as file:
        yield file
