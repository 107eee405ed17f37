"""SQLite files of other programs, opened read-only: their contents are untrusted."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

from memcli.errors import BadInput
from memcli.importers.files import head_of

MAGIC = b"SQLite format 3\x00"
# The most virtual machine steps: a view in a hostile file may never end.
_STEPS = 2_000_000_000


@contextmanager
def opened_database(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a database for reading; nothing is written, not even beside it. Raises BadInput."""
    try:
        uri = f"file:{quote(str(path.resolve()))}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True)) as database:
            database.text_factory = lambda data: data.decode("utf-8", "replace")
            database.execute("PRAGMA trusted_schema = OFF")
            spent = iter(range(_STEPS // 1_000_000))
            database.set_progress_handler(lambda: next(spent, None) is None, 1_000_000)
            yield database
    except sqlite3.Error as error:
        raise BadInput(f"cannot be read ({error})", about=path) from error
    except UnicodeDecodeError as error:
        # The driver decodes SQLite's messages and column names as UTF-8; those of a broken file may not be.
        raise BadInput("cannot be read (a name in it is not text)", about=path) from error


def tables_of(path: Path) -> set[str]:
    """Return the names of its tables; none if it is not an SQLite file."""
    if not head_of(path).startswith(MAGIC):
        return set()
    try:
        with opened_database(path) as database:
            return {str(name) for (name,) in database.execute("SELECT name FROM sqlite_master")}
    except BadInput:
        return set()
