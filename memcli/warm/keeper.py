"""The keeper: it answers hello, has a child for each call, tells how those ended that cannot, and goes.

It reads nothing of what its callers send: each child reads its own. One is forked ahead (`spare`); who
comes while it is at work gets one that is forked for him.
"""

from __future__ import annotations

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
from memcli.warm import client, pages, peers, place, spare, wire
from memcli.warm.child import Program, receive, serve_call
from memcli.warm.endpoint import Endpoint
from memcli.warm.installed import Installed
from memcli.warm.preparation import Prepared

# Seconds between two looks at whether callers can still find us, and the program is still this one.
_LOOK = 20.0
_BACKLOG = 256
# Calls at a time: of more, the next run cold.
_MOST = 128
_HELD_BACK = (*client.PASSED_ON, signal.SIGTSTP)


@dataclass
class _Call:
    """A child, and the line to its caller: None once that has gone.

    It is `done` when it has told its caller how it ended, `ended` when it is no more and the caller was told.
    """

    process: int
    connection: socket.socket | None
    done: bool = False
    ended: bool = False


class Keeper:
    """Serves calls at an endpoint until it is idle for so long, told to end, or the program has changed.

    `lock` is the descriptor by which it holds the endpoint; `installed` the program as it was before it was
    imported.
    """

    def __init__(
        self, endpoint: Endpoint, program: Program, lock: int, installed: Installed, holds: Prepared
    ) -> None:
        self._post = endpoint
        self._program = program
        self._lock = lock
        self._installed = installed
        self._holds = holds
        self._spare_memory = pages.own_size(holds.pages)
        self._process = os.getpid()
        self._calls: list[_Call] = []
        self._spare: spare.Spare | None = None
        self._since = times.to_iso(times.now())
        self._used = time.monotonic()
        self._looked = self._used
        self._begun = 0
        self._told = self._leaving = False
        self._heard, self._pulse = os.pipe()
        self._listener = _listening(endpoint)
        self._own = os.lstat(endpoint.socket)
        self._poll = select.poll()

    def serve(self) -> None:
        """Answer until the end."""
        self._heed_signals()
        with suppress(OSError):
            peers.own_authority()  # for all children
        self._poll.register(self._listener, select.POLLIN)
        self._poll.register(self._heard, select.POLLIN)
        # Who stopped us while we were starting may have looked for our socket just before it was there.
        if not self._is_found():
            self._leave()
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
            elif not (self._leaving or self._spare) and all(call.done or call.ended for call in self._calls):
                self._have_a_spare()

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
        """What children say, and the numbers of signals between."""
        said = b""
        with suppress(BlockingIOError):
            while more := os.read(self._heard, 4096):
                said += more
                self._used = time.monotonic()
        at = 0
        while at < len(said):
            sign, at = said[at : at + 1], at + 1
            if sign == wire.CARRIES_OUT:
                self._begun += 1
            elif sign == wire.DONE:
                process = int.from_bytes(said[at : at + wire.PROCESS_ID], "big")
                at += wire.PROCESS_ID
                for call in self._calls:
                    call.done |= call.process == process

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
        """Whether who calls at the endpoint finds us: it is ours, and so is what listens there."""
        return (
            place.is_private(self._post.folder)
            and self._post.is_held_by(self._lock)
            and self._is_our_socket()
        )

    def _is_our_socket(self) -> bool:
        """Whether nobody has removed our socket, or put another there."""
        try:
            return os.path.samestat(os.lstat(self._post.socket), self._own)
        except OSError:
            return False

    def _leave(self) -> None:
        """Answer no more, and leave no trace; calls at work go on."""
        if self._leaving:
            return
        self._leaving = True
        if self._is_our_socket():
            with suppress(OSError):
                os.unlink(self._post.socket)
        self._poll.unregister(self._listener)
        self._listener.close()
        if self._spare:
            self._spare.close()
            self._spare = None
        if self._post.is_held_by(self._lock):  # and not the next one's
            with suppress(OSError):
                os.unlink(self._post.lock)
        with suppress(OSError):
            os.rmdir(self._post.folder)  # where no other keeper stands there
        os.close(self._lock)

    # Calls

    def _answer(self) -> None:
        """Say hello to all who wait, then have a child for each: no hello waits for a fork."""
        fresh: list[socket.socket] = []
        while len(fresh) + len(self._calls) < _MOST and (connection := self._accepted()):
            try:
                if client.peer(connection)[1] != os.geteuid():
                    raise PermissionError
                connection.setblocking(True)  # noqa: FBT003 - takes no keyword
                connection.send(wire.HELLO)
                fresh.append(connection)
            except OSError:
                connection.close()
        if not fresh and (connection := self._accepted()):
            connection.close()
        # While they write down what they want.
        if self._installed.has_changed():
            self._leave()
            for connection in fresh:
                connection.close()
            return
        for connection in fresh:
            self._hand_over(connection, fresh)

    def _accepted(self) -> socket.socket | None:
        try:
            return self._listener.accept()[0]
        except OSError:
            return None

    def _hand_over(self, connection: socket.socket, fresh: list[socket.socket]) -> None:
        """Have a child serve a caller: the spare one, else one that is forked now."""
        self._used = time.monotonic()
        # Who asks after a call has ended is told of it, though nobody has listened since.
        self._listen_to_pulse()
        told = json.dumps(self._status()).encode()
        ready, self._spare = self._spare, None
        if ready and ready.take(connection, told):
            process = ready.process
        else:
            if ready:
                self._calls.append(_Call(ready.process, None))  # to be reaped
            try:
                process = self._forked()
            except OSError:
                connection.close()
                return
            if process == 0:
                self._let_go([each for each in fresh if each is not connection])
                self._serve(connection, told)
        self._poll.register(connection, 0)  # that it hangs up is always told
        self._calls.append(_Call(process, connection))

    def _have_a_spare(self) -> None:
        """Fork a child that waits for the next caller; without one each gets his own."""
        ours, its = socket.socketpair()
        try:
            process = self._forked()
        except OSError:
            ours.close()
            its.close()
            return
        if process == 0:
            ours.close()
            self._let_go([])
            self._serve(*spare.wait(its, self._holds.pages))
        its.close()
        self._spare = spare.Spare(process, ours)

    def _forked(self) -> int:
        """A child, its signals held back: 0 in it. Raises OSError."""
        signal.pthread_sigmask(signal.SIG_BLOCK, _HELD_BACK)
        try:
            return os.fork()
        finally:
            if os.getpid() == self._process:
                signal.pthread_sigmask(signal.SIG_UNBLOCK, _HELD_BACK)

    def _let_go(self, others: list[socket.socket]) -> None:
        """In a child: hold nothing of the keeper's but the pulse, and heed no signal in its way."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for each in (self._listener, *others, *(call.connection for call in self._calls if call.connection)):
            each.close()
        if self._spare:
            self._spare.close()
        os.close(self._lock)

    def _serve(self, connection: socket.socket, told: bytes) -> NoReturn:
        """In a child: do what the caller wants; `told` is how the keeper does."""
        try:
            parts, given = receive(connection)
            if parts[0] == wire.CALL:
                serve_call(self._program, self._post.identity, connection, parts, given, self._pulse)
            if parts[0] == wire.STOP and os.getppid() == self._process:
                os.kill(self._process, signal.SIGTERM)
            connection.send(told + b"\n")
        except (OSError, ValueError):  # whoever it was, he is gone
            pass
        finally:
            os._exit(0)

    def _status(self) -> dict[str, object]:
        return {
            "since": self._since,
            "calls": self._begun,
            "at_work": sum(not (call.done or call.ended) for call in self._calls),
            "idle_limit": self._post.idle,
            "idle": round(time.monotonic() - self._used, 3),
            "model": self._holds.model,
            "spare_memory": self._spare_memory,
        }

    def _caller_has_gone(self, descriptor: int) -> None:
        """Its child ends with it, as a process does that is killed, and is reaped; not one that is done."""
        self._listen_to_pulse()
        for call in self._calls:
            if call.connection and call.connection.fileno() == descriptor:
                self._poll.unregister(descriptor)
                call.connection.close()
                call.connection = None
                if not (call.done or call.ended):
                    with suppress(ProcessLookupError):
                        os.kill(call.process, signal.SIGKILL)

    def _tell_ends(self) -> None:
        """Tell callers how their children ended, if those have not; reap what nobody asks for any more.

        A child is a zombie until then: nobody else gets its number while its caller may send it a signal.
        """
        if self._spare and _end_of(self._spare.process):
            self._calls.append(_Call(self._spare.process, None))
            self._spare.close()
            self._spare = None
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


def _listening(endpoint: Endpoint) -> socket.socket:
    """A socket at the endpoint, which is there from the first instant at which it answers. Raises OSError.

    Whatever lies there is a dead keeper's: the lock is ours.
    """
    listener = socket.socket(socket.AF_UNIX)
    unready = f"{endpoint.folder}/{endpoint.name}.new"
    with suppress(FileNotFoundError):
        os.unlink(unready)
    listener.bind(unready)
    listener.listen(_BACKLOG)
    listener.setblocking(False)  # noqa: FBT003 - takes no keyword
    os.replace(unready, endpoint.socket)
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
