"""Digests of a SQLite file's rows: read, compared, written. See `memcli.storage.digests`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from memcli.storage.digests import ALL, DamagedRow, Digest, digest_of, digest_of_values, printed

if TYPE_CHECKING:
    import sqlcipher3.dbapi2 as sqlite

# The key columns that are row numbers; and how many rows are read at once by them.
_NUMBERS = ("seq", "number")
_PORTION = 1000


@contextmanager
def undecoded(db: sqlite.Connection) -> Iterator[None]:
    """Inside, text that is not UTF-8 is read as bytes instead of raising an error."""
    before = db.text_factory
    db.text_factory = text_or_bytes
    try:
        yield
    finally:
        db.text_factory = before


def text_or_bytes(value: bytes) -> str | bytes:
    """Return a column's text, or its bytes if it is no valid text."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value


def each_row(
    db: sqlite.Connection, digest: Digest, where: str = "TRUE", values: Mapping[str, Any] | None = None
) -> Iterator[tuple[tuple[Any, ...], tuple[Any, ...], bool]]:
    """Yield for each row of a table its key, the covered values, and whether it matches its digest.

    Rows may be changed meanwhile. Invalid texts are returned as bytes.
    """
    size = len(digest.key)
    sql = (
        f"SELECT {', '.join((*digest.key, *digest.covers, digest.column))} FROM {digest.table} "
        f"WHERE ({where})"
    )
    for row in _portions(db, digest, sql, values or {}):
        covered = row[size:-1]
        yield row[:size], covered, row[-1] == digest_of_values(digest, covered)


def _portions(db: sqlite.Connection, digest: Digest, sql: str, values: Mapping[str, Any]) -> Iterator[Any]:
    """Yield the rows of a query, a portion at a time if they have numbers: vectors are large."""
    if digest.key[0] not in _NUMBERS:
        with undecoded(db):
            rows = db.execute(sql, values).fetchall()
        yield from rows
        return
    [number] = digest.key
    sql, last = f"{sql} AND {number} > :last ORDER BY {number} LIMIT {_PORTION}", -(2**63)
    while True:
        with undecoded(db):
            rows = db.execute(sql, {**values, "last": last}).fetchall()
        yield from rows
        if len(rows) < _PORTION:
            return
        last = rows[-1][0]


def damaged_rows(db: sqlite.Connection, digests: Sequence[Digest] = ALL) -> Iterator[DamagedRow]:
    """Yield every row that does not match its digest; rows written by another program have none."""
    for digest in digests:
        for key, covered, sound in each_row(db, digest):
            if not sound:
                yield _named(db, digest, key, dict(zip(digest.covers, covered, strict=True)))


def row_name(db: sqlite.Connection, digest: Digest, row: Mapping[str, Any]) -> str:
    """Return the name of a row, given by column names, for messages."""
    named = _named(db, digest, tuple(row[name] for name in digest.key), dict(row))
    return f"{named.kind} {named.name}"


def _named(db: sqlite.Connection, digest: Digest, key: tuple[Any, ...], row: dict[str, Any]) -> DamagedRow:
    space = row.get("space") if isinstance(row.get("space"), str) else None
    if digest.table == "states":
        return DamagedRow("state", f"{printed(row['area'])}/{printed(row['key'])}", space)
    if digest.table == "history":
        return DamagedRow("history", f"{printed(row['memory'])} line {key[0]}", None)
    if digest.table == "vectors":
        with undecoded(db):
            of = db.execute("SELECT id FROM memories WHERE seq = ?", (row["memory"],)).fetchone()
        return DamagedRow("vector", printed(of[0] if of else row["memory"]), None)
    kind, name = {"links": ("link", "id"), "models": ("model", "name")}.get(digest.table, ("memory", "id"))
    return DamagedRow(kind, printed(row[name]), space)


def write_digests(db: sqlite.Connection, digest: Digest) -> int:
    """Accept every row of a table as it is: write missing or wrong digests; return how many."""
    found = " AND ".join(f"{name} = ?" for name in digest.key)
    sql = f"UPDATE {digest.table} SET {digest.column} = ? WHERE {found}"
    written = 0
    for key, covered, sound in each_row(db, digest):
        if not sound:
            db.execute(sql, (digest_of_values(digest, covered), *key))
            written += 1
    return written


def amend(
    db: sqlite.Connection, digest: Digest, changes: Mapping[str, Any], where: str, values: Mapping[str, Any]
) -> None:
    """Change columns of the rows that match a condition; sound rows get a new digest, damaged ones none.

    In a file from before digests only the columns are changed.
    """
    table = digest.table
    setting = ", ".join(f"{name} = :new_{name}" for name in changes)
    new = {f"new_{name}": value for name, value in changes.items()}
    if digest.column not in {row[1] for row in db.execute(f"PRAGMA table_info({table})")}:
        db.execute(f"UPDATE {table} SET {setting} WHERE {where}", {**values, **new})
        return
    found = " AND ".join(f"{name} = :key_{name}" for name in digest.key)
    for key, covered, sound in list(each_row(db, digest, where, values)):
        asked = {**new, **{f"key_{name}": value for name, value in zip(digest.key, key, strict=True)}}
        sql = setting
        if sound:
            row = {**dict(zip(digest.covers, covered, strict=True)), **changes}
            asked["digest"] = digest_of(digest, row)
            sql = f"{setting}, {digest.column} = :digest"
        db.execute(f"UPDATE {table} SET {sql} WHERE {found}", asked)
