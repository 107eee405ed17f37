"""The spare child, forked before it is called for, so that no caller waits for a fork."""

from __future__ import annotations

import os
import socket
from collections.abc import Sequence
from contextlib import suppress

from memcli.warm import pages

# Bytes of the message with a caller at most: the keeper's status fits into it.
_MESSAGE = 4096


class Spare:
    """A waiting child, as its keeper sees it."""

    def __init__(self, process: int, line: socket.socket) -> None:
        self.process = process
        self._line = line

    def take(self, connection: socket.socket, told: bytes) -> bool:
        """Hand it a caller and the keeper's status. False if the child has ended."""
        try:
            socket.send_fds(self._line, [told], [connection.fileno()])
        except OSError:
            return False
        finally:
            self.close()
        return True

    def close(self) -> None:
        """Close the line to it: without a caller it exits."""
        self._line.close()


def wait(line: socket.socket, used: Sequence[pages.Range]) -> tuple[socket.socket, bytes]:
    """In the child: populate pages, and wait for a caller; exit the process if none comes."""
    pages.have(used)
    given: list[int] = []
    with suppress(OSError):
        told, given, _, _ = socket.recv_fds(line, _MESSAGE, 1)
    line.close()
    for connection in given:
        return socket.socket(socket.AF_UNIX, fileno=connection), told
    os._exit(0)
