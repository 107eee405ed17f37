"""Commands in processes of their own, with the shim in them, forked from one that has imported everything."""

from __future__ import annotations

import ctypes
import gc
import io
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import redirect_stderr, redirect_stdout
from enum import IntEnum
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.faults.check import Outcome

# Beyond so many seconds a command hangs; on a machine that others use, too, it may get one in a hundred.
_LIMIT = 600.0
# What most of the rest is made by.
_FIRST = (
    ("remember", "I moved to Turku in May, and the ferry leaves at eight"),
    ("log", "--session", "s", "Ann owns a boat"), ("recall", "where is the ferry?"),
    ("consolidate",), ("context",), ("doctor",), ("forget", "--query", "ferry", "--hard", "--yes"),
)  # fmt: skip


class Calls(NamedTuple):
    """How many calls a command made that change files, and that open or read them; 0 where it was killed."""

    writing: int = 0
    reading: int = 0


class Fault(IntEnum):
    """What the shim does at the n-th call: shim.c knows them by number."""

    NONE = 0
    KILL = 1
    TORN = 2
    FULL = 3
    BROKEN = 4
    UNREAD = 5


def build_shim(folder: Path) -> Path:
    """Compile the shim into `folder`. Raises CalledProcessError, or OSError where there is no gcc."""
    library = folder / "shim.so"
    source = Path(__file__).with_name("shim.c")
    subprocess.run(["gcc", "-shared", "-fPIC", "-O2", "-o", library, source, "-ldl"], check=True)
    return library


def warm_up(folder: Path) -> None:
    """Have in memory what a command imports and makes once (a thousand expressions), before any is forked.

    The tests' stand-in serves for the model. `folder` is an empty one, which is left as it was.
    """
    import memcli.app
    import memcli.command_line.loading
    import memcli.command_line.table
    import memcli.embedding
    from tests.standin import StandIn

    def stand_in(name: str, *_: Any, **__: Any) -> StandIn:
        return StandIn(name)

    memcli.embedding.open_embedder = stand_in  # the real one takes longer than the fault
    for name in memcli.command_line.table.COMMANDS:
        memcli.command_line.loading.load_command(name)
    home = folder / "warm"
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        for words in _FIRST:
            memcli.app.run(["--db", str(home / "memory.db"), *words])
    shutil.rmtree(home)
    # What is there by now is there in each child: none looks through it for garbage, which would copy it.
    gc.collect()
    gc.freeze()


def call(
    words: tuple[str, ...],
    folder: Path,
    stdin: str = "",
    fault: Fault = Fault.NONE,
    at: int = 0,
    kill_after: float | None = None,
) -> tuple[Outcome, Calls]:
    """Run a command line with its home in `folder`; gives how it ended and what calls it made.

    `kill_after` is in seconds.
    """
    told, errors = folder / ".calls", folder / ".stderr"
    (folder / ".stdin").write_text(stdin)
    child = os.fork()
    if child == 0:
        _be(words, folder, fault, at)
    deadline = time.monotonic() + (_LIMIT if kill_after is None else kill_after)
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        if time.monotonic() > deadline:
            os.kill(child, signal.SIGKILL)
            deadline += _LIMIT
        time.sleep(0.002)
    calls = Calls(*map(int, told.read_text().split())) if told.exists() else Calls()
    said = errors.read_text(errors="replace") if errors.exists() else ""
    for each in (told, errors, folder / ".stdin"):
        each.unlink(missing_ok=True)
    return Outcome(os.waitstatus_to_exitcode(status), said), calls


def _be(words: tuple[str, ...], folder: Path, fault: Fault, at: int) -> None:
    """Be that command, in this process, and end."""
    status = 70
    try:
        for stream, name, flags in (
            (0, ".stdin", os.O_RDONLY),
            (1, ".stdout", os.O_WRONLY | os.O_CREAT | os.O_TRUNC),
            (2, ".stderr", os.O_WRONLY | os.O_CREAT | os.O_TRUNC),
        ):
            os.dup2(os.open(folder / name, flags, 0o600), stream)
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - till the end
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        sys.stderr = open(2, "w", 1, encoding="utf-8", closefd=False)  # noqa: SIM115
        home = folder / "home"
        os.environ.update(
            HOME=str(home), MEMCLI_DB=str(home / "memory.db"), MEMCLI_CONFIG=str(home / "config.toml"),
            MEMCLI_CACHE_DIR=str(home / "cache"), TMPDIR=str(folder), MEMCLI_BUSY_TIMEOUT="10",
        )  # fmt: skip
        sys.argv = ["mem", *words]
        from memcli.app import run

        shim = ctypes.CDLL(None)
        if hasattr(shim, "faults_arm"):
            shim.faults_calls.restype = shim.faults_asked.restype = ctypes.c_long
            shim.faults_arm(int(fault), ctypes.c_long(at), str(home).encode())
        status = run([*words])
        sys.stdout.flush()
        if fault is Fault.NONE and hasattr(shim, "faults_arm"):
            (folder / ".calls").write_text(f"{shim.faults_calls()} {shim.faults_asked()}")
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        os._exit(status)
