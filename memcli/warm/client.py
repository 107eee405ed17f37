"""The client: hand this process's call over to a keeper and exit as its child does, or return to run it.

It imports only a few modules written in C, for it runs before every warm call.
"""

from __future__ import annotations

import _signal
import _socket
import os
import resource
import sys

from memcli.warm import place, wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import FrameType

# Signals that end or stop a process that does not handle them, and that can be passed on to the child. Python
# treats SIGPIPE and SIGXFSZ alike in both processes.
_TO_ALL = (_signal.SIGINT, _signal.SIGQUIT, _signal.SIGHUP)  # a terminal sends them to the group
PASSED_ON = (
    *_TO_ALL, _signal.SIGTERM, _signal.SIGUSR1, _signal.SIGUSR2,
    _signal.SIGALRM, _signal.SIGVTALRM, _signal.SIGPROF,
)  # fmt: skip
_LOST = (
    "the warm process was killed while this call ran, and whether it was done is not known: "
    "`mem history` shows what is on record"
)


def hand_over(folder: str) -> None:
    """Let the keeper in this folder carry out this process's call, and exit as its child does.

    Returns if no keeper fits, or it declines: then nothing has been done.
    """
    if not place.is_private(folder) or not _is_plain():
        return
    identity = place.identity()
    descriptors = _inherited()
    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    signals = _Signals()
    try:
        # Set by tests, whose calls have to be taken over however busy the machine is.
        connection.settimeout(wire.READY_WITHIN if "_MEM_PATIENT" in os.environ else wire.HELLO_WITHIN)
        connection.connect(f"{folder}/{place.name_of(identity)}.sock")
        if peer(connection)[1] != os.geteuid() or connection.recv(1) != wire.HELLO:
            return
        connection.settimeout(wire.READY_WITHIN)
        signals.take()
        _send(connection, _request(identity, descriptors, signals.ignored), descriptors)
        if connection.recv(1) != wire.READY:
            return
        child = int.from_bytes(_exactly(connection, wire.PROCESS_ID), "big")
        connection.settimeout(None)
        connection.send(wire.GO)
        signals.pass_to(child)
        if connection.recv(1) == wire.BEGUN:
            _end(_ending(connection), signals)
    except OSError:
        return
    finally:
        connection.close()
        signals.give_back()


def _is_plain() -> bool:
    """True if this call is an ordinary one: not in a terminal's background, no signal blocked, no -u."""
    unbuffered = getattr(sys.stderr, "write_through", False) and not os.environ.get("PYTHONUNBUFFERED")
    if unbuffered or _signal.pthread_sigmask(_signal.SIG_BLOCK, ()):
        return False
    for number in (0, 1, 2):
        try:
            if os.tcgetpgrp(number) != os.getpgrp():
                return False
        except OSError:  # closed, no terminal, or not our controlling terminal
            continue
    return True


def _inherited() -> list[int]:
    """Return the descriptors that we were started with: streams, and what a shell adds (`<(…)`, `9>lock`)."""
    numbers = []
    for each in os.listdir("/dev/fd"):
        try:
            if os.get_inheritable(int(each)):
                numbers.append(int(each))
        except OSError:  # the one that listed /dev/fd is closed already
            continue
    return numbers


def _request(identity: str, descriptors: Iterable[int], ignored: Iterable[int]) -> bytes:
    """Return the request: what the child needs to stand in for this process, with descriptor numbers."""
    umask = os.umask(0o77)
    os.umask(umask)
    limits: list[int] = []
    for number in range(32):
        try:
            limits += resource.getrlimit(number)
        except ValueError:  # there are no more
            break
    numbers = (umask, os.getpriority(os.PRIO_PROCESS, 0))
    arguments = [os.fsencode(each) for each in sys.argv]
    return b"\0".join([
        wire.CALL,
        os.fsencode(identity),
        os.fsencode(sys.executable),
        *(" ".join(map(str, each)).encode() for each in (numbers, limits, ignored, descriptors)),
        str(len(arguments)).encode(),
        *arguments,
        *(name + b"=" + value for name, value in os.environb.items()),
    ])  # fmt: skip


def _send(connection: _socket.socket, request: bytes, descriptors: list[int]) -> None:
    """Send a request with the working directory, the terminal and the descriptors. Raises OSError."""
    here = os.open(".", getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_CLOEXEC)
    given = [here]
    try:
        try:
            given.append(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC))
        except OSError:  # no terminal: the child sees so by the number of descriptors
            pass
        if len(given) + len(descriptors) > wire.MOST_DESCRIPTORS:
            raise OSError("too many descriptors to hand over")
        handed = b"".join(each.to_bytes(4, sys.byteorder) for each in (*given, *descriptors))
        whole = len(request).to_bytes(wire.LENGTH, "big") + request
        sent = connection.sendmsg([whole], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, handed)])
        connection.sendall(whole[sent:])
    finally:
        for each in given:
            os.close(each)


def _exactly(connection: _socket.socket, size: int) -> bytes:
    """Read `size` bytes; fewer if the other side has closed."""
    received = b""
    while len(received) < size and (more := connection.recv(size - len(received))):
        received += more
    return received


def _ending(connection: _socket.socket) -> bytes:
    """Return how the child ended; empty if the connection was lost.

    Never raises: this call is not run again.
    """
    try:
        return _exactly(connection, 2)
    except OSError:
        return b""


def _end(said: bytes, signals: _Signals) -> None:
    """Exit as the child did, by status or signal; if that is unknown, as a process that was killed."""
    if said[:1] == wire.ENDED and len(said) == 2:
        os._exit(said[1])
    number: int = said[1] if len(said) == 2 else _signal.SIGKILL
    if number == _signal.SIGKILL:  # not sent through us; by a system out of memory, say
        _tell_lost()
    signals.give_back()
    if number != _signal.SIGKILL:
        _signal.signal(number, _signal.SIG_DFL)
    os.kill(os.getpid(), number)
    os._exit(128 + number)  # reached only if the signal does not end a process


def _tell_lost() -> None:
    line = f"mem: {_LOST}\n"
    if "--json" in sys.argv:
        line = f'{{"error":"killed","message":"{_LOST}","exit_status":137}}\n'
    try:
        os.write(2, line.encode())
    except OSError:
        pass


def peer(connection: _socket.socket) -> tuple[int, int]:
    """Return the process id and the user at the other end, as the kernel tells it. Raises OSError."""
    if sys.platform == "darwin":
        # LOCAL_PEERPID; LOCAL_PEERCRED gives a struct xucred: a version, the user (sys/un.h, sys/ucred.h).
        process = connection.getsockopt(0, 2, 4)
        user = connection.getsockopt(0, 1, 76)[4:8]
        return int.from_bytes(process, sys.byteorder), int.from_bytes(user, sys.byteorder)
    # struct ucred: pid, uid, gid.
    told = connection.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, 12)
    return int.from_bytes(told[:4], sys.byteorder), int.from_bytes(told[4:8], sys.byteorder)


class _Signals:
    """The signals of this process while a child does its work: each is passed on; Ctrl-Z stops both."""

    def __init__(self) -> None:
        self.ignored: list[int] = []
        self._child = 0
        self._before: dict[int, Callable[[int, FrameType | None], object] | int | None] = {}
        self._early: list[int] = []

    def take(self) -> None:
        """From now on hold signals back until there is a child. Those that are ignored stay ignored."""
        for number in range(1, 32):
            if _signal.getsignal(number) == _signal.SIG_IGN:
                self.ignored.append(number)
        for number in (*PASSED_ON, _signal.SIGTSTP):
            if number not in self.ignored:
                self._before[number] = _signal.signal(number, self._handle)

    def pass_to(self, child: int) -> None:
        """From now on pass signals on to this process, the ones held back first."""
        self._child = child
        while self._early:
            self._handle(self._early.pop(0), None)

    def give_back(self) -> None:
        """Restore the signal handlers; raise here the signals that were held back and passed to nobody."""
        for number, handler in self._before.items():
            _signal.signal(number, handler)
        self._before = {}
        for number in self._early:
            os.kill(os.getpid(), number)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if not self._child:
            self._early.append(number)
        elif number == _signal.SIGTSTP:
            self._stop()
        else:
            self._tell(number, everybody=number in _TO_ALL)

    def _stop(self) -> None:
        """Stop together with the child, and continue it when the shell continues us."""
        self._tell(_signal.SIGSTOP, everybody=True)
        _signal.signal(_signal.SIGTSTP, _signal.SIG_DFL)
        os.kill(os.getpid(), _signal.SIGTSTP)
        _signal.signal(_signal.SIGTSTP, self._handle)
        self._tell(_signal.SIGCONT, everybody=True)

    def _tell(self, number: int, *, everybody: bool) -> None:
        try:
            (os.killpg if everybody else os.kill)(self._child, number)
        except OSError:  # it has ended, or its number is another's by now
            pass
