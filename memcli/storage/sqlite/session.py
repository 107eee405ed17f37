"""Session: one connection to a store's file, with its transactions and explained errors."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sqlcipher3.dbapi2 as sqlite

from memcli.errors import FlaggedStore, ReadOnlyStore, StoreBusy, StoreUnusable
from memcli.storage.row_reader import RowReader
from memcli.storage.sqlite.file.damage import flagged_store, is_flagged
from memcli.storage.sqlite.file.database_file import connect, connect_for_reading, use_wal
from memcli.storage.sqlite.file.errors import STAYS, UNCHANGED, explained_errors
from memcli.storage.sqlite.tables.digests import text_or_bytes
from memcli.system import deferred, written

if TYPE_CHECKING:
    from memcli.storage.walls import Role

# How many values one statement binds.
_KEYS = 500
# A waiting process looks again after 1, 2, 5, 10, 15, 20 and then every 25 ms (SQLite's
# sqliteDefaultBusyCallback), so it finds the file free in a gap of _GAP seconds. One follows _WRITTEN of
# writing.
_GAP, _WRITTEN = 0.027, 0.03
# How long (seconds) the first write tries to restore the write-ahead log.
_LOG_PATIENCE = 0.1


class SqliteSession(RowReader):
    """Runs the queries of `SqliteStore`."""

    # `scrub` reaches all its files, and a file knows no roles.
    unreached = ""
    role: Role | None = None

    def __init__(
        self,
        path: Path,
        *,
        create: bool = True,
        busy_timeout: float = 15.0,
        force: bool = False,
        is_copy: bool = False,
    ) -> None:
        super().__init__()
        self.path = path
        self.forced = force
        self.location = str(path)
        # Side files are beside the real file, whatever the name.
        self.file = Path(os.path.realpath(path))
        self._busy_timeout = busy_timeout
        self._db, self.hindrance = self._connected(path, create=create, is_copy=is_copy, force=force)
        if self.hindrance is None and not force and is_flagged(path):
            self.hindrance = flagged_store(path)
        # True if the file has a write-ahead log, or was asked to.
        self._has_log = False
        # True after a commit that is durable; notes of use do not count.
        self._committed = False
        self._noted = False
        self._depth = 0
        # Our own descriptor of the file, for reading its bytes; kept open, since closing it would release
        # every lock of this process on the file (https://www.sqlite.org/howtocorrupt.html, 2.2).
        self._held: int | None = None
        # Changes of the current transaction, for `system.activity_log`: action, change, memory.
        self._changed: list[tuple[str, str | None, str]] = []
        # Seconds spent writing since the last gap; None outside of `giving_way`.
        self._written: float | None = None

    def _connected(
        self, path: Path, *, create: bool, is_copy: bool, force: bool
    ) -> tuple[sqlite.Connection, ReadOnlyStore | FlaggedStore | None]:
        if not is_copy:
            return connect(path, create=create, busy_timeout=self._busy_timeout, force=force)
        connection = connect_for_reading(path, busy_timeout=self._busy_timeout)
        return connection, ReadOnlyStore(
            f"{path}: a copy of a store, which is only read", left="nothing was changed"
        )

    @property
    def connection(self) -> sqlite.Connection:
        """The connection itself, for checks and repairs of the file."""
        return self._db

    def close(self) -> None:
        if self._committed:
            written.note()
        # The last connection writes the log into the file when it closes, and waits for the disk. A mere
        # note of use is not worth waiting for.
        if self._noted and not self._committed and deferred.is_enabled():
            there = self.file.stat()
            deferred.defer(lambda: self._close_if_still(there))
        else:
            self._close()

    def _close(self) -> None:
        with self._explained():
            self._db.close()
        if self._held is not None:
            os.close(self._held)
            self._held = None

    def _close_if_still(self, there: os.stat_result) -> None:
        """Close, unless another file has taken the store's place, whose log must not be removed."""
        self._run("PRAGMA wal_checkpoint")
        if os.path.samestat(self.file.stat(), there):
            self._close()

    @contextmanager
    def writing(self, patience: float | None = None) -> Iterator[None]:
        # Writing is allowed inside a transaction that is rolled back.
        if self.hindrance and not self._depth:
            raise self.hindrance
        if not (self._has_log or self._depth):
            self._have_log_back()
        if patience is None or self._depth:
            with self._transaction():
                yield
            return
        committed = self._committed
        with self._waiting(patience):
            self._run("PRAGMA synchronous = NORMAL")
            try:
                with self._transaction():
                    yield
            finally:
                self._committed, self._noted = committed, True
                self._run("PRAGMA synchronous = FULL")

    def _have_log_back(self) -> None:
        """Restore the file's write-ahead log, if an interrupted conversion (full disk) removed it."""
        self._has_log = True
        if self._rows("PRAGMA journal_mode")[0][0] == "delete":
            with suppress(sqlite.Error):
                use_wal(self._db, _LOG_PATIENCE)

    @contextmanager
    def _waiting(self, patience: float | None) -> Iterator[None]:
        """Inside, other processes are waited for so many seconds; None: as usual."""
        if patience is not None:
            self._run(f"PRAGMA busy_timeout = {int(patience * 1000)}")
        try:
            yield
        finally:
            if patience is not None:
                self._run(f"PRAGMA busy_timeout = {int(self._busy_timeout * 1000)}")

    @contextmanager
    def discarding(self) -> Iterator[None]:
        self._run("BEGIN IMMEDIATE")
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1
            if self._db.in_transaction:
                self._run("ROLLBACK")

    @contextmanager
    def reading(self) -> Iterator[None]:
        self._run("BEGIN")
        try:
            self._rows("SELECT count(*) FROM sqlite_master")  # the first read fixes the snapshot
            yield
        finally:
            if self._db.in_transaction:
                self._run("ROLLBACK")

    @contextmanager
    def giving_way(self) -> Iterator[None]:
        self._written = 0.0
        try:
            yield
        finally:
            self._written = None

    @contextmanager
    def alone(
        self,
        errand: str,
        *,
        busy: str,
        patience: float | None = None,
        waiting: Callable[[str], None] = lambda line: None,
    ) -> Iterator[int]:
        from memcli.system.locks import hold_lock

        with ExitStack() as holding:
            held = hold_lock(self._lock(errand), busy=busy, patience=patience, waiting=waiting)
            try:
                descriptor = holding.enter_context(held)
            except StoreBusy:
                raise
            except StoreUnusable as error:
                # Beside a read-only store no lock file can be made: that is the true cause.
                raise self.hindrance or error from error
            yield descriptor

    def is_under_way(self, errand: str) -> bool:
        from memcli.system.locks import is_locked

        return is_locked(self._lock(errand))

    def _lock(self, errand: str) -> Path:
        # One lock for all names of the store.
        return Path(f"{self.file}{errand}")

    def walls(self) -> None:
        return None

    def listening(self) -> AbstractContextManager[None]:
        return nullcontext()

    def place(self) -> dict[str, str]:
        from memcli.storage.sqlite.file.place import place_of

        return place_of(self.file)

    def revision(self) -> int:
        [(number,)] = self._rows("PRAGMA data_version")
        return int(number)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        if self._depth or self._written is None:
            with self._nested():
                yield
            return
        if self._written >= _WRITTEN:
            time.sleep(_GAP)
            self._written = 0.0
        began = time.monotonic()
        with self._nested():
            yield
        self._written += time.monotonic() - began

    @contextmanager
    def _nested(self) -> Iterator[None]:
        if self._depth == 0:
            self._run("BEGIN IMMEDIATE")
            self._changed.clear()
        self._depth += 1
        try:
            yield
        except BaseException:
            self._depth -= 1
            if self._depth == 0 and self._db.in_transaction:
                self._run("ROLLBACK")
            raise
        self._depth -= 1
        if self._depth == 0:
            try:
                self._run("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._run("ROLLBACK")
                raise
            self._committed = True
            if self._changed and "MEMCLI_LOG" in os.environ:
                from memcli.system.activity_log import note_committed

                note_committed(self._changed)

    def _explained(self) -> AbstractContextManager[None]:
        """Inside, SQLite's errors are explained in a line that says whether anything was changed."""
        return explained_errors(self.path, kept=self._kept)

    def _kept(self) -> str:
        """Return what holds for the store if something fails now."""
        return STAYS if self._committed else UNCHANGED

    def _run(self, sql: str, values: Any = ()) -> None:
        with self._explained():
            self._db.execute(sql, values)

    def _rows(self, sql: str, values: Any = ()) -> list[Any]:
        with self._explained():
            try:
                return list(self._db.execute(sql, values))
            except sqlite.OperationalError as error:
                self._read_undecoded(error)
                return list(self._db.execute(sql, values))

    def _each(self, sql: str, values: Any = ()) -> Iterator[Any]:
        """Yield the rows of a query lazily."""
        given = 0
        with self._explained():
            try:
                for row in self._db.execute(sql, values):
                    yield row
                    given += 1
            except sqlite.OperationalError as error:
                self._read_undecoded(error)
                # Run again, and skip the rows that were yielded already.
                yield from islice(self._db.execute(sql, values), given, None)

    def _read_undecoded(self, error: sqlite.OperationalError) -> None:
        """From now on read text that is not UTF-8 as bytes; raise any other error again.

        Not from the start: it is slower, and only a damaged store holds such texts.
        """
        # Recognisable only by the driver's message.
        if not str(error).startswith("Could not decode"):
            raise error
        self._db.text_factory = text_or_bytes

    def _among(
        self, sql: str, keys: Sequence[Any], tail: str = "", before: Sequence[Any] = ()
    ) -> Iterator[Any]:
        """Yield the rows of a query that ends in `IN`, for any number of keys."""
        for start in range(0, len(keys), _KEYS):
            some = keys[start : start + _KEYS]
            yield from self._rows(f"{sql} ({', '.join('?' * len(some))}){tail}", [*before, *some])
