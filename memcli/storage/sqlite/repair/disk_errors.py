"""Disk errors during a repair, as opposed to errors that come from the file's damage."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import sqlcipher3.dbapi2 as sqlite

# Unspecified, READ, SHORT_READ (https://www.sqlite.org/rescode.html#extrc).
_OF_READING = (10, 266, 522)


def require_damage(error: sqlite.Error) -> None:
    """Raise an error again that is no damage of the file: a full or failing disk."""
    code = int(getattr(error, "sqlite_errorcode", 0))
    failed = code & 0xFF == sqlite.SQLITE_IOERR and code not in _OF_READING
    if failed or code & 0xFF == sqlite.SQLITE_FULL:
        raise error


@contextmanager
def passing_damage() -> Iterator[None]:
    """Inside, errors from damage are ignored. Raises what `require_damage` does."""
    try:
        yield
    except sqlite.Error as error:
        require_damage(error)
