"""Run another program in our place: what it says streams through, signals reach it, its end is known."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from types import FrameType
from typing import IO, NamedTuple

# What `timeout`, and what shells give for a program that cannot be run, or is not there.
TIMED_OUT, NOT_EXECUTABLE, NOT_FOUND = 124, 126, 127
# After a program's end, how long (seconds) its silent children may keep its pipes open.
_LINGER = 0.5
# From asking it to end (SIGTERM) to making it (SIGKILL), in seconds.
_GRACE = 5.0
_KILL: int = getattr(signal, "SIGKILL", signal.SIGTERM)
_PASSED_ON = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]

Sink = Callable[[bytes], None]


class Said(NamedTuple):
    """What a program wrote to one stream: the first bytes, and how many there were."""

    kept: bytes = b""
    size: int = 0


class Ended(NamedTuple):
    """How a program ended. `status` is as shells count it: 128 + n where signal n ended it."""

    status: int
    # Ended by a signal (its own crash, or one sent to it), so that nobody knows how far it came.
    signalled: bool
    timed_out: bool
    # Why it could not be started at all; then it has done nothing.
    not_started: str | None
    stdout: Said = Said()
    stderr: Said = Said()
    # What a sink raised, but for its reader being gone.
    unheard: Exception | None = None


class Signals:
    """The signals that came while a program ran, passed on to it. See `passing_signals`."""

    def __init__(self) -> None:
        self.received: int | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._own_group = False

    def serve(self, process: subprocess.Popen[bytes], own_group: bool) -> None:
        """From now on they go to this process (with `own_group` to its whole group)."""
        self._process, self._own_group = process, own_group
        if self.received is not None:
            self.send(self.received)

    def send(self, number: int) -> None:
        """Send it one signal; no harm if it is gone."""
        process = self._process
        if process is None:
            return
        with suppress(OSError):
            if self._own_group and sys.platform != "win32":
                os.killpg(process.pid, number)  # those it left behind, too
            elif sys.platform == "win32":
                if number != signal.SIGINT:  # the console has told it already
                    process.terminate()
            else:
                process.send_signal(number)

    def handle(self, number: int, frame: FrameType | None) -> None:
        """Handle a signal to ourselves."""
        self.received = number
        if number != signal.SIGINT or self._own_group or not _in_foreground():
            self.send(number)


@contextmanager
def passing_signals() -> Iterator[Signals]:
    """Ctrl-C, SIGTERM and SIGHUP are noted and passed on, and do not end us, while this holds.

    One that we were started to ignore (`nohup`, a shell's background) stays ignored.
    """
    signals = Signals()
    before = {}
    if threading.current_thread() is threading.main_thread():
        for number in _PASSED_ON:
            if signal.getsignal(number) is not signal.SIG_IGN:
                before[number] = signal.signal(number, signals.handle)
    try:
        yield signals
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def run(
    command: Sequence[str],
    signals: Signals,
    *,
    stdout: Sink,
    stderr: Sink,
    keep: int | None,
    timeout: float | None = None,
    inherit: Sequence[int] = (),
    environment: dict[str, str] | None = None,
) -> Ended:
    """Run `command` to its end, with our stdin, each piece of output going to its sink at once.

    Up to `keep` bytes of each stream are kept; with None it writes to our own
    streams, and nothing passes through here. `inherit` are descriptors that it
    holds as well. With `timeout` (seconds) it is a process group of its own,
    away from the terminal's keyboard, and ended whole. When a sink raises
    anything, the program is told as a pipe without a reader would tell it.
    """
    own_group = timeout is not None and sys.platform != "win32"
    piped = None if keep is None else subprocess.PIPE
    no_keyboard = sys.stdin is None or (own_group and sys.stdin.isatty())
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL if no_keyboard else None,
            stdout=piped,
            stderr=piped,
            bufsize=0,
            pass_fds=() if sys.platform == "win32" else tuple(inherit),
            process_group=0 if own_group else None,
            env=environment,
        )
    except (OSError, ValueError) as error:
        missing = isinstance(error, FileNotFoundError)
        why = getattr(error, "strerror", None) or str(error)
        return Ended(NOT_FOUND if missing else NOT_EXECUTABLE, False, False, why)
    signals.serve(process, own_group)
    pumps = [
        _Pump(stream, sink, keep or 0)
        for stream, sink in ((process.stdout, stdout), (process.stderr, stderr))
        if stream is not None
    ]
    timer = _Timer(signals, timeout) if timeout is not None else None
    status = _wait(process)
    timed_out = timer is not None and timer.ended_it()
    ended = time.monotonic()
    for pump in pumps:
        pump.drain(ended)
    if timed_out:
        signals.send(_KILL)  # what it started may be less polite
    said = [Said(bytes(pump.kept), pump.size) for pump in pumps] or [Said(), Said()]
    failures = [pump.failure for pump in pumps if pump.failure]
    return Ended(
        TIMED_OUT if timed_out else 128 - status if status < 0 else status,
        status < 0,
        timed_out,
        None,
        said[0],
        said[1],
        failures[0] if failures else None,
    )


class _Pump(threading.Thread):
    """Carries one stream from the program to its sink and keeps the beginning."""

    def __init__(self, stream: IO[bytes], sink: Sink, keep: int) -> None:
        super().__init__(daemon=True)
        self.kept = bytearray()
        self.size = 0
        self.failure: Exception | None = None
        self._stream, self._sink, self._keep = stream, sink, keep
        # Since when (monotonic seconds) it waits for the program; None while it hands on.
        self._waiting: float | None = None
        self.start()

    def run(self) -> None:
        try:
            self._carry()
        except BrokenPipeError:
            pass  # closing the pipe tells the program so
        except Exception as error:  # raised again by who waits for the program
            self.failure = error
        self._stream.close()

    def _carry(self) -> None:
        descriptor = self._stream.fileno()
        while True:
            self._waiting = time.monotonic()
            data = os.read(descriptor, 1 << 16)
            self._waiting = None
            if not data:
                return
            self.size += len(data)
            self.kept += data[: max(0, self._keep - len(self.kept))]
            self._sink(data)

    def drain(self, ended: float) -> None:
        """Wait for the stream's end, unless a silent child in the background holds it open.

        `ended` is when (monotonic seconds) the program itself did.
        """
        while self.is_alive():
            self.join(0.05)
            since = self._waiting
            if since is not None and time.monotonic() - max(since, ended) > _LINGER:
                return


class _Timer(threading.Thread):
    """Ends a program that takes too long: first by asking, then by force."""

    def __init__(self, signals: Signals, seconds: float) -> None:
        super().__init__(daemon=True)
        self._signals, self._seconds = signals, seconds
        self._in_time = threading.Event()
        self._expired = False
        self.start()

    def run(self) -> None:
        if self._in_time.wait(min(self._seconds, threading.TIMEOUT_MAX)):
            return
        self._expired = True
        self._signals.send(signal.SIGTERM)
        time.sleep(_GRACE)
        self._signals.send(_KILL)

    def ended_it(self) -> bool:
        """Whether the program that has just ended did so because of this."""
        self._in_time.set()
        return self._expired


def _wait(process: subprocess.Popen[bytes]) -> int:
    if sys.platform != "win32":
        return process.wait()
    while True:  # there, Ctrl-C does not interrupt a wait without end
        with suppress(subprocess.TimeoutExpired):
            return process.wait(0.2)


def _in_foreground() -> bool:
    """Whether the terminal, on Ctrl-C, has told our whole process group already."""
    if sys.platform == "win32":
        return True
    try:
        terminal = os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY)
    except OSError:
        return False
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return False
    finally:
        os.close(terminal)
