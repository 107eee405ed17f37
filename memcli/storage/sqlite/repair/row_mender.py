"""Row mender of one file: damaged rows are repaired if that can be proven, else reported, or accepted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import Any, Self

import sqlcipher3.dbapi2 as sqlite

from memcli.errors import StoreUnusable
from memcli.model import FIELD_NAMES, Event, Memory
from memcli.storage.digests import ALL, MEMORY, VECTOR, Digest, digest_of
from memcli.storage.known_copies import Records
from memcli.storage.reports import Repair
from memcli.storage.rows import EVENT_COLUMNS, UNREADABLE, event_from_row, is_readable, memory_from_row
from memcli.storage.sqlite.file.copies import find_copies
from memcli.storage.sqlite.file.errors import explained_errors
from memcli.storage.sqlite.file.opening import open_database
from memcli.storage.sqlite.repair.disk_errors import passing_damage
from memcli.storage.sqlite.repair.mender import Mender, Row, candidates, remembered_memory
from memcli.storage.sqlite.tables.digests import each_row, row_name, undecoded


class RowMender:
    """Repairs rows by what the file's history and its copies say; a context manager, which opens these."""

    def __init__(self, db: sqlite.Connection, path: Path, *, accept: bool) -> None:
        """`db` is where the history is read; `path` is the store, beside which its copies are."""
        self._db, self._accept = db, accept
        self._mender = Mender()
        self._stack = ExitStack()
        self._copies: list[sqlite.Connection] = []
        self._path = path
        self._mended: dict[str, None] = {}
        self._accepted: dict[str, None] = {}
        self._doubtful: dict[str, None] = {}
        self.lost: dict[str, None] = {}

    def __enter__(self) -> Self:
        with suppress(OSError):
            for copy in find_copies(self._path, Records({}, ())):
                if copy.whole:
                    with suppress(StoreUnusable), explained_errors(copy.path):
                        self._copies.append(self._stack.enter_context(closing(open_database(copy.path))))
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def report(self) -> Repair:
        """Return what was done so far."""
        return Repair(
            mended=tuple(self._mended), accepted=tuple(self._accepted), doubtful=tuple(self._doubtful),
            lost=tuple(self.lost),
        )  # fmt: skip

    def mend_all(self) -> None:
        """Repair the rows of the open store, in the current transaction, except vectors."""
        for digest in ALL:
            if digest is VECTOR:
                continue
            found = " AND ".join(f"{name} = ?" for name in digest.key)
            for key in [key for key, _, sound in each_row(self._db, digest) if not sound]:
                columns = [row[1] for row in self._db.execute(f"PRAGMA table_info({digest.table})")]
                with undecoded(self._db):
                    here = self._db.execute(f"SELECT * FROM {digest.table} WHERE {found}", key).fetchone()
                if here is None:
                    continue
                row = dict(zip(columns, here, strict=True))
                mended = self.mend(digest, row)
                if mended is None:
                    self._db.execute(f"DELETE FROM {digest.table} WHERE {found}", key)
                elif mended != row:
                    setting = ", ".join(f"{name} = ?" for name in mended)
                    self._db.execute(
                        f"UPDATE {digest.table} SET {setting} WHERE {found}", (*mended.values(), *key)
                    )
                    if digest is MEMORY and row_name(self._db, digest, row) in self._accepted:
                        # It may have been embedded with the damaged text.
                        self._db.execute("DELETE FROM vectors WHERE memory = ?", key)

    def mend(self, digest: Digest, row: Row) -> Row | None:
        """Return a damaged row as it is to be from now on, with all columns; None if it cannot be kept.

        Its digest is right if the row is repaired or accepted, else unchanged.
        """
        name = row_name(self._db, digest, row)
        covered = {each: row[each] for each in digest.covers}
        if proven := self._mender.mend(digest, covered, row[digest.column], self._elsewhere(digest, row)):
            self._mended[name] = None
            return {**row, **proven, digest.column: digest_of(digest, proven)}
        readable = is_readable(digest.table, row)
        if self._accept and readable:
            self._accepted[name] = None
            return {**row, digest.column: digest_of(digest, covered)}
        if self._accept:
            self.lost[name] = None
            return None
        self._doubtful[name] = None
        return row

    def give_up(self, digest: Digest, row: Row) -> None:
        """Count a row as lost because it cannot be read."""
        name = row_name(self._db, digest, row)
        self._doubtful.pop(name, None)
        self.lost[name] = None

    def events(self, memory_id: object) -> list[Event]:
        """Return the readable history lines of a memory, oldest first."""
        sql = f"SELECT number, {EVENT_COLUMNS} FROM history WHERE memory = ? ORDER BY number"
        found: list[Event] = []
        with passing_damage(), undecoded(self._db):
            for row in self._db.execute(sql, (memory_id,)).fetchall():
                with suppress(*UNREADABLE):
                    found.append(event_from_row(row))
        return found

    def remembered(self, memory_id: str) -> Memory | None:
        """Return a memory that is gone, from its history lines; None if they do not tell it."""
        columns = remembered_memory(self.events(memory_id))
        if columns is None:
            return None
        row = {**dict.fromkeys(FIELD_NAMES), "access_count": 0, "confirm_count": 0, **columns}
        row |= {name: float(row[name]) for name in ("confidence", "importance")}
        return memory_from_row([row[name] for name in FIELD_NAMES])

    def _elsewhere(self, digest: Digest, row: Mapping[str, Any]) -> Iterator[Row]:
        if digest is MEMORY:
            remembered = remembered_memory(self.events(row["id"]))
            yield from candidates({name: row[name] for name in digest.covers}, remembered)
        for copy in self._copies:
            with passing_damage(), undecoded(copy):
                yield from list(self._there(copy, digest, row))

    def _there(self, copy: sqlite.Connection, digest: Digest, row: Mapping[str, Any]) -> Iterator[Row]:
        """Yield the row with the same key or id in a copy of the store."""
        known = {each[1] for each in copy.execute(f"PRAGMA table_info({digest.table})")}
        columns = [name for name in digest.covers if name in known]
        ways = [digest.key, *([("id",)] if "id" in known else [])]
        for way in ways:
            found = " AND ".join(f"{name} = ?" for name in way)
            sql = f"SELECT {', '.join(columns)} FROM {digest.table} WHERE {found}"
            for there in copy.execute(sql, [row[name] for name in way]):
                yield {**dict.fromkeys(digest.covers), **dict(zip(columns, there, strict=True))}
