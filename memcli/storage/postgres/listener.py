"""Listener for the server's notifications of writes, over a connection of its own.

Through a pooler in transaction mode no notification arrives, so listeners have to poll now and then all the
same.
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
        """Return the socket of the connection, reconnecting if it was lost. Raises StoreUnreachable."""
        if self._db.closed:
            self._listen()
        return self._db.fileno()

    def drain(self) -> None:
        """Consume the notifications; reconnect if the connection was lost."""
        try:
            for _ in self._db.notifies(timeout=0):
                pass
        except psycopg.OperationalError:
            self.close()
            self._listen()

    def close(self) -> None:
        """Close the connection."""
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
    """See `memcli.storage.Store.listening`; yields None on a standby. Raises StoreUnusable."""
    try:
        listener = PostgresListener(address, channel)
    except ReadOnlyStore:
        yield None
        return
    try:
        yield listener
    finally:
        listener.close()
