"""The keeper: it answers hello, forks a child for each call, tells how those ended that cannot, and goes.

It reads nothing of what its callers send: each child reads its own.
"""

from __future__ import annotations

import gc
import json
import os
import select
import signal
import socket
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import NoReturn

from memcli import times
from memcli.warm import client, wire
from memcli.warm.child import Program, receive, serve_call
from memcli.warm.installed import Installed
from memcli.warm.post import Post

# Seconds between two looks at whether callers can still find us, and the program is still this one.
_LOOK = 20.0
_BACKLOG = 256
# Calls at a time: of more, the next run cold.
_MOST = 128
_HELD_BACK = (*client.PASSED_ON, signal.SIGTSTP)
# What a child writes to the pulse; else there stand numbers of signals.
_BEGUN = b"."


@dataclass
class _Call:
    """A child, and the line to its caller: None once that has gone. `ended` when the caller has been told."""

    process: int
    connection: socket.socket | None
    ended: bool = False


class Keeper:
    """Serves at a post until nobody has called for so long, it is told to end, or the program has changed.

    `lock` is the descriptor by which it holds the post; `installed` the program as it was before it was
    imported; `holds` what is told of it.
    """

    def __init__(
        self, post: Post, program: Program, lock: int, installed: Installed, holds: str | None
    ) -> None:
        self._post = post
        self._program = program
        self._lock = lock
        self._installed = installed
        self._holds = holds
        self._process = os.getpid()
        self._calls: list[_Call] = []
        self._since = times.to_iso(times.now())
        self._used = time.monotonic()
        self._looked = self._used
        self._begun = 0
        self._told = self._leaving = False
        self._heard, self._pulse = os.pipe()
        self._listener = _listening(post)
        self._own = os.lstat(post.socket)
        self._poll = select.poll()

    def serve(self) -> None:
        """Answer until the end."""
        self._heed_signals()
        self._poll.register(self._listener, select.POLLIN)
        self._poll.register(self._heard, select.POLLIN)
        gc.collect()
        gc.freeze()
        gc.disable()
        while not self._leaving or self._calls:
            for descriptor, _ in self._poll.poll(1000 * self._patience()):
                if descriptor == self._heard:
                    self._listen_to_pulse()
                elif descriptor == self._listener.fileno():
                    self._answer()
                else:
                    self._caller_has_gone(descriptor)
            self._tell_ends()
            if self._is_over():
                self._leave()

    # When

    def _heed_signals(self) -> None:
        """SIGTERM ends us when the last call has ended; a terminal's signals are not for us."""
        for number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
            signal.signal(number, signal.SIG_IGN)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGTERM, self._be_told)
        for each in (self._heard, self._pulse):
            os.set_blocking(each, False)
        signal.set_wakeup_fd(self._pulse, warn_on_full_buffer=False)

    def _be_told(self, *_: object) -> None:
        self._told = True

    def _listen_to_pulse(self) -> None:
        with suppress(BlockingIOError):
            while said := os.read(self._heard, 4096):
                self._begun += said.count(_BEGUN)
                self._used = time.monotonic()

    def _patience(self) -> float:
        """Seconds until there is something to look at, whoever calls."""
        if self._leaving or self._calls:
            return _LOOK
        return max(0.0, min(_LOOK, self._used + self._post.idle - time.monotonic()))

    def _is_over(self) -> bool:
        now = time.monotonic()
        if self._told or (not self._calls and now >= self._used + self._post.idle):
            return True
        if now < self._looked + _LOOK:
            return False
        self._looked = now
        return not self._is_found() or self._installed.has_changed()

    def _is_found(self) -> bool:
        """Whether who calls at the post finds us: nobody has removed the socket, or put another there."""
        try:
            return os.path.samestat(os.lstat(self._post.socket), self._own)
        except OSError:
            return False

    def _leave(self) -> None:
        """Answer no more, and leave no trace; calls at work go on."""
        if self._leaving:
            return
        self._leaving = True
        if self._is_found():
            with suppress(OSError):
                os.unlink(self._post.socket)
        self._poll.unregister(self._listener)
        self._listener.close()
        with suppress(OSError):
            os.unlink(self._post.lock)
            os.rmdir(self._post.folder)  # where no other keeper stands there
        os.close(self._lock)

    # Calls

    def _answer(self) -> None:
        """Say hello to all who wait, then fork for each: no hello waits for a fork."""
        if self._installed.has_changed():
            self._leave()
            return
        fresh: list[socket.socket] = []
        while len(fresh) + len(self._calls) < _MOST and (connection := self._accepted()):
            try:
                if client.peer(connection)[1] != os.geteuid():
                    raise PermissionError
                connection.setblocking(True)
                connection.send(wire.HELLO)
                fresh.append(connection)
            except OSError:
                connection.close()
        if not fresh and (connection := self._accepted()):
            connection.close()
        for connection in fresh:
            self._fork(connection, fresh)

    def _accepted(self) -> socket.socket | None:
        try:
            return self._listener.accept()[0]
        except OSError:
            return None

    def _fork(self, connection: socket.socket, fresh: list[socket.socket]) -> None:
        self._used = time.monotonic()
        signal.pthread_sigmask(signal.SIG_BLOCK, _HELD_BACK)
        try:
            process = os.fork()
        except OSError:
            connection.close()
            return
        finally:
            if os.getpid() == self._process:
                signal.pthread_sigmask(signal.SIG_UNBLOCK, _HELD_BACK)
        if process == 0:
            others = [*fresh, *(call.connection for call in self._calls if call.connection)]
            self._be_a_child(connection, [each for each in others if each is not connection])
        self._poll.register(connection, 0)  # that it hangs up is always told
        self._calls.append(_Call(process, connection))

    def _be_a_child(self, connection: socket.socket, others: list[socket.socket]) -> NoReturn:
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for each in (self._listener, *others):
                each.close()
            os.close(self._lock)
            parts, given = receive(connection)
            if parts[0] == wire.CALL:
                serve_call(self._program, self._post.identity, connection, parts, given, self._pulse)
            if parts[0] == wire.STOP and os.getppid() == self._process:
                os.kill(self._process, signal.SIGTERM)
            connection.send(json.dumps(self._status()).encode() + b"\n")
        except (OSError, ValueError):  # whoever it was, he is gone
            pass
        finally:
            os._exit(0)

    def _status(self) -> dict[str, object]:
        return {
            "since": self._since,
            "calls": self._begun,
            "at_work": sum(not call.ended for call in self._calls),
            "idle_limit": self._post.idle,
            "idle": round(time.monotonic() - self._used, 3),
            "model": self._holds,
        }

    def _caller_has_gone(self, descriptor: int) -> None:
        """Its child ends with it, as a process does that is killed, and is reaped."""
        for call in self._calls:
            if call.connection and call.connection.fileno() == descriptor:
                self._poll.unregister(descriptor)
                call.connection.close()
                call.connection = None
                if not call.ended:
                    with suppress(ProcessLookupError):
                        os.kill(call.process, signal.SIGKILL)

    def _tell_ends(self) -> None:
        """Tell callers how their children ended, if those have not; reap what nobody asks for any more.

        A child is a zombie until then: nobody else gets its number while its caller may send it a signal.
        """
        for call in [*self._calls]:
            if not call.ended and (end := _end_of(call.process)):
                call.ended = True
                self._used = time.monotonic()
                if call.connection:
                    with suppress(OSError):
                        call.connection.send(end)
            if call.ended and not call.connection:
                with suppress(ChildProcessError):
                    os.waitpid(call.process, 0)
                self._calls.remove(call)


def _listening(post: Post) -> socket.socket:
    """A socket at the post, which is there from the first instant at which it answers. Raises OSError.

    Whatever lies there is a dead keeper's: the lock is ours.
    """
    listener = socket.socket(socket.AF_UNIX)
    unready = f"{post.folder}/{post.name}.new"
    with suppress(FileNotFoundError):
        os.unlink(unready)
    listener.bind(unready)
    listener.listen(_BACKLOG)
    listener.setblocking(False)
    os.replace(unready, post.socket)
    return listener


def _end_of(process: int) -> bytes | None:
    """How a child ended, for its caller; None while it lives. It stays a zombie, where the system lets it."""
    if not hasattr(os, "waitid"):
        ended, status = os.waitpid(process, os.WNOHANG)
        code = os.waitstatus_to_exitcode(status)
        if not ended:
            return None
        return wire.ENDED + bytes([code]) if code >= 0 else wire.KILLED + bytes([-code])
    found = os.waitid(os.P_PID, process, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    if found is None:
        return None
    kind = wire.ENDED if found.si_code == os.CLD_EXITED else wire.KILLED
    return kind + bytes([found.si_status & 0xFF])
