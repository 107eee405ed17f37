"""Session: one connection to a store's database, with its transactions and explained errors."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any

import psycopg

from memcli.config.location import Address
from memcli.errors import FlaggedStore, NotFound, ReadOnlyStore, StoreUnusable
from memcli.messages import Command, message
from memcli.storage.conditions import Dialect
from memcli.storage.postgres.alone import alone, is_held
from memcli.storage.postgres.connection import connect, open_store_at
from memcli.storage.postgres.errors import (
    NOTHING_CHANGED,
    ConnectionLost,
    OutcomeUnknown,
    explained_errors,
    flagged_store,
)
from memcli.storage.postgres.listener import PostgresListener, listening
from memcli.storage.row_reader import RowReader
from memcli.storage.walls import Role
from memcli.system import written

POSTGRES = Dialect(
    "%s", "m.tag_names @> ARRAY[%s]::text[]",
    "({until})::timestamptz - ({since})::timestamptz >= interval '{days} days'",
    "strpos(m.data, %s) > 0",
)  # fmt: skip
# How many keys one statement takes; and how many rows a portion of a lazily read answer has: few at first.
_KEYS = 2000
_PORTIONS = (200, 2000)
# How long a process that stalls within a transaction can block others.
_IDLE = "5min"
# How long (seconds) to try reaching the server again, to ask about the outcome of a transaction.
_ASKED = 15.0
# The notification channel, which gets the number of each transaction that wrote.
CHANNEL = "memcli_changes"


class PostgresSession(RowReader):
    """Runs the queries of `PostgresStore`."""

    path: Path | None = None
    role: Role | None

    def __init__(
        self, address: Address, *, create: bool = True, busy_timeout: float = 15.0, force: bool = False
    ) -> None:
        super().__init__()
        self.address = address
        self.location = str(address)
        self.forced = force
        self._busy_timeout = busy_timeout
        self._db, self.hindrance, self.role = open_store_at(address, create=create, force=force)
        self._depth = 0
        # True while the current write is in the count of all writes, but not yet in that of own writes.
        self._is_counted = False
        # True if many rows may be written by COPY, which a server refuses to roles under row-level security.
        self._may_copy = False
        # How many transactions of this session wrote; the count of all writes includes them.
        self._own_writes = 0
        self._transaction_id: int | None = None
        # Changes of the current transaction, for `system.activity_log`: action, change, memory.
        self._changed: list[tuple[str, str | None, str]] = []
        self._committed = False
        self._gives_way = False

    @property
    def connection(self) -> psycopg.Connection[tuple[Any, ...]]:
        """The connection itself, for checks of the database."""
        return self._db

    @property
    def is_writing(self) -> bool:
        """True if a writing transaction is under way."""
        return self._depth > 0

    def close(self) -> None:
        if self._committed:
            written.note()
        self._db.close()

    # Transactions

    @contextmanager
    def writing(self, patience: float | None = None) -> Iterator[None]:
        if self._depth:
            yield
            return
        if self.hindrance:
            raise self.hindrance
        if self._gives_way:
            time.sleep(0)  # the server lets waiting writers in, in order of asking
        self._begin(patience)
        try:
            yield
        except BaseException:
            self._depth = 0
            self._roll_back()
            raise
        self._depth = 0
        self._is_counted = False
        self._commit()
        self._own_writes += 1
        if patience is None:
            self._committed = True
        if self._changed and "MEMCLI_LOG" in os.environ:
            from memcli.system.activity_log import note_committed

            note_committed(self._changed)

    @contextmanager
    def discarding(self) -> Iterator[None]:
        if self.hindrance and not isinstance(self.hindrance, FlaggedStore):
            # A rolled-back write needs the right to write all the same.
            raise self.hindrance
        self._begin(None)
        try:
            yield
        finally:
            self._depth = 0
            self._roll_back()

    @contextmanager
    def reading(self) -> Iterator[None]:
        self._run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1
            self._roll_back()

    @contextmanager
    def giving_way(self) -> Iterator[None]:
        # Writers that wait for the row of `memcli.writes` get it before this one asks again.
        self._gives_way = True
        try:
            yield
        finally:
            self._gives_way = False

    def _begin(self, patience: float | None) -> None:
        """Begin a transaction as the only writer.

        Read committed: what is read after the lock is the last committed state, and nobody else commits.
        """
        waits = self._busy_timeout if patience is None else patience
        # A lock timeout of 0 would be none.
        sql = (
            "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; "
            f"SET LOCAL lock_timeout = {max(1, int(waits * 1000))}; "
            f"SET LOCAL idle_in_transaction_session_timeout = '{_IDLE}'; "
            + ("SET LOCAL synchronous_commit = off; " if patience is not None else "")
            + "UPDATE memcli.writes SET number = number + 1 "
            # Valid for this transaction: nobody enables row-level security while the row is locked.
            "RETURNING pg_current_xact_id()::text::bigint, NOT row_security_active('memcli.memories')"
        )
        self._changed.clear()
        with self._explained():
            try:
                cursor = self._execute(sql)
                while cursor.nextset():
                    pass
                [(self._transaction_id, self._may_copy)] = cursor.fetchall()
            except psycopg.Error:
                self._roll_back()
                raise
        self._depth = 1
        self._is_counted = True

    def _commit(self) -> None:
        try:
            self._db.execute(f"NOTIFY {CHANNEL}; COMMIT".encode())
        except psycopg.Error as error:
            with self._explained():
                if error.sqlstate is None or self._db.closed:
                    self._settle()
                    return
                self._roll_back()
                raise

    def _settle(self) -> None:
        """Ask, over another connection, for the outcome of the transaction whose commit got no answer."""
        deadline = time.monotonic() + _ASKED
        while True:
            status = ""
            with suppress(StoreUnusable, NotFound, psycopg.Error):
                status = self._status_of_last()
            if status == "committed":
                return
            if status == "aborted":
                raise ConnectionLost(
                    f"{self.location}: the connection to the server was lost, and it undid the change",
                    left=self._kept(),
                )
            if time.monotonic() > deadline:
                break
            time.sleep(0.2)
        raise OutcomeUnknown(
            message(
                f"{self.location}: the connection was lost while the change was committed, and the server "
                "does not say what became of it: look (",
                Command("history"),
                ") before you do it again",
            )
        )

    def _status_of_last(self) -> str:
        other = connect(self.address)
        try:
            sql = "SELECT pg_xact_status(%s::text::xid8)"
            [(status,)] = other.execute(sql, (str(self._transaction_id),)).fetchall()
        except BaseException:
            other.close()
            raise
        self._db.close()
        self._db = other
        return str(status)

    def _roll_back(self) -> None:
        self._is_counted = False
        with suppress(psycopg.Error):
            if self._db.info.transaction_status:
                self._db.execute("ROLLBACK")

    @contextmanager
    def _setting(self, settings: Mapping[str, Any]) -> Iterator[None]:
        """Inside, the server's settings are these; in a transaction of its own, at whose end they end."""
        begin, end = "BEGIN", "ROLLBACK"
        if self._db.info.transaction_status:
            begin, end = "SAVEPOINT setting", "ROLLBACK TO setting; RELEASE setting"
        # One round trip; names and values are this program's own, so they need no binding.
        self._run("; ".join([begin, *(f"SET LOCAL {name} = '{value}'" for name, value in settings.items())]))
        try:
            yield
        finally:
            with suppress(psycopg.Error):
                self._db.execute(end.encode())

    def revision(self) -> int:
        [(number,)] = self._rows("SELECT number FROM memcli.writes")
        # The number includes own writes: earlier ones and, inside `writing()`, the current one.
        return int(number) - self._own_writes - self._is_counted

    # Being alone

    @contextmanager
    def alone(
        self,
        errand: str,
        *,
        busy: str,
        patience: float | None = None,
        waiting: Callable[[str], None] = lambda line: None,
    ) -> Iterator[int | None]:
        with alone(self.address, errand, busy, patience, waiting):
            yield None

    def is_under_way(self, errand: str) -> bool:
        with self._explained():
            return is_held(self._db, errand)

    def listening(self) -> AbstractContextManager[PostgresListener | None]:
        return listening(self.address, CHANNEL)

    def place(self) -> dict[str, str]:
        sql = "SELECT current_database()::text, (SELECT system_identifier FROM pg_control_system())::text"
        try:
            [(name, system)] = self._rows(sql)
        except ReadOnlyStore:  # a role may lack the right to look
            [(name, system)] = [(self.location, "")]
        return {"host": "", "path": str(name), "file": "", "machine": str(system)}

    # Statements

    def _kept(self) -> str:
        return "what was written before that stays" if self._committed else NOTHING_CHANGED

    def _explained(self) -> Any:
        """Inside, errors of the driver are explained in a line that says whether anything was changed."""
        return explained_errors(self.location, self._kept)

    def _run(self, sql: str, values: Any = None) -> int:
        """Run a statement; return how many rows it changed."""
        with self._explained():
            return self._execute(sql, values).rowcount

    def _run_each(self, sql: str, values: Sequence[Any]) -> int:
        """Run a statement once for each of these, in one round trip; return how many rows it affected."""
        if not values:
            return 0
        with self._explained(), self._db.cursor() as cursor:
            cursor.executemany(sql.encode(), values)
            return cursor.rowcount

    def _copy(
        self, table: str, columns: str, rows: Iterable[Sequence[Any]], types: Sequence[str] = ()
    ) -> None:
        """Add rows to a table as a stream; with `types` in binary form."""
        form = " (FORMAT BINARY)" if types else ""
        sql = f"COPY memcli.{table} ({columns}) FROM STDIN{form}".encode()
        with self._explained(), self._db.cursor() as cursor, cursor.copy(sql) as stream:
            if types:
                stream.set_types(list(types))
            for row in rows:
                stream.write_row(row)

    def _rows(self, sql: str, values: Any = None, *, binary: bool = False) -> list[Any]:
        with self._explained():
            return self._execute(sql, values, binary=binary).fetchall()

    def _execute(self, sql: str, values: Any = None, *, binary: bool = False) -> psycopg.Cursor[Any]:
        # As bytes, since the driver's types accept only literals as text; all values are bound.
        try:
            return self._db.execute(sql.encode(), values, binary=binary)
        except psycopg.OperationalError:
            # A restarted server, or a pooler, drops idle connections; reconnect outside of transactions.
            if not self._db.closed or self._depth:
                raise
            self._db = connect(self.address)
            return self._db.execute(sql.encode(), values, binary=binary)

    def _portions(
        self,
        sql: str,
        values: Sequence[Any],
        key: Sequence[str],
        places: Sequence[int],
        *,
        descending: bool = False,
        limit: int | None = None,
        binary: bool = False,
    ) -> Iterator[Any]:
        """Yield the rows of a query that ends in a condition, in the order of a unique key.

        Read in portions, each after the last row: nothing is held on the server in between. `places` are
        the positions of the key in a row.
        """
        order = ", ".join(f"{column} DESC" if descending else column for column in key)
        after = f" AND ({', '.join(key)}) {'<' if descending else '>'} ({', '.join(['%s'] * len(key))})"
        left, last, size = limit, None, _PORTIONS[0]
        while left is None or left > 0:
            here = size if left is None else min(size, left)
            bound = [*values, *(last or ()), here]
            query = f"{sql}{after if last else ''} ORDER BY {order} LIMIT %s"
            rows = self._rows(query, bound, binary=binary)
            yield from rows
            if len(rows) < here:
                return
            last = [rows[-1][place] for place in places]
            left, size = None if left is None else left - here, _PORTIONS[1]

    def _among(
        self, sql: str, keys: Sequence[Any], tail: str = "", before: Sequence[Any] = ()
    ) -> Iterator[Any]:
        """Yield the rows of a query that ends in `= ANY`, for any number of keys."""
        for start in range(0, len(keys), _KEYS):
            yield from self._rows(f"{sql} (%s){tail}", [*before, list(keys[start : start + _KEYS])])

    # Damage

    def flag(self, found: Iterable[str]) -> None:
        sql = "INSERT INTO memcli.damage (found) VALUES (%s) ON CONFLICT DO NOTHING"
        with suppress(StoreUnusable):
            self._run_each(sql, [(line,) for line in found])
        if not (self.forced or self.hindrance):
            self.hindrance = flagged_store(self.location)

    def clear_flag(self) -> None:
        with suppress(StoreUnusable):
            self._run("DELETE FROM memcli.damage")
        if isinstance(self.hindrance, FlaggedStore):
            self.hindrance = None
