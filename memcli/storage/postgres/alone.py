"""Being alone on an errand: a lock on the server that one process at a time holds, on whichever machine.

It is held by a transaction of a connection of its own, so that a pooler may be used, and ends with its
holder. That transaction reads nothing, so it does not keep old rows from being vacuumed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

import psycopg

from memcli.errors import StoreBusy
from memcli.storage.postgres.connection import Connection, connect
from memcli.storage.postgres.errors import explained_errors

if TYPE_CHECKING:
    from memcli.config.location import Address

# The lock's key; the seed may be any number, as long as it never changes.
_KEY = "hashtextextended('memcli' || %s, 17)"


@contextmanager
def alone(
    address: Address, errand: str, busy: str, patience: float | None, waiting: Callable[[str], None]
) -> Iterator[None]:
    """See `memcli.storage.Store.alone`."""
    with closing(connect(address)) as db:
        with explained_errors(str(address)):
            db.execute("BEGIN")
            [(held,)] = db.execute(f"SELECT pg_try_advisory_xact_lock({_KEY})".encode(), (errand,)).fetchall()
            if not held:
                if patience == 0:
                    raise StoreBusy(busy)
                waiting(busy)
                _wait(db, errand, busy, patience)
            # Sent after the statement that took the lock, whose snapshot is then released, so that it does
            # not keep old rows.
            db.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
        yield


def is_held(db: Connection, errand: str) -> bool:
    """True if some process holds the lock of an errand."""
    # A lock of both halves of a number: https://www.postgresql.org/docs/current/view-pg-locks.html.
    sql = (
        f"SELECT EXISTS (SELECT 1 FROM pg_locks, (SELECT {_KEY} AS key) WHERE locktype = 'advisory' "
        "AND objsubid = 1 AND granted AND database = (SELECT oid FROM pg_database "
        "WHERE datname = current_database()) AND ((classid::bigint << 32) | objid::bigint) = key)"
    )
    [(held,)] = db.execute(sql.encode(), (errand,)).fetchall()
    return bool(held)


def _wait(db: Connection, errand: str, busy: str, patience: float | None) -> None:
    waits = 0 if patience is None else max(1, int(patience * 1000))
    db.execute(f"SET LOCAL lock_timeout = {waits}".encode())
    try:
        db.execute(f"SELECT pg_advisory_xact_lock({_KEY})".encode(), (errand,))
    except psycopg.errors.LockNotAvailable as error:
        raise StoreBusy(busy) from error
