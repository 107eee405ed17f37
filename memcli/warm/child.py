"""A child of the keeper: it becomes its caller, asks whether it is still wanted, does the call, is gone."""

from __future__ import annotations

import array
import fcntl
import gc
import io
import os
import resource
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import NoReturn, TextIO, cast

from memcli.named_tuple import NamedTuple
from memcli.system import deferred, standard_numbers
from memcli.system.terminal import use_terminal
from memcli.warm import client, peers, wire

_INTS = 4
# What a process has in memory counts against these, and a child has all that its keeper mapped.
_OF_MEMORY = [
    getattr(resource, name)
    for name in ("RLIMIT_AS", "RLIMIT_DATA", "RLIMIT_RSS", "RLIMIT_STACK")
    if hasattr(resource, name)
]


class Program(NamedTuple):
    """What a keeper keeps warm."""

    run: Callable[[list[str]], int]
    """Carries out a command line, its output flushed; gives its exit status."""
    runs_cold: Callable[[list[str]], bool]
    """Whether a command line is none for a child."""


class Unsure(Exception):
    """The call is none that a child could do just as its caller would."""


class Request(NamedTuple):
    """What a caller sent: all that makes a process that one."""

    identity: str
    executable: str
    """By which name it called the interpreter."""
    umask: int
    nice: int
    limits: Sequence[int]
    ignored: Sequence[int]
    numbers: Sequence[int]
    """Under which numbers it holds the descriptors that came along."""
    arguments: list[str]
    environment: dict[bytes, bytes]


def receive(connection: socket.socket) -> tuple[list[bytes], list[int]]:
    """The parts of a request, and the descriptors that came with it. Raises OSError, ValueError."""
    whole, descriptors = bytearray(), array.array("i")
    room = socket.CMSG_SPACE(wire.MOST_DESCRIPTORS * _INTS)
    while len(whole) < wire.LENGTH or len(whole) < wire.LENGTH + int.from_bytes(whole[: wire.LENGTH], "big"):
        piece, beside, flags, _ = connection.recvmsg(1 << 16, room)
        if not piece or flags & socket.MSG_CTRUNC:
            raise ValueError("the request is cut off")
        whole += piece
        for level, kind, content in beside:
            if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
                descriptors.frombytes(content[: len(content) // _INTS * _INTS])
    return bytes(whole[wire.LENGTH :]).split(b"\0"), list(descriptors)


def serve_call(
    program: Program,
    identity: str,
    connection: socket.socket,
    parts: list[bytes],
    given: list[int],
    pulse: int,
) -> NoReturn:
    """Be the caller, in this process, and end; `pulse` is the line to the keeper."""
    try:
        request = _read(parts)
        caller = client.peer(connection)[0]
        if request.identity != identity or not peers.has_our_authority(caller):
            raise Unsure
        _check_numbers(request.numbers, given)
        sys.argv, sys.executable = request.arguments, request.executable
        _take_environment(request.environment)
        connection, pulse = _take_descriptors(connection, pulse, request.numbers, given)
        _take_limits(request, caller)
        _take_streams()
        if program.runs_cold(request.arguments[1:]):
            raise Unsure
    except (OSError, ValueError, IndexError, Unsure):
        with suppress(OSError):
            connection.send(wire.COLD)
        os._exit(0)
    _take_signals(request.ignored)
    status = 0
    try:
        connection.send(wire.READY + os.getpid().to_bytes(wire.PROCESS_ID, "big"))
        if connection.recv(1) == wire.GO:  # else it had enough of waiting, and runs the call itself
            connection.send(wire.BEGUN)
            _tell(pulse, wire.CARRIES_OUT)
            deferred.enable()
            status = _carry_out(program, request.arguments[1:])
            # Before the caller goes, and the keeper ends whom he has left.
            _tell(pulse, wire.DONE + os.getpid().to_bytes(wire.PROCESS_ID, "big"))
            connection.send(wire.ENDED + bytes([status]))
            _leave_streams(request.numbers)
            deferred.run_all()
    except OSError:  # the caller is gone
        pass
    os._exit(status)


def _tell(pulse: int, said: bytes) -> None:
    with suppress(OSError):  # the keeper is gone
        os.write(pulse, said)


def _leave_streams(numbers: Sequence[int]) -> None:
    """Hold nothing of the caller's any more: who reads its output waits for the end of that."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in numbers:
        os.dup2(nowhere, number)


def _read(parts: list[bytes]) -> Request:
    """A request of its parts. Raises ValueError, IndexError."""
    _, identity, executable, *figures, count = parts[:8]
    (umask, nice), limits, ignored, numbers = ([int(each) for each in text.split()] for text in figures)
    end = 8 + int(count)
    pairs = (part.partition(b"=") for part in parts[end:])
    return Request(
        os.fsdecode(identity), os.fsdecode(executable), umask, nice, limits, ignored, numbers,
        [os.fsdecode(part) for part in parts[8:end]],
        {name: value for name, _, value in pairs if name},
    )  # fmt: skip


def _check_numbers(numbers: Sequence[int], given: Sequence[int]) -> None:
    """The folder came, perhaps a terminal, and each descriptor once. Raises Unsure."""
    if len(given) - len(numbers) not in (1, 2) or len(set(numbers)) != len(numbers):
        raise Unsure


def _take_environment(environment: dict[bytes, bytes]) -> None:
    os.environb.clear()
    os.environb.update(environment)
    time.tzset()
    tempfile.tempdir = None


def _take_descriptors(
    connection: socket.socket, pulse: int, numbers: Sequence[int], given: Sequence[int]
) -> tuple[socket.socket, int]:
    """Hold what the caller holds, under its numbers, and stand where it stands.

    Nothing else of the keeper's is left but what this gives: the connection and the pulse, out of the way.
    """
    # Nor under the number of a stream that the caller has closed, where ours would be taken for it.
    above = max((2, *numbers)) + 1
    moved = [fcntl.fcntl(each, fcntl.F_DUPFD_CLOEXEC, above) for each in (connection.fileno(), pulse, *given)]
    connection.detach()
    for each in [int(name) for name in os.listdir("/dev/fd")]:  # noqa: PTH208
        if each not in moved:
            with suppress(OSError):  # by which the folder was read
                os.close(each)
    kept, folder, rest = moved[:2], moved[2], moved[3:]
    use_terminal(rest.pop(0) if len(rest) > len(numbers) else None)
    for number, each in zip(numbers, rest, strict=True):
        os.dup2(each, number, inheritable=True)
        os.close(each)
    os.fchdir(folder)
    os.close(folder)
    return socket.socket(socket.AF_UNIX, fileno=kept[0]), kept[1]


def _take_limits(request: Request, caller: int) -> None:
    """Raises OSError or ValueError where we may not have as much as the caller, Unsure for little memory."""
    os.umask(request.umask)
    # To a group of its own a signal of the terminal goes as to the caller's: to all that it starts.
    os.setpgid(0, 0)
    if os.getpriority(os.PRIO_PROCESS, 0) != request.nice:
        os.setpriority(os.PRIO_PROCESS, 0, request.nice)
    if sys.platform == "linux":
        os.sched_setaffinity(0, os.sched_getaffinity(caller))
    limits = zip(request.limits[::2], request.limits[1::2], strict=True)
    for number, limit in enumerate(limits):
        own = resource.getrlimit(number)
        if number in _OF_MEMORY and _is_lower(limit[0], own[0]):
            raise Unsure
        if own != limit:
            resource.setrlimit(number, limit)


def _is_lower(limit: int, other: int) -> bool:
    return limit != resource.RLIM_INFINITY and (other == resource.RLIM_INFINITY or limit < other)


def _take_streams() -> None:
    """Make the streams as Python does when it starts: none where there is no descriptor.

    What is opened then comes under no number of theirs.
    """
    sys.stdin = sys.__stdin__ = _stream(0, None)  # type: ignore[misc, assignment]
    sys.stdout = sys.__stdout__ = _stream(1, None)  # type: ignore[misc, assignment]
    sys.stderr = sys.__stderr__ = _stream(2, "backslashreplace")  # type: ignore[misc, assignment]
    standard_numbers.hold_closed()


def _stream(number: int, errors: str | None) -> TextIO | None:
    try:
        raw = io.FileIO(number, "w" if number else "r", closefd=False)
    except OSError:
        return None
    encoding = sys.getfilesystemencoding()
    if number == 0:
        return io.TextIOWrapper(io.BufferedReader(raw), encoding, errors)
    # Callers of other ways are not ours (`place.identity`), so it stands in our environment, too.
    unbuffered = bool(os.environ.get("PYTHONUNBUFFERED"))
    return io.TextIOWrapper(
        cast(io.BufferedWriter, raw) if unbuffered else io.BufferedWriter(raw),
        encoding,
        errors,
        newline="\n",
        line_buffering=number == 2 or raw.isatty(),
        write_through=unbuffered,
    )


def _take_signals(ignored: Sequence[int]) -> None:
    """Handle signals as the caller would; the keeper had them held back meanwhile."""
    for number in (*client.PASSED_ON, signal.SIGTSTP, *ignored):
        usual = signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL
        signal.signal(number, signal.SIG_IGN if number in ignored else usual)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def _carry_out(program: Program, arguments: list[str]) -> int:
    """The exit status of a command line; what it lets through is told as Python tells it."""
    gc.enable()
    try:
        return program.run(arguments) & 0xFF
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
        return 128 + signal.SIGINT
    except SystemExit as error:
        return error.code & 0xFF if isinstance(error.code, int) else int(error.code is not None)
    except BaseException:
        sys.excepthook(*sys.exc_info())
        return 1
