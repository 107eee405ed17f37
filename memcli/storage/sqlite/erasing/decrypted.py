"""What an encrypted file says, for a proof: byte by byte as it would stand in a plain one.

Its pages cannot be searched from outside, and SQLCipher shows them to nobody. So what is
looked through is every value of every table, those of the indexes' own tables among
them. That is the whole content of a file that was just written anew (`VACUUM`): no
unused page, nothing beside the rows. Hence an encrypted file is always scrubbed
thoroughly before it is looked through.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import sqlcipher3.dbapi2 as sqlite

from memcli.storage.sqlite.file.opening import open_database

# Bytes that are looked through at once.
_CHUNK = 8 << 20


def decrypted_values(path: Path) -> Iterator[bytes]:
    """Every text and blob of every table of the file, those of many rows at a time.

    Raises StoreUnusable where it stays closed, SQLite's errors where it is damaged.
    """
    with closing(open_database(path)) as connection:
        connection.execute("BEGIN")  # one state of it, whoever writes
        yield from values_of(connection)


def values_of(connection: sqlite.Connection) -> Iterator[bytes]:
    """Every text and blob of every table of an open file, as its transaction sees them."""
    values, size = [], 0
    for (table,) in connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0"
    ).fetchall():
        for row in connection.execute(f'SELECT * FROM "{table}"'):
            for value in row:
                if isinstance(value, str | bytes):
                    values.append(value.encode() if isinstance(value, str) else value)
                    size += len(values[-1])
            if size > _CHUNK:
                yield b"\0".join(values)
                values, size = [], 0
    for row in connection.execute("SELECT name, sql FROM sqlite_master"):
        values.extend(str(value).encode() for value in row)
    yield b"\0".join(values)
