"""Of what SQLite says while a file is mended: what its damage is to blame for, and what its disk."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import sqlcipher3.dbapi2 as sqlite

# Not told, READ, SHORT_READ (https://www.sqlite.org/rescode.html#extrc).
_OF_READING = (10, 266, 522)


def require_damage(error: sqlite.Error) -> None:
    """Raise what is no damage of the file: that its disk is full, or fails just now."""
    code = int(getattr(error, "sqlite_errorcode", 0))
    failed = code & 0xFF == sqlite.SQLITE_IOERR and code not in _OF_READING
    if failed or code & 0xFF == sqlite.SQLITE_FULL:
        raise error


@contextmanager
def passing_damage() -> Iterator[None]:
    """Inside, what is damaged is passed over. Raises what `require_damage` does."""
    try:
        yield
    except sqlite.Error as error:
        require_damage(error)
