"""An LLM behind a command: the prompt on its stdin, its answer on stdout, and no way to get stuck.

The command runs without a shell, without a terminal, as the head of a process
group of its own that is killed as a whole: at the time-out, when it says too
much, and when memcli itself is interrupted or told to end.
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import IO, Any

from memcli.errors import BadInput, LlmFailed
from memcli.llm import WAYS, Answer
from memcli.prompt.budget import CHARACTERS_A_TOKEN, clipped, estimate

# No answer that memcli asks for is a hundredth as long.
MAX_ANSWER = 1_000_000
# What is kept of stderr, to say its last line.
_STDERR = 8192
_LINE = 200
_CHUNK = 65536
# Seconds between looks at a running command, and those that its pipes have to close once it is gone.
_LOOK = 0.1
_GRACE = 1.0


def open_command(command: str, timeout: float) -> CommandLLM:
    """The LLM behind a command line, split as a shell would; `timeout` in seconds.

    Raises BadInput for a line that cannot be split, LlmFailed where there is
    no such program.
    """
    try:
        arguments = shlex.split(command, posix=os.name != "nt")
    except ValueError as error:
        raise BadInput(f"llm: {command!r:.80} cannot be split into words ({error})") from error
    if os.name == "nt":
        arguments = [word.strip('"') for word in arguments]
    if not arguments:
        raise BadInput(f"llm: the command is empty; {WAYS}")
    program = shutil.which(arguments[0])
    if program is None:
        raise LlmFailed(f"no such LLM command: {arguments[0]!r:.80}; {WAYS}")
    # It will run elsewhere, so a path is made one that holds there too.
    return CommandLLM([str(Path(program).absolute()), *arguments[1:]], timeout)


class CommandLLM:
    """An LLM that is a program with its arguments."""

    def __init__(self, arguments: list[str], timeout: float) -> None:
        self.name = Path(arguments[0]).name
        self._arguments = arguments
        self._timeout = timeout

    def ask(self, prompt: str, most: int | None = None, within: float | None = None) -> Answer:
        """Run the command once. It starts in the home directory: where its caller stands steers nothing."""
        limit = MAX_ANSWER if most is None else min(MAX_ANSWER, most * CHARACTERS_A_TOKEN)
        began = time.monotonic()
        try:
            process = subprocess.Popen(
                self._arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                bufsize=0, cwd=_neutral_place(), **_own_group(),
            )  # fmt: skip
        except (OSError, ValueError) as error:
            raise LlmFailed(f"{self.name} cannot be run: {error}") from error
        with _ended_with_us(process):
            answer = self._talk(process, prompt, limit, began + min(self._timeout, within or self._timeout))
        return Answer(answer, estimate(prompt), estimate(answer), time.monotonic() - began)

    def _talk(self, process: subprocess.Popen[bytes], prompt: str, limit: int, deadline: float) -> str:
        answer, complaints, flooded = bytearray(), bytearray(), threading.Event()
        threads = [
            threading.Thread(target=each, args=arguments, daemon=True)
            for each, arguments in (
                (_read, (process.stdout, answer, limit, flooded)),
                (_read_tail, (process.stderr, complaints)),
                (_write, (process.stdin, prompt.encode("utf-8", errors="replace"))),
            )
        ]
        for thread in threads:
            thread.start()
        while process.poll() is None:
            left = deadline - time.monotonic()
            if flooded.is_set():
                raise _too_much(self.name, limit)
            if left <= 0:
                raise LlmFailed(
                    f"{self.name} gave no answer within {self._timeout:g} s (llm_timeout); it was stopped"
                )
            with suppress(subprocess.TimeoutExpired):
                process.wait(min(left, _LOOK))
        _close(process, threads)
        if process.returncode:
            raise LlmFailed(f"{self.name} {_ending(process.returncode)}{_last_line(complaints)}")
        if len(answer) > limit:
            raise _too_much(self.name, limit)
        text = answer.decode("utf-8", errors="replace").strip()
        if not text:
            raise LlmFailed(f"{self.name} answered nothing{_last_line(complaints)}")
        return text


def _too_much(name: str, limit: int) -> LlmFailed:
    tokens = -(-limit // CHARACTERS_A_TOKEN)
    return LlmFailed(f"{name} answered more than {limit:,} bytes; it was stopped", tokens)


def _read(pipe: IO[bytes], into: bytearray, limit: int, flooded: threading.Event) -> None:
    with suppress(OSError, ValueError):
        while chunk := pipe.read(_CHUNK):
            into += chunk
            if len(into) > limit:
                flooded.set()
                return


def _read_tail(pipe: IO[bytes], into: bytearray) -> None:
    with suppress(OSError, ValueError):
        while chunk := pipe.read(_CHUNK):
            into += chunk
            del into[:-_STDERR]


def _write(pipe: IO[bytes], prompt: bytes) -> None:
    # A command need not read its prompt to the end, or at all.
    with suppress(OSError, ValueError), pipe:
        rest = memoryview(prompt)
        while rest:
            rest = rest[pipe.write(rest) :]


def _close(process: subprocess.Popen[bytes], threads: list[threading.Thread]) -> None:
    """Wait for the pipes of a command that is gone; what it left behind and still holds them is killed."""
    deadline = time.monotonic() + _GRACE
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))
    if any(thread.is_alive() for thread in threads):
        _kill_group(process)
        for thread in threads:
            thread.join(_GRACE)


@contextmanager
def _ended_with_us(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Whatever ends this block early, an exception, Ctrl-C or a signal, ends the whole group."""

    # Ctrl-C raises by itself. Only the main thread may handle signals; `nohup mem …` keeps its meaning.
    main = threading.current_thread() is threading.main_thread()
    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if main and hasattr(signal, name)]
    before = {number: signal.getsignal(number) or signal.SIG_DFL for number in numbers}

    def pass_on(number: int, _: FrameType | None) -> None:
        _kill_group(process)
        signal.signal(number, before[number])
        os.kill(os.getpid(), number)

    for number, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(number, pass_on)
    try:
        yield
    finally:
        if process.poll() is None:
            _kill_group(process)
            with suppress(subprocess.TimeoutExpired):
                process.wait(_GRACE)
        for number, handler in before.items():
            signal.signal(number, handler)


def _own_group() -> dict[str, Any]:
    if os.name == "nt":
        return {"creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)}
    # A session rather than a group: it has no terminal to ask a password on.
    return {"start_new_session": True}


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    with suppress(OSError):
        if os.name == "nt":
            tree = ["taskkill", "/F", "/T", "/PID", str(process.pid)]
            subprocess.run(tree, capture_output=True, check=False, timeout=10)
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)


def _neutral_place() -> str:
    home = Path.home()
    return str(home) if home.is_dir() else tempfile.gettempdir()


def _ending(status: int) -> str:
    if status < 0:
        with suppress(ValueError):
            return f"was ended by {signal.Signals(-status).name}"
    return f"failed (exit status {status})"


def _last_line(complaints: bytearray) -> str:
    """What a failing command said last: without a secret, for a key is what it often complains about."""
    from memcli.text.secrets import find_secrets, redacted

    lines = [line for line in complaints.decode("utf-8", errors="replace").splitlines() if line.strip()]
    if not lines:
        return ""
    line = lines[-1].strip()[: 4 * _LINE]
    shown = redacted(line, find_secrets(line))
    return f": {clipped(shown, _LINE)}"
