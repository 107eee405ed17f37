"""One connection to a store's file: its transactions, and its statements with errors explained."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from memcli.errors import ReadOnlyStore
from memcli.storage.sqlite.file import connect, explained_errors

# Bound values in one statement; SQLite allows many more, Postgres' planner likes fewer.
_KEYS = 500
# Who waits for the file looks again after 1, 2, 5, 10, 15, 20 and then every 25 ms (SQLite's
# sqliteDefaultBusyCallback): in a gap this long (seconds) it is found free. One follows so much writing.
_GAP, _WRITTEN = 0.027, 0.03


class SqliteSession:
    """What `SqliteStore` runs its queries on."""

    def __init__(self, path: Path, *, create: bool = True, busy_timeout: float = 15.0) -> None:
        self.path = path
        self.location = str(path)
        self._busy_timeout = busy_timeout
        self._db, self.writable = connect(path, create=create, busy_timeout=busy_timeout)
        self._depth = 0
        # What the transaction at hand changed, for `system.activity_log`: action, change, memory.
        self._changed: list[tuple[str, str | None, str]] = []
        # Seconds that were spent writing since the last gap; None where no way is given.
        self._written: float | None = None

    def close(self) -> None:
        with explained_errors(self.path):
            self._db.close()

    @contextmanager
    def writing(self, patience: float | None = None) -> Iterator[None]:
        # Of what is written inside what is thrown away nothing stays.
        if not (self.writable or self._depth):
            raise ReadOnlyStore(
                f"{self.path}: may only be read: file or folder is not writable for you; nothing was changed"
            )
        if patience is None or self._depth:
            with self._transaction():
                yield
            return
        self._run(f"PRAGMA busy_timeout = {int(patience * 1000)}")
        self._run("PRAGMA synchronous = NORMAL")
        try:
            with self._transaction():
                yield
        finally:
            self._run("PRAGMA synchronous = FULL")
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
    def giving_way(self) -> Iterator[None]:
        self._written = 0.0
        try:
            yield
        finally:
            self._written = None

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
            if self._changed and "MEMCLI_LOG" in os.environ:
                from memcli.system.activity_log import note_committed

                note_committed(self._changed)

    def _run(self, sql: str, values: Any = ()) -> None:
        with explained_errors(self.path):
            self._db.execute(sql, values)

    def _rows(self, sql: str, values: Any = ()) -> list[Any]:
        with explained_errors(self.path):
            return list(self._db.execute(sql, values))

    def _among(
        self, sql: str, keys: Sequence[Any], tail: str = "", before: Sequence[Any] = ()
    ) -> Iterator[Any]:
        """The rows of a query that ends in `IN`, for any number of keys."""
        for start in range(0, len(keys), _KEYS):
            some = keys[start : start + _KEYS]
            yield from self._rows(f"{sql} ({', '.join('?' * len(some))}){tail}", [*before, *some])
