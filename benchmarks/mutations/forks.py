"""Tests run against a mutant that stands in no file: a process that is ready to run tests forks for each.

What tests import that is not memcli's is imported once; a child takes the mutated module from memory, runs
the tests there are for it and ends. Programs that a test starts know nothing of the mutant, so such tests
are for `judging.Judge` and its trees.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import CodeType, ModuleType
from typing import NamedTuple

from benchmarks.mutations.scratch import TREE

# Nothing of memcli's: of that a child imports its own.
_READY = (
    "pytest", "_hypothesis_pytestplugin", "pytest_timeout", "hypothesis", "numpy", "sqlcipher3.dbapi2",
    "sqlite_vec", "re2", "xxhash",
)  # fmt: skip
PYTEST = ("-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-o", "addopts=", "--assert=plain",
          "-p", "benchmarks.mutations.limits")  # fmt: skip
# Beside the tests' own limits, for importing and collecting (s).
_PATIENCE = 120


# In place of a test: it ended before the first began.
IMPORT = "import"


class End(NamedTuple):
    """How a run of tests ended: by no failure (`test` empty), or by the first; `import` is before any."""

    test: str = ""
    hangs: bool = False


def environment(notes: Path, limits: Mapping[str, float]) -> dict[str, str]:
    """What `benchmarks.mutations.limits` reads, its files written: the seconds of each test."""
    notes.unlink(missing_ok=True)
    file = notes.with_name("limits")
    file.write_text(json.dumps(limits))
    return {"MEMCLI_MUTATIONS_LIMITS": str(file), "MEMCLI_MUTATIONS_NOTES": str(notes)}


def end_of(notes: Path, *, passed: bool) -> End:
    """What the notes of a run that is over say of its end."""
    if passed:
        return End()
    lines = [json.loads(line) for line in notes.read_text().splitlines()] if notes.exists() else []
    for test, outcome in lines:
        if outcome == "failed":
            return End(test)
    return End(lines[-1][0], hangs=True) if lines else End(IMPORT)


class Forks:
    """The process that forks, told what to run a line at a time. Close it."""

    def __init__(self, folder: Path) -> None:
        self._notes = folder / "notes"
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.mutations.forks"], cwd=TREE, text=True,
            env={**os.environ, "PYTHONPATH": str(TREE)}, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip

    def run(self, file: str, source: str, limits: Mapping[str, float]) -> End:
        """Run the tests that are limited (s), in this order, with `file` saying `source`, until one fails."""
        assert self._process.stdin and self._process.stdout
        asked = {"file": file, "source": source, "tests": list(limits),
                 "seconds": sum(limits.values()) + _PATIENCE,
                 "environment": environment(self._notes, limits)}  # fmt: skip
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        return end_of(self._notes, passed=json.loads(self._process.stdout.readline()) == 0)

    def close(self) -> None:
        """End it."""
        self._process.communicate()


class _Loader(importlib.machinery.SourceFileLoader):
    """Loads a module from a source that stands in no file."""

    def __init__(self, name: str, path: str, source: str) -> None:
        super().__init__(name, path)
        self._code = compile(source, path, "exec", dont_inherit=True)

    def get_code(self, fullname: str) -> CodeType:
        return self._code


class _Mutated(importlib.abc.MetaPathFinder):
    """Finds one module, by a loader of its own."""

    def __init__(self, file: str, source: str) -> None:
        self._name = file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        self._loader = _Loader(self._name, str(TREE / file), source)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != self._name:
            return None
        return importlib.util.spec_from_file_location(fullname, self._loader.path, loader=self._loader)


def _child(file: str, source: str, tests: Sequence[str], environment: Mapping[str, str]) -> int:
    os.setsid()
    silence = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(silence, number)
    os.environ.update(environment)
    sys.meta_path.insert(0, _Mutated(file, source))
    import pytest

    return int(pytest.main([*PYTEST, *tests]))


def _status(child: int, seconds: float) -> int:
    """The exit status of a child that has so long; afterwards nothing of it is left."""
    until, status = time.monotonic() + seconds, 1
    while time.monotonic() < until:
        ended, code = os.waitpid(child, os.WNOHANG)
        if ended:
            status = os.waitstatus_to_exitcode(code)
            break
        time.sleep(0.02)
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    if status == 1:
        with suppress(ChildProcessError):
            os.waitpid(child, 0)
    return status


def _serve() -> None:
    for name in _READY:
        with suppress(ImportError):
            importlib.import_module(name)
    for line in sys.stdin:
        asked = json.loads(line)
        if not (child := os.fork()):
            status = 3
            try:
                status = _child(asked["file"], asked["source"], asked["tests"], asked["environment"])
            finally:
                os._exit(status)
        print(_status(child, asked["seconds"]), flush=True)


if __name__ == "__main__":
    _serve()
