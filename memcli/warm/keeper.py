"""The keeper's event loop: it greets callers, forks a child per call, reports children that died, and ends.

It reads nothing of what its callers send: each child reads its own caller's request. One child is forked
ahead (`spare`); a caller that comes while it is in use gets one that is forked then.
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

# Seconds between two checks that callers can still find us, and that the program has not changed.
_LOOK = 20.0
_BACKLOG = 256
# Calls at a time; any more run cold.
_MOST = 128
_HELD_BACK = (*client.PASSED_ON, signal.SIGTSTP)


@dataclass
class _Call:
    """A child, and the connection to its caller: None once the caller has gone.

    It is `done` when it has told its caller how it ended, `ended` when the process has ended and the caller
    was told.
    """

    process: int
    connection: socket.socket | None
    done: bool = False
    ended: bool = False


class Keeper:
    """Serves at an endpoint until it has been idle too long, is told to stop, or the program has changed.

    `lock` is the descriptor by which it holds the endpoint; `installed` the state of the program's files
    before they were imported.
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
        """Answer callers until the end."""
        self._heed_signals()
        with suppress(OSError):
            peers.own_authority()  # cached for all children
        self._poll.register(self._listener, select.POLLIN)
        self._poll.register(self._heard, select.POLLIN)
        # A `stop` while we were starting may have looked for our socket just before it was there.
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

    # Signals, and when to end

    def _heed_signals(self) -> None:
        """Install signal handling: SIGTERM ends us after the last call; a terminal's signals are ignored."""
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
        """Read what children have written to the pulse, with the signal numbers in between."""
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
        """Return the seconds until there is something to check, even if nobody calls."""
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
        """True if callers at the endpoint reach us: both its lock and its socket are ours."""
        return (
            place.is_private(self._post.folder)
            and self._post.is_held_by(self._lock)
            and self._is_our_socket()
        )

    def _is_our_socket(self) -> bool:
        """True if our socket has not been removed or replaced."""
        try:
            return os.path.samestat(os.lstat(self._post.socket), self._own)
        except OSError:
            return False

    def _leave(self) -> None:
        """Stop listening and remove our files; calls that are running go on."""
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
        if self._post.is_held_by(self._lock):  # it may be the next keeper's
            with suppress(OSError):
                os.unlink(self._post.lock)
        with suppress(OSError):
            os.rmdir(self._post.folder)  # unless another keeper is there
        os.close(self._lock)

    # Calls and their children

    def _answer(self) -> None:
        """Greet all waiting callers, then give each a child: no greeting waits for a fork."""
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
        # Checked while the callers write their requests.
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
        """Let a child serve a caller: the spare one, else one that is forked now."""
        self._used = time.monotonic()
        # Read first, so that a status tells of every call that has ended before it was asked for.
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
        self._poll.register(connection, 0)  # no events: poll reports a hang-up always
        self._calls.append(_Call(process, connection))

    def _have_a_spare(self) -> None:
        """Fork a child that waits for the next caller; if that fails, each caller gets one of its own."""
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
        """Fork, with signals blocked in the child; return its id, or 0 in the child. Raises OSError."""
        signal.pthread_sigmask(signal.SIG_BLOCK, _HELD_BACK)
        try:
            return os.fork()
        finally:
            if os.getpid() == self._process:
                signal.pthread_sigmask(signal.SIG_UNBLOCK, _HELD_BACK)

    def _let_go(self, others: list[socket.socket]) -> None:
        """In a child: close all of the keeper's descriptors but the pulse, and reset its signal handling."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for each in (self._listener, *others, *(call.connection for call in self._calls if call.connection)):
            each.close()
        if self._spare:
            self._spare.close()
        os.close(self._lock)

    def _serve(self, connection: socket.socket, told: bytes) -> NoReturn:
        """In a child: do what the caller asks for; `told` is the keeper's status."""
        try:
            parts, given = receive(connection)
            if parts[0] == wire.CALL:
                serve_call(self._program, self._post.identity, connection, parts, given, self._pulse)
            if parts[0] == wire.STOP and os.getppid() == self._process:
                os.kill(self._process, signal.SIGTERM)
            connection.send(told + b"\n")
        except (OSError, ValueError):  # the caller has gone
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
        """Kill the child of a caller that has gone, unless it is done; it is reaped later."""
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
        """Tell callers how their children ended, if those could not; reap children without a caller.

        Until then a child stays a zombie, so that its number is not given to another process while its
        caller may still send it a signal.
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
    """Return a listening socket at the endpoint, renamed into place so that it answers at once.

    Raises OSError. A socket that is there already is a dead keeper's: the lock is ours.
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
    """Return how a child ended, as its caller is told; None while it lives.

    It stays a zombie where `waitid` exists.
    """
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
