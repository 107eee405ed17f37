"""Hearing from the server that somebody has written, over a connection of its own.

Through a pooler in transaction mode nothing is heard: whoever listens has to look now and then all the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import psycopg

from memcli.errors import ReadOnlyStore
from memcli.storage.postgres.connection import connect
from memcli.storage.postgres.errors import explained_errors

if TYPE_CHECKING:
    from memcli.config.location import Address


class PostgresListener:
    """See `memcli.storage.listener.Listener`."""

    def __init__(self, address: Address, channel: str) -> None:
        self._address, self._channel = address, channel
        self._listen()

    def fileno(self) -> int:
        """The socket of the connection, made anew where that was lost. Raises StoreUnreachable."""
        if self._db.closed:
            self._listen()
        return self._db.fileno()

    def drain(self) -> None:
        """Take what was said; where the connection was lost, listen over another one."""
        try:
            for _ in self._db.notifies(timeout=0):
                pass
        except psycopg.OperationalError:
            self.close()
            self._listen()

    def close(self) -> None:
        """Hear no more."""
        self._db.close()

    def _listen(self) -> None:
        self._db = connect(self._address)
        try:
            with explained_errors(str(self._address)):
                self._db.execute(f"LISTEN {self._channel}".encode())
        except BaseException:
            self.close()
            raise


@contextmanager
def listening(address: Address, channel: str) -> Iterator[PostgresListener | None]:
    """See `memcli.storage.Store.listening`; None of a standby, which tells nobody. Raises StoreUnusable."""
    try:
        listener = PostgresListener(address, channel)
    except ReadOnlyStore:
        yield None
        return
    try:
        yield listener
    finally:
        listener.close()
