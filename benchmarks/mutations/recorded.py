"""Which tests run which lines of memcli: recorded by coverage, programs that tests start included."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

_CONFIG = """
[run]
branch = false
parallel = true
source = {source}
data_file = {folder}/coverage
context = ${{PYTEST_CURRENT_TEST-}}
patch = subprocess, _exit
disable_warnings = no-data-collected, module-not-imported, module-not-measured
"""


def record(tree: Path, folder: Path, tests: Sequence[str], workers: int) -> None:
    """Run the tests once; keep in `folder` which of them run which lines, and how long each takes (s).

    A file of tests is a process of its own, `workers` at once: coverage and
    pytest-xdist both want to be there when a process ends.
    """
    folder.mkdir(parents=True, exist_ok=True)
    config = folder / "coveragerc"
    config.write_text(_CONFIG.format(source=tree / "memcli", folder=folder))
    environment = {
        **os.environ, "PYTHONPATH": str(tree), "MEMCLI_MUTATIONS_DURATIONS": str(folder / "durations"),
        "COVERAGE_RCFILE": str(config), "COVERAGE_PROCESS_START": str(config),
    }  # fmt: skip
    coverage = [sys.executable, "-m", "coverage"]

    def run(file: Path) -> None:
        pytest = [
            "-m",
            "pytest",
            "-q",
            "-n",
            "0",
            "-p",
            "benchmarks.mutations.contexts",
            "-p",
            "no:cacheprovider",
        ]
        # A test may fail under coverage; what ran is known all the same.
        subprocess.run(
            [*coverage, "run", f"--rcfile={config}", *pytest, file], cwd=tree, env=environment, check=False
        )

    files = [
        file
        for each in tests
        for file in ([tree / each] if each.endswith(".py") else sorted((tree / each).rglob("test_*.py")))
    ]
    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(run, files))
    subprocess.run([*coverage, "combine", "-q", f"--rcfile={config}"], cwd=tree, env=environment, check=True)


class Record:
    """What `record` kept."""

    def __init__(self, folder: Path) -> None:
        from coverage import CoverageData

        self._data = CoverageData(basename=str(folder / "coverage"))
        self._data.read()
        self._seconds: dict[str, float] = defaultdict(float)
        for line in (folder / "durations").read_text().splitlines():
            test, seconds = json.loads(line)
            self._seconds[_function(test)] += seconds
        self._contexts: dict[str, dict[int, list[str]]] = {}

    def tests(self, file: Path, line: int, budget: float) -> list[str]:
        """The tests that run a line, quick ones first: as many as take `budget` seconds, one at least."""
        if str(file) not in self._contexts:
            self._contexts[str(file)] = self._data.contexts_by_lineno(str(file))
        names = {_function(each) for each in self._contexts[str(file)].get(line, ()) if "::" in each}
        chosen: list[str] = []
        spent = 0.0
        for name in sorted(names, key=lambda each: self._seconds[each]):
            spent += self._seconds[name]
            if chosen and spent > budget:
                break
            chosen.append(name)
        return chosen


def _function(context: str) -> str:
    """`tests/x.py::test_y[param] (call)` is the test `tests/x.py::test_y`."""
    return context.partition("[")[0].partition(" ")[0]
