"""Tests run against a mutant that is one function's code: a session that has collected them forks for each.

To import memcli and collect tests costs more than most tests do, and is done once: a child takes the code of
the function, runs the tests there are for it and ends. Of what runs at import (a constant, a default, a
decorator) no function's code tells: that is for `forks.Forks`, as are programs for `judging.Judge`'s trees.
"""

from __future__ import annotations

import importlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cached_property, partial
from types import CodeType, FunctionType
from typing import Any

import pytest

from benchmarks.mutations.forks import IMPORT, End
from benchmarks.mutations.mutants import Mutant
from benchmarks.mutations.scratch import TREE

_PYTEST = ("-q", "-s", "-p", "no:cacheprovider", "-p", "no:xdist", "-o", "addopts=", "--assert=plain")


def is_swapped(file: str, mutant: Mutant) -> bool:
    """Whether a mutant differs from its file in one function's code alone."""
    if not mutant.within or mutant.names:
        return False
    try:
        old = _code(compile((TREE / file).read_text(encoding="utf-8"), file, "exec"), mutant.within)
        new = _code(compile(mutant.source, file, "exec"), mutant.within)
    except LookupError:
        return False
    return old != new and old.co_freevars == new.co_freevars


class Swaps:
    """The process that has collected tests and forks, told what to run a line at a time. Close it."""

    def __init__(self, files: Sequence[str]) -> None:
        """`files` are those of every test that it may be asked to run."""
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.mutations.swaps", *files], cwd=TREE, text=True,
            env={**os.environ, "PYTHONPATH": str(TREE)}, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip

    def run(self, within: str, file: str, source: str, limits: Mapping[str, float]) -> End:
        """Run the tests that are limited (s), in this order, with the function `within` of `file` as in
        `source`, until one fails."""
        assert self._process.stdin and self._process.stdout
        asked = {"within": within, "file": file, "source": source, "limits": limits}
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        return End(*json.loads(self._process.stdout.readline()))

    def close(self) -> None:
        """End it."""
        self._process.communicate()


class _Serving:
    """A plug-in of pytest's: of the tests collected it runs those that it is asked to.

    All are collected at once: what a `conftest.py` offers is found by the first collection alone.
    """

    def __init__(self, answers: int) -> None:
        self._answers = answers
        self._items: dict[str, list[pytest.Item]] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        for item in session.items:
            self._items.setdefault(item.nodeid.partition("[")[0], []).append(item)
        for line in sys.stdin:
            asked = json.loads(line)
            end = self._end(asked["within"], asked["file"], asked["source"], asked["limits"])
            os.write(self._answers, (json.dumps(end) + "\n").encode())
        return True

    def _end(self, within: str, file: str, source: str, limits: Mapping[str, float]) -> End:
        heard, said = os.pipe()
        if not (child := os.fork()):
            try:
                items = [item for test in limits for item in self._items.get(test, ())]
                _run(items, partial(_swap, file, within, source), said)
            finally:
                os._exit(0)
        os.close(said)
        try:
            return _listened(heard, limits)
        finally:
            os.close(heard)
            with suppress(ProcessLookupError):
                os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)


def _run(items: Sequence[pytest.Item], swap: partial[None], said: int) -> None:
    """In a child: run tests until one fails, and write which is begun, which failed, and that all is done."""
    os.setsid()
    silence = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(silence, number)
    failed: list[str] = []

    class Noting:
        def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
            failed.extend([report.nodeid] if report.failed else ())

    swap()
    for item, following in zip(items, [*items[1:], None], strict=True):
        os.write(said, f"begun {item.nodeid.partition('[')[0]}\n".encode())
        noting = Noting()
        item.config.pluginmanager.register(noting)
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        item.config.pluginmanager.unregister(noting)
        if failed:
            os.write(said, b"failed \n")
            return
    os.write(said, b"done \n")


def _listened(heard: int, limits: Mapping[str, float]) -> End:
    """What a child says, until it has said all; it has as long for each test as that may take."""
    test, until, rest = "", time.monotonic() + 60, b""
    while select.select([heard], [], [], max(0.0, until - time.monotonic()))[0]:
        if not (some := os.read(heard, 65536)):
            return End(test or IMPORT)
        *lines, rest = (rest + some).split(b"\n")
        for line in lines:
            what, _, name = line.decode().partition(" ")
            if what == "done":
                return End()
            if what == "failed":
                return End(test)
            if name != test:
                test, until = name, time.monotonic() + limits[name]
    return End(test or IMPORT, hangs=True)


def _swap(file: str, within: str, source: str) -> None:
    """Give a function of a module, by its qualified name, the code that it has in `source`."""
    here: Any = importlib.import_module(file.removesuffix(".py").removesuffix("/__init__").replace("/", "."))
    for name in within.split("."):
        here = vars(here)[name]
        if not isinstance(here, type):
            break
    function = _function(here)
    function.__code__ = _code(compile(source, str(TREE / file), "exec", dont_inherit=True), within)


def _function(thing: Any) -> FunctionType:
    """The function below whatever it is wrapped in."""
    while not isinstance(thing, FunctionType) or hasattr(thing, "__wrapped__"):
        match thing:
            case staticmethod() | classmethod():
                thing = thing.__func__
            case property():
                thing = thing.fget
            case cached_property():
                thing = thing.func
            case _:
                thing = thing.__wrapped__
    return thing


def _code(module: CodeType, within: str) -> CodeType:
    """The code of the outermost function on the way of a qualified name. Raises LookupError."""
    code = module
    for name in within.split("."):
        inner = [each for each in code.co_consts if isinstance(each, CodeType) and each.co_name == name]
        if not inner:
            raise LookupError(within)
        code = inner[-1]
        # A class's body is no code of a function: new locals, but none that are fast.
        if code.co_flags & 0x1:
            return code
    raise LookupError(within)


if __name__ == "__main__":
    told = os.dup(1)
    quiet = os.open(os.devnull, os.O_RDWR)
    os.dup2(quiet, 1)
    sys.exit(pytest.main([*_PYTEST, *sys.argv[1:]], plugins=[_Serving(told)]))
