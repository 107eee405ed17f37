"""The first page of a plain file, made anew where it no longer tells which tables there are and where.

The SQL of a table is known, all stores share it, but not on which page the table begins. Of a file of
SQLite each page says what it is (https://www.sqlite.org/fileformat2.html#b_tree_pages), and an inner page
which pages stand below it: what no page stands above is where something begins. Whether that is a certain
table is told by the digests of its rows. Only for a copy from which is salvaged.
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

# The kinds of pages of a tree, by their first byte: inner ones, and leaves of an index and of a table. A
# table without row numbers is kept as an index.
_INNER, _LEAF_OF_INDEX, _LEAF_OF_TABLE = (2, 5), 10, 13
# Where an inner page has the number of its cells, the last of the pages below it, and its first cell.
_CELLS, _LAST, _FIRST_CELL = 3, 8, 12
# An empty leaf of a table: no free block, no cell, and none of its content begins before its end.
_EMPTY_LEAF = bytes((_LEAF_OF_TABLE, 0, 0, 0, 0)) + PAGE_SIZE.to_bytes(2, "big") + bytes(1)
# What is salvaged, and so many rows of it tell whether it begins on a page: what a row's digest proves
# is of that table, also in a page that was given up.
_TABLES = (digests.MEMORY, digests.LINK, digests.STATE, digests.HISTORY, digests.MODEL, digests.VECTOR)
_TELLING = 20
# By what the steps are known that made the schema: a newer memcli made others.
_STEPS = "_sqlite_migrations"


def restore_first_page(copy: Path) -> None:
    """Have the schema of a closed plain file, whose header is sound, name its tables again, if it names none.

    Raises what SQLite raises, but for damage.
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
                # No page has anything of it; where one of its kind is empty, it may have held nothing.
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
    """The pages of trees that no other page stands above, but for the first, and the kinds of empty pages."""
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
    """How many of the first rows of what begins on a page are rows of a table; of steps, None, ours."""
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
    """Have the schema say that a table begins on a page."""
    db.execute(
        "INSERT INTO sqlite_master (type, name, tbl_name, rootpage, sql) VALUES ('table', ?, ?, ?, ?)",
        (table, table, page, sql),
    )
    db.execute("PRAGMA writable_schema = RESET")
    db.execute("PRAGMA writable_schema = ON")
