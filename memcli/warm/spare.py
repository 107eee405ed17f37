"""A child that is forked before it is called for, so that no caller waits for a fork."""

from __future__ import annotations

import os
import socket
from collections.abc import Sequence
from contextlib import suppress

from memcli.warm import pages

# What is handed over with a caller: how the keeper does, which fits into it.
_MESSAGE = 4096


class Spare:
    """A waiting child, as its keeper sees it."""

    def __init__(self, process: int, line: socket.socket) -> None:
        self.process = process
        self._line = line

    def take(self, connection: socket.socket, told: bytes) -> bool:
        """Hand it a caller, and what the keeper tells of itself. False where it is no more."""
        try:
            socket.send_fds(self._line, [told], [connection.fileno()])
        except OSError:
            return False
        finally:
            self.close()
        return True

    def close(self) -> None:
        """Let go of it: without a caller it ends."""
        self._line.close()


def wait(line: socket.socket, used: Sequence[pages.Range]) -> tuple[socket.socket, bytes]:
    """In the child: get ready, and wait for a caller; ends the process where none comes."""
    pages.have(used)
    given: list[int] = []
    with suppress(OSError):
        told, given, _, _ = socket.recv_fds(line, _MESSAGE, 1)
    line.close()
    for connection in given:
        return socket.socket(socket.AF_UNIX, fileno=connection), told
    os._exit(0)
