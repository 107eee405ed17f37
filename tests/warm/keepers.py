"""A keeper for a test: started, asked, and gone with everything it forked when the test is."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from memcli.warm import control
from tests.conftest import MEM

_LIMIT = 90.0
# On a busy machine a keeper says hello later than its callers usually wait.
PATIENT = ("_MEM_PATIENT", "1")
# As `pip install` writes it, wherever the tests run.
MAIN = "import sys; from memcli.__main__ import main; sys.argv[0] = 'mem'; main()"


class Keeper:
    """The keeper of this test's environment."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def mem(self, *arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
        """Run `mem`; it goes to the keeper if it may."""
        given = {"stdin": subprocess.DEVNULL} if "input" not in options else {}
        return subprocess.run(
            [MEM, *arguments],
            **{"capture_output": True, "encoding": "utf-8", "timeout": _LIMIT, **given, **options},
        )

    def start(self, *options: str) -> dict[str, Any]:
        done = self.mem("warm", "start", "--json", *options)
        assert done.returncode == 0, done.stderr
        told: dict[str, Any] = json.loads(done.stdout)
        return told

    def told(self) -> list[dict[str, Any]]:
        """What the keepers here say of themselves."""
        return [json.loads(line) for line in self.mem("warm", "status", "--json").stdout.splitlines()]

    def one(self) -> dict[str, Any]:
        [found] = self.told()
        return found

    @property
    def calls(self) -> int:
        """How many calls it has taken over; asked from here, for a call of `mem` takes longer."""
        [found] = control.keepers()
        assert found.told, "it does not answer"
        calls: int = found.told["calls"]
        return calls

    @contextmanager
    def taking_over(self, calls: int) -> Iterator[None]:
        """So many calls inside go to the keeper."""
        before = self.calls
        yield
        after = self.calls
        assert after - before == calls, (before, after)

    def is_as_started(self) -> bool:
        """Whether it is the one process here, answers calls such as ours, and has none to do."""
        lying = sorted(path.suffix for path in self.folder.glob("**/*"))
        if len(processes_at(self.folder)) != 1 or lying != ["", ".lock", ".sock"]:
            return False
        told = self.told()
        if len(told) != 1 or not told[0]["ours"] or not told[0]["answers"] or told[0]["at_work"]:
            return False
        with suppress(AssertionError):
            wait_until(lambda: len(self.children()) <= 1, 5)  # the spare one
            return True
        return False

    def children(self) -> list[int]:
        """The processes that it has forked, zombies left out."""
        found, keeper = [], str(self.one_process())
        for each in Path("/proc").glob("[0-9]*/stat"):
            with suppress(OSError):
                state, parent = each.read_text().rpartition(")")[2].split()[:2]
                if parent == keeper and state != "Z":
                    found.append(int(each.parent.name))
        return found

    def only_child(self) -> int:
        """Its one child, once it keeps one; that of a call that ends may be seen a moment longer."""
        seen: list[list[int]] = [[]]

        def stays() -> bool:
            seen.append(self.children())
            return len(seen[-1]) == 1 and seen[-1] == seen[-2]

        wait_until(stays)
        return seen[-1][0]

    def one_process(self) -> int:
        """The process that is started from here and listens."""
        [process] = processes_at(self.folder)
        return process


def processes_at(folder: Path) -> list[int]:
    """The keepers that were started for this folder, whether they answer or not; no child of one."""
    found = []
    for each in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            words = each.read_bytes().split(b"\0")
            parent = int((each.parent / "stat").read_text().rpartition(")")[2].split()[1])
            if b"memcli.warm" in words and os.fsencode(folder / "memcli") in words:
                found.append((int(each.parent.name), parent))
    processes = {process for process, _ in found}
    return [process for process, parent in found if parent not in processes]


def end_all(folder: Path) -> None:
    """No keeper outlives its test."""
    deadline = time.monotonic() + _LIMIT
    while (left := processes_at(folder)) and time.monotonic() < deadline:
        for process in left:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGCONT)
                os.kill(process, signal.SIGKILL)
        time.sleep(0.02)


def wait_until(so: Callable[[], object], seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not so():
        assert time.monotonic() < deadline, "it took too long"
        time.sleep(0.02)


def cold(environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """An environment in which a call runs by itself."""
    return {**(environment or os.environ), "MEMCLI_WARM": "off"}


def python(code: str, *arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, timeout=_LIMIT, **options
    )
