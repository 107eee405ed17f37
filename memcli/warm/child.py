"""A child of the keeper: it takes on its caller's process state, waits for the go-ahead, runs the call."""

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
# Memory limits: a child's usage includes all that its keeper has mapped, so lower ones cannot be taken over.
_OF_MEMORY = [
    getattr(resource, name)
    for name in ("RLIMIT_AS", "RLIMIT_DATA", "RLIMIT_RSS", "RLIMIT_STACK")
    if hasattr(resource, name)
]


class Program(NamedTuple):
    """The entry points of the program that a keeper holds."""

    run: Callable[[list[str]], int]
    """Carries out a command line, flushes its output, and returns its exit status."""
    runs_cold: Callable[[list[str]], bool]
    """True if the caller has to run a command line itself."""


class Unsure(Exception):
    """This child could not do the call exactly as its caller would."""


class Request(NamedTuple):
    """A caller's request: all the process state that a child takes over."""

    identity: str
    executable: str
    """The name by which the caller started the interpreter."""
    umask: int
    nice: int
    limits: Sequence[int]
    ignored: Sequence[int]
    numbers: Sequence[int]
    """The caller's numbers of the file descriptors that were sent along."""
    arguments: list[str]
    environment: dict[bytes, bytes]


def receive(connection: socket.socket) -> tuple[list[bytes], list[int]]:
    """Return the parts of a request, and the file descriptors sent with it. Raises OSError, ValueError."""
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
    """Do a call as the caller's process would, and exit; `pulse` is the pipe to the keeper."""
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
        if connection.recv(1) == wire.GO:  # else the caller waited too long, and runs it itself
            connection.send(wire.BEGUN)
            _tell(pulse, wire.CARRIES_OUT)
            deferred.enable()
            status = _carry_out(program, request.arguments[1:])
            # Told before the caller exits: the keeper kills a child whose caller has gone before it is done.
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
    """Close the caller's streams in this process: a reader waits until every writer has closed them."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in numbers:
        os.dup2(nowhere, number)


def _read(parts: list[bytes]) -> Request:
    """Return the request that these parts make. Raises ValueError, IndexError."""
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
    """Check that the working directory came, perhaps a terminal, and each descriptor once. Raises Unsure."""
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
    """Take over the caller's descriptors, under its numbers, and its working directory and terminal.

    All else that is the keeper's is closed, but for the connection and the pulse, which are moved to free
    numbers and returned.
    """
    # Above 2 in any case: under the number of a stream that the caller has closed ours would be taken for it.
    above = max((2, *numbers)) + 1
    moved = [fcntl.fcntl(each, fcntl.F_DUPFD_CLOEXEC, above) for each in (connection.fileno(), pulse, *given)]
    connection.detach()
    for each in [int(name) for name in os.listdir("/dev/fd")]:  # noqa: PTH208
        if each not in moved:
            with suppress(OSError):  # the one that listed /dev/fd is closed already
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
    """Take over umask, priority, CPUs and limits.

    Raises OSError or ValueError if this process may not have as much as the caller, Unsure if a memory
    limit is lower.
    """
    os.umask(request.umask)
    # A process group of its own, so that a terminal's signal reaches all that the child starts, as at the
    # caller.
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
    """Make the standard streams as Python does on start: None for a closed descriptor.

    Closed numbers are then occupied, so that no file that is opened later takes one of them.
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
    # The same for every caller of this keeper: PYTHON* variables are part of `place.identity`.
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
    """Handle signals as the caller would; the keeper had blocked them until now."""
    for number in (*client.PASSED_ON, signal.SIGTSTP, *ignored):
        usual = signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL
        signal.signal(number, signal.SIG_IGN if number in ignored else usual)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def _carry_out(program: Program, arguments: list[str]) -> int:
    """Return the exit status of a command line; an exception that escapes is reported as Python does."""
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
