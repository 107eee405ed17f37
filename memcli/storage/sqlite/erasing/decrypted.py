"""Decrypted content of an encrypted file, for a proof: its bytes as they would be in a plain file.

Its pages cannot be searched from outside, and SQLCipher does not expose them. So every value of every table
is searched, including the indexes' own tables. That is the whole content of a file that was just rewritten
(`VACUUM`): no unused page, nothing beside the rows. Hence an encrypted file is always scrubbed thoroughly
before it is searched.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import sqlcipher3.dbapi2 as sqlite

from memcli.storage.sqlite.file.opening import open_database

# How many bytes are searched at once.
_CHUNK = 8 << 20


def decrypted_values(path: Path) -> Iterator[bytes]:
    """Yield every text and blob of every table of the file, those of many rows joined.

    Raises StoreUnusable if it cannot be opened, SQLite's errors if it is damaged.
    """
    with closing(open_database(path)) as connection:
        connection.execute("BEGIN")  # one state of it, whoever writes
        yield from values_of(connection)


def values_of(connection: sqlite.Connection) -> Iterator[bytes]:
    """Yield every text and blob of every table of an open file, as its transaction sees them."""
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
