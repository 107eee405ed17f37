"""First page of a plain file, rebuilt if it no longer says which tables there are and where.

The SQL of a table is known, since all stores share it, but not on which page the table begins. In SQLite's
format each page says what it is (https://www.sqlite.org/fileformat2.html#b_tree_pages), and an interior
page which pages are below it: a page with none above it is a root. Which table it belongs to is shown by
the digests of its rows. Used only on a copy from which is salvaged.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path

import sqlcipher3.dbapi2 as sqlite

from memcli.storage import digests
from memcli.storage.digests import Digest, digest_of
from memcli.storage.sqlite.checks.derived import reference
from memcli.storage.sqlite.file.damage import HEADER_SIZE
from memcli.storage.sqlite.file.opening import PAGE_SIZE, open_database
from memcli.storage.sqlite.repair.disk_errors import passing_damage, require_damage
from memcli.storage.sqlite.tables.digests import undecoded

# The kinds of b-tree pages, by their first byte: interior ones, and leaves of an index and of a table. A
# table WITHOUT ROWID is stored as an index.
_INNER, _LEAF_OF_INDEX, _LEAF_OF_TABLE = (2, 5), 10, 13
# Offsets in an interior page: the number of cells, the right-most child, and the first cell.
_CELLS, _LAST, _FIRST_CELL = 3, 8, 12
# An empty leaf of a table: no free block, no cell, and a content area that begins at the page's end.
_EMPTY_LEAF = bytes((_LEAF_OF_TABLE, 0, 0, 0, 0)) + PAGE_SIZE.to_bytes(2, "big") + bytes(1)
# The salvaged tables, and how many rows are tried to tell if one begins on a page: a row with a right digest
# belongs to the table, even in a page that was freed.
_TABLES = (digests.MEMORY, digests.LINK, digests.STATE, digests.HISTORY, digests.MODEL, digests.VECTOR)
_TELLING = 20
# The table of migrations, by which a newer memcli's file is recognised.
_STEPS = "_sqlite_migrations"


def restore_first_page(copy: Path) -> None:
    """Rebuild the schema of a closed plain file with a sound header, if it names no tables.

    Raises SQLite's errors, except those from damage.
    """
    if _names_tables(copy):
        return
    begins, empty = _beginnings(copy)
    with copy.open("r+b") as file:
        file.seek(HEADER_SIZE)
        file.write(_EMPTY_LEAF.ljust(PAGE_SIZE - HEADER_SIZE, b"\0"))
    wanted = reference().objects
    with closing(open_database(copy)) as db:
        db.execute("PRAGMA writable_schema = ON")
        for table in (_STEPS, *(each.table for each in _TABLES)):
            digest = next((each for each in _TABLES if each.table == table), None)
            found = {page: _proven(db, digest, wanted["table", table][1], page) for page in begins}
            page = max(found, key=lambda each: found[each], default=0)
            if not found.get(page):
                # No page has rows of it; an empty page of its kind may be its root.
                kind = _LEAF_OF_INDEX if "WITHOUT ROWID" in wanted["table", table][1] else _LEAF_OF_TABLE
                page = next((each for each in begins if empty.get(each) == kind), 0)
            if page:
                _place(db, table, wanted["table", table][1], page)
                begins.remove(page)


def _names_tables(copy: Path) -> bool:
    with passing_damage(), closing(open_database(copy)) as db:
        return bool(db.execute("SELECT count(*) FROM sqlite_master WHERE rootpage > 0").fetchone()[0])
    return False


def _beginnings(copy: Path) -> tuple[list[int], dict[int, int]]:
    """Return the root pages, except the first, and the kinds of empty pages."""
    trees: set[int] = set()
    below: set[int] = set()
    empty: dict[int, int] = {}
    for number, page in _pages(copy):
        if number == 1 or page[0] not in (*_INNER, _LEAF_OF_INDEX, _LEAF_OF_TABLE):
            continue
        trees.add(number)
        cells = int.from_bytes(page[_CELLS : _CELLS + 2], "big")
        if not cells:
            empty[number] = page[0]
        if page[0] in _INNER:
            for place in range(_FIRST_CELL, min(_FIRST_CELL + 2 * cells, PAGE_SIZE - 1), 2):
                cell = int.from_bytes(page[place : place + 2], "big")
                below.add(int.from_bytes(page[cell : cell + 4], "big"))
            below.add(int.from_bytes(page[_LAST : _LAST + 4], "big"))
    return sorted(trees - below), empty


def _pages(copy: Path) -> Iterator[tuple[int, bytes]]:
    with copy.open("rb") as file:
        number = 1
        while page := file.read(PAGE_SIZE):
            yield number, page
            number += 1


def _proven(db: sqlite.Connection, digest: Digest | None, sql: str, page: int) -> int:
    """Return how many first rows of the tree at a page are proven rows of a table (None: migrations)."""
    table = digest.table if digest else _STEPS
    db.execute("BEGIN")
    try:
        _place(db, table, sql, page)
        with undecoded(db):
            if digest is None:
                return len(db.execute(f"SELECT name FROM {_STEPS} WHERE migration_set = 'memcli'").fetchall())
            columns = [*dict.fromkeys((*digest.covers, digest.column))]
            rows = db.execute(f"SELECT {', '.join(columns)} FROM {table}")
            held = (dict(zip(columns, row, strict=True)) for row in islice(rows, _TELLING))
            return sum(row[digest.column] == digest_of(digest, row) for row in held)
    except (sqlite.Error, TypeError, ValueError) as error:
        if isinstance(error, sqlite.Error):
            require_damage(error)
        return 0
    finally:
        db.execute("ROLLBACK")
        db.execute("PRAGMA writable_schema = RESET")
        db.execute("PRAGMA writable_schema = ON")


def _place(db: sqlite.Connection, table: str, sql: str, page: int) -> None:
    """Add a table that begins on a page to the schema."""
    db.execute(
        "INSERT INTO sqlite_master (type, name, tbl_name, rootpage, sql) VALUES ('table', ?, ?, ?, ?)",
        (table, table, page, sql),
    )
    db.execute("PRAGMA writable_schema = RESET")
    db.execute("PRAGMA writable_schema = ON")
