"""Salvage: read what can still be read of a damaged file, around broken pages, without a sound schema.

Everything is done on a copy of the file, which is brought into a state in which SQLite opens it: an invalid
header is rewritten, and so is the SQL of tables and indexes, which all stores share; their root pages are
searched for if the first page no longer says it (`first_page`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import sqlcipher3.dbapi2 as sqlite

from memcli.storage.digests import Digest
from memcli.storage.sqlite.checks.derived import is_newer, reference
from memcli.storage.sqlite.file.damage import HEADER_SIZE, PLAIN_HEAD, is_plain_file
from memcli.storage.sqlite.file.database_file import newer_store
from memcli.storage.sqlite.file.opening import PAGE_SIZE, known_key, open_database, salt_of
from memcli.storage.sqlite.repair.disk_errors import passing_damage, require_damage
from memcli.storage.sqlite.repair.first_page import restore_first_page
from memcli.storage.sqlite.repair.page_codes import seal_pages
from memcli.storage.sqlite.tables.digests import text_or_bytes, undecoded

# How many row numbers between two readable stretches of a table are tried one by one.
_GAP = 200_000


def open_damaged(copy: Path) -> sqlite.Connection:
    """Return a connection to a copy of a damaged store in which tables can be queried. Changes the copy.

    Raises what SQLite raises, WrongKey and NoKey, and NewerStore for one that is just newer.
    """
    if _mend_header(copy):
        restore_first_page(copy)
    _seal(copy)
    with closing(open_database(copy)) as db:
        # This opens even a truncated file, or one with an unparsable schema.
        db.execute("PRAGMA writable_schema = ON")
        # Before the schema is rewritten, by which unknown objects would be lost.
        check_not_newer(db, copy)
        _mend_schema(db)
    db = open_database(copy)
    db.execute("PRAGMA writable_schema = ON")
    try:
        check_not_newer(db, copy)
    except BaseException:
        db.close()
        raise
    return db


def check_not_newer(db: sqlite.Connection, path: Path) -> None:
    """Raise NewerStore if a newer memcli wrote the open file, as far as its schema can be read."""
    with passing_damage():
        if is_newer(db):
            raise newer_store(path, db)


def _seal(copy: Path) -> None:
    """Make SQLCipher return the damaged pages of an encrypted file, too, and those after them."""
    if salt := salt_of(copy):
        # Closing it writes the log into the file.
        open_database(copy).close()
        if key := known_key(salt):
            seal_pages(copy, key)


def _mend_header(copy: Path) -> bool:
    """Rewrite the parts of a plain file's header that all stores share; return True if it is plain.

    An encrypted one stays as it is.
    """
    is_plain = is_plain_file(copy)
    with copy.open("r+b") as file:
        head = file.read(HEADER_SIZE)
        if len(head) == HEADER_SIZE and not is_plain:
            return False
        pages = max(1, -(-file.seek(0, 2) // PAGE_SIZE))
        file.truncate(pages * PAGE_SIZE)
        for place, value in (
            (0, PLAIN_HEAD),
            # The size in pages, valid as of this change counter: SQLite opens no file that is shorter than
            # it says.
            (28, pages.to_bytes(4, "big")),
            (92, head[24:28].ljust(4, b"\0")),
            # The format of the schema, and UTF-8.
            (44, (4).to_bytes(4, "big")),
            (56, (1).to_bytes(4, "big")),
        ):
            file.seek(place)
            file.write(value)
    return True


def _mend_schema(db: sqlite.Connection) -> None:
    """Restore the SQL of each of memcli's objects, and its name if that is hardly changed."""
    wanted = reference().objects
    with undecoded(db):
        there = db.execute("SELECT rowid, type, name FROM sqlite_master").fetchall()
    missing = {name: kind for kind, name in wanted if (kind, name) not in {row[1:] for row in there}}
    for rowid, kind, name in there:
        key = (kind, name)
        if key not in wanted:
            close = get_close_matches(str(name), missing, n=1, cutoff=0.7)
            if not close or str(name).startswith("sqlite_"):
                continue
            key = (missing.pop(close[0]), close[0])
        table, sql = wanted[key]
        db.execute(
            "UPDATE sqlite_master SET type = ?, name = ?, tbl_name = ?, sql = ? WHERE rowid = ?",
            (*key, table, sql, rowid),
        )


def readable_rows(
    db: sqlite.Connection, digest: Digest, columns: Sequence[str], broken: set[str]
) -> Iterator[tuple[Any, ...]]:
    """Yield the readable rows of a table, each once: from both ends, then by keys known from indexes.

    Each is its key and these columns; the name of a table that cannot be read completely is added to
    `broken`.
    """
    size: int = len(digest.key)
    seen: set[Any] = set()
    select = f"SELECT {', '.join((*digest.key, *columns))} FROM {digest.table}"
    whole = True
    for order in ("ASC", "DESC"):
        by = ", ".join(f"{name} {order}" for name in digest.key)
        try:
            for row in _undecoded(db, f"{select} ORDER BY {by}"):
                if row[:size] not in seen:
                    seen.add(row[:size])
                    yield row
        except sqlite.Error as error:
            require_damage(error)
            whole = False
        if whole:
            return
    broken.add(digest.table)
    found = " AND ".join(f"{name} = ?" for name in digest.key)
    for key in _other_keys(db, digest, seen):
        if key not in seen:
            for row in _rows_of(db, f"{select} WHERE {found}", key):
                seen.add(row[:size])
                yield row


def _other_keys(db: sqlite.Connection, digest: Digest, seen: set[Any]) -> Iterator[tuple[Any, ...]]:
    """Yield keys of a table from its indexes or other tables, and row numbers between known ones."""
    table = digest.table
    if table == "links":
        yield from _each_way(db, "SELECT link FROM link_names ORDER BY link")
        return
    if table == "states":
        from memcli.storage.areas import ALL

        spaces = {key[0] for key in seen} | {row[0] for row in _each_way(db, "SELECT space FROM memories")}
        for space in {*spaces, "*", "calibration", "default"}:
            for area in ALL:
                sql = "SELECT space, area, key FROM states WHERE space = ? AND area = ? ORDER BY key"
                yield from _each_way(db, sql, (space, area.name))
        return
    number = digest.key[0]
    for index in _indexes(db, table):
        for row in _each_way(db, f"SELECT {number} FROM {table} INDEXED BY {index} WHERE {number} > 0"):
            yield row[:1]
    numbers = sorted(key[0] for key in seen)
    for low, high in zip([0, *numbers], [*numbers, (numbers or [0])[-1] + _GAP], strict=False):
        if high - low <= _GAP:
            yield from ((each,) for each in range(low + 1, high))


def known_ids(db: sqlite.Connection) -> set[str]:
    """Return the ids of memories that any index still holds."""
    found: set[str] = set()
    for index in _indexes(db, "memories"):
        found |= {row[0] for row in _each_way(db, f"SELECT id FROM memories INDEXED BY {index}")}
    return {each for each in found if isinstance(each, str)}


def _indexes(db: sqlite.Connection, table: str) -> list[str]:
    with passing_damage():
        return [f'"{row[1]}"' for row in db.execute(f"PRAGMA index_list({table})")]
    return []


def _each_way(db: sqlite.Connection, sql: str, values: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a query as far as they can be read; from the end, too, if it breaks."""
    for direction in ("", " DESC" if " ORDER BY " in sql else None):
        if direction is None:
            return
        try:
            yield from _undecoded(db, sql + direction, values)
        except sqlite.Error as error:
            require_damage(error)
            continue
        return


def _rows_of(db: sqlite.Connection, sql: str, key: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    """Return the row of a key, or none; damage is ignored.

    Called for hundreds of thousands of keys, most of which never existed, so it is no generator.
    """
    before = db.text_factory
    db.text_factory = text_or_bytes
    try:
        rows: list[tuple[Any, ...]] = db.execute(sql, key).fetchall()
        return rows
    except sqlite.Error as error:
        require_damage(error)
        return []
    finally:
        db.text_factory = before


def _undecoded(db: sqlite.Connection, sql: str, values: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    with undecoded(db):
        cursor = db.execute(sql, values)
        while rows := cursor.fetchmany(1):
            yield from rows
