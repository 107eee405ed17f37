"""Processes: run another program, stream its output, pass signals on to it, report its exit, and never hang.

`Standing` says how it relates to us: in our place (a step's command), for us (an LLM), or beside us (a
program that may ask for a key on the terminal).
"""

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
from typing import IO, Any

from memcli.named_tuple import NamedTuple

# The exit statuses of `timeout`, and of shells for a program that cannot be run or does not exist.
TIMED_OUT, NOT_EXECUTABLE, NOT_FOUND = 124, 126, 127
# After a program's end, how long (seconds) its silent children may keep its pipes open.
_LINGER = 0.5
# Seconds between SIGTERM and SIGKILL.
_GRACE = 5.0
# The longest delay (seconds) before a signal is noticed.
_LOOK = 0.2
_KILL: int = getattr(signal, "SIGKILL", signal.SIGTERM)
_PASSED_ON = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]

Sink = Callable[[bytes], None]


class Stream(NamedTuple):
    """What a program wrote to one stream: the first bytes, and the total number."""

    kept: bytes = b""
    size: int = 0


class Standing(NamedTuple):
    """How a program relates to us: its stdin, folder and environment, access to our terminal, and time-out.

    It reads our stdin, or the bytes of `stdin`, which it need not read to the end. With `timeout` (seconds)
    it runs in its own process group, without the terminal's keyboard, and is ended as a whole: by SIGTERM,
    and by SIGKILL after `grace` seconds more; with `keyboard` it stays in our group, may read from the
    terminal, and is ended alone. With `session` it has no terminal at all (none to ask for a password on),
    and nothing that it leaves behind can hold its pipes open. `inherit` are descriptors that it inherits as
    well.
    """

    stdin: bytes | None = None
    timeout: float | None = None
    grace: float = _GRACE
    session: bool = False
    keyboard: bool = False
    inherit: tuple[int, ...] = ()
    directory: str | None = None
    environment: dict[str, str] | None = None

    @classmethod
    def in_our_place(
        cls, *, timeout: float | None, inherit: tuple[int, ...], environment: dict[str, str]
    ) -> Standing:
        """Return a standing with our stdin and terminal, and SIGTERM before SIGKILL at a time-out."""
        return cls(timeout=timeout, inherit=inherit, environment=environment)

    @classmethod
    def for_us(cls, stdin: bytes, *, timeout: float, directory: str) -> Standing:
        """Return a standing in a session of its own, killed as a whole at a time-out."""
        return cls(stdin=stdin, timeout=timeout, grace=0, session=True, directory=directory)

    @classmethod
    def beside_us(cls, *, timeout: float) -> Standing:
        """Return a standing at our terminal, where it may ask, without our stdin; killed at a time-out."""
        return cls(stdin=b"", timeout=timeout, grace=0, keyboard=True)


class Exit(NamedTuple):
    """How a program ended. `status` is as in shells: 128 + n if signal n ended it."""

    status: int
    # Ended by a signal (its own crash, or one sent to it), so that it is unknown how far it got.
    signalled: bool
    timed_out: bool
    # Why it could not be started at all, in which case it has done nothing.
    not_started: str | None
    stdout: Stream = Stream()
    stderr: Stream = Stream()
    # The exception that a sink raised, except a broken pipe.
    unheard: Exception | None = None


class Signals:
    """The signals received while a program runs, passed on to it. See `passing_signals`.

    With `deadly` each one is sent as SIGKILL, since the program works only for us.
    """

    def __init__(self, *, deadly: bool = False) -> None:
        self.received: int | None = None
        self._deadly = deadly
        self._process: subprocess.Popen[bytes] | None = None
        self._own_group = False

    def serve(self, process: subprocess.Popen[bytes], own_group: bool) -> None:
        """Send signals to this process from now on (with `own_group`, to its whole group)."""
        self._process, self._own_group = process, own_group
        if self.received is not None:
            self.handle(self.received, None)

    def kill(self) -> None:
        """Kill it, and, if they are a group of their own, all processes that it started."""
        self.send(_KILL)

    def send(self, number: int) -> None:
        """Send it a signal; ignored if it is gone."""
        process = self._process
        if process is None:
            return
        with suppress(OSError):
            if self._own_group and sys.platform != "win32":
                os.killpg(process.pid, number)  # also processes it left behind
            elif sys.platform == "win32":
                if self._own_group:
                    tree = ["taskkill", "/F", "/T", "/PID", str(process.pid)]
                    subprocess.run(tree, capture_output=True, check=False, timeout=10)
                if number != signal.SIGINT:  # the console has told it already
                    process.terminate()
            else:
                process.send_signal(number)

    def handle(self, number: int, frame: FrameType | None) -> None:
        """Handle a signal sent to us."""
        self.received = number
        if number != signal.SIGINT or self._own_group or not _in_foreground():
            self.send(_KILL if self._deadly else number)

    def obey(self) -> None:
        """Let a signal that was received take its normal effect on us; do nothing if there was none."""
        if self.received == signal.SIGINT:
            raise KeyboardInterrupt
        if self.received is not None:
            os.kill(os.getpid(), self.received)


@contextmanager
def passing_signals(*, deadly: bool = False) -> Iterator[Signals]:
    """Note Ctrl-C, SIGTERM and SIGHUP and pass them on, instead of ending, while the block runs.

    A signal that was ignored when we were started (`nohup`, a shell's background) stays ignored.
    """
    signals = Signals(deadly=deadly)
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


def run_process(
    command: Sequence[str],
    signals: Signals,
    standing: Standing,
    *,
    stdout: Sink,
    stderr: Sink,
    keep: int | None,
) -> Exit:
    """Run `command` to its end, passing each piece of its output to its sink at once.

    Up to `keep` bytes of each stream are kept; with None the program writes to our own streams, and nothing
    passes through here. If a sink raises anything, the program is told by a broken pipe.
    """
    own_group = standing.session or (
        standing.timeout is not None and not standing.keyboard and sys.platform != "win32"
    )
    fed = standing.stdin is not None
    piped = None if keep is None else subprocess.PIPE
    no_keyboard = sys.stdin is None or (own_group and sys.stdin.isatty())
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE if fed else subprocess.DEVNULL if no_keyboard else None,
            stdout=piped,
            stderr=piped,
            bufsize=0,
            pass_fds=() if sys.platform == "win32" else standing.inherit,
            **_apart(session=standing.session, own_group=own_group),
            cwd=standing.directory,
            env=standing.environment,
        )
    except (OSError, ValueError) as error:
        missing = isinstance(error, FileNotFoundError)
        why = getattr(error, "strerror", None) or str(error)
        return Exit(
            NOT_FOUND if missing else NOT_EXECUTABLE, signalled=False, timed_out=False, not_started=why
        )
    signals.serve(process, own_group)
    pumps = [
        _Pump(stream, sink, keep or 0)
        for stream, sink in ((process.stdout, stdout), (process.stderr, stderr))
        if stream is not None
    ]
    if process.stdin is not None:
        _Feeder(process.stdin, standing.stdin or b"")
    timer = _Timer(signals, standing.timeout, standing.grace) if standing.timeout is not None else None
    status = _wait(process)
    timed_out = timer is not None and timer.ended_it()
    ended = time.monotonic()
    for pump in pumps:
        pump.drain(ended)
    if timed_out or (standing.session and any(pump.is_alive() for pump in pumps)):
        signals.kill()  # processes that it started may still run
        for pump in pumps:
            pump.drain(time.monotonic())
    said = [Stream(bytes(pump.kept), pump.size) for pump in pumps] or [Stream(), Stream()]
    failures = [pump.failure for pump in pumps if pump.failure]
    return Exit(
        TIMED_OUT if timed_out else 128 - status if status < 0 else status,
        signalled=status < 0,
        timed_out=timed_out,
        not_started=None,
        stdout=said[0],
        stderr=said[1],
        unheard=failures[0] if failures else None,
    )


def _apart(*, session: bool, own_group: bool) -> dict[str, Any]:
    """Return the Popen arguments that separate a program from our terminal, or from its keyboard."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP} if session else {}
    return {"start_new_session": True} if session else {"process_group": 0 if own_group else None}


class _Feeder(threading.Thread):
    """Writes a program's stdin, which the program need not read to the end, or at all."""

    def __init__(self, stream: IO[bytes], content: bytes) -> None:
        super().__init__(daemon=True)
        self._stream, self._content = stream, content
        self.start()

    def run(self) -> None:
        with suppress(OSError, ValueError), self._stream:
            rest = memoryview(self._content)
            while rest:
                rest = rest[self._stream.write(rest) :]


class _Pump(threading.Thread):
    """Copies one stream of the program to its sink and keeps the beginning."""

    def __init__(self, stream: IO[bytes], sink: Sink, keep: int) -> None:
        super().__init__(daemon=True)
        self.kept = bytearray()
        self.size = 0
        self.failure: Exception | None = None
        self._stream, self._sink, self._keep = stream, sink, keep
        # Since when (monotonic seconds) it waits for output; None while it passes output on.
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

        `ended` is when (monotonic seconds) the program itself ended.
        """
        while self.is_alive():
            self.join(0.05)
            since = self._waiting
            if since is not None and time.monotonic() - max(since, ended) > _LINGER:
                return


class _Timer(threading.Thread):
    """Ends a program that takes too long: first by SIGTERM, then by SIGKILL."""

    def __init__(self, signals: Signals, seconds: float, grace: float) -> None:
        super().__init__(daemon=True)
        self._signals, self._seconds, self._grace = signals, seconds, grace
        self._in_time = threading.Event()
        self._expired = False
        self.start()

    def run(self) -> None:
        if self._in_time.wait(min(self._seconds, threading.TIMEOUT_MAX)):
            return
        self._expired = True
        if self._grace:
            self._signals.send(signal.SIGTERM)
            time.sleep(self._grace)
        self._signals.kill()

    def ended_it(self) -> bool:
        """True if the program that has just ended was ended by this timer."""
        self._in_time.set()
        return self._expired


def _wait(process: subprocess.Popen[bytes]) -> int:
    """Return its exit status, waiting in short steps: a signal just before a wait is seen only after it."""
    ended = threading.Event()

    def wait() -> None:
        process.wait()
        ended.set()

    threading.Thread(target=wait, daemon=True).start()
    while not ended.wait(_LOOK):
        pass
    return process.wait()


def _in_foreground() -> bool:
    """True if the terminal, on Ctrl-C, has already signalled our whole process group."""
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
