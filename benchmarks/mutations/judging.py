"""A mutant's verdict: the tests that run its line are run, each with a limit, until one fails."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from queue import Queue
from typing import NamedTuple

from benchmarks.mutations.mutants import Mutant
from benchmarks.mutations.recorded import Record
from benchmarks.mutations.scratch import copied, mutated

CAUGHT, SURVIVED, UNTESTED, EQUIVALENT = "caught", "survived", "untested", "equivalent"
# The machine is shared, and a mutant may be slow without hanging.
_TIMES, _SECONDS = 6, 20


class Outcome(NamedTuple):
    """What became of a mutant. `tests` is how many were to run; `by` is the one that failed, or `import`."""

    file: str
    mutant: Mutant
    verdict: str
    tests: int
    by: str = ""


class _End(NamedTuple):
    """How a run of tests ended: by no failure (`test` empty), or by the first."""

    test: str = ""
    hangs: bool = False


class Judge:
    """Judges mutants in scratch trees of its own."""

    def __init__(self, known: Record, budget: float) -> None:
        self._known, self._budget = known, budget
        # What passes in a tree that nothing was done to, and what does not even there.
        self._sound: set[str] = set()
        self._unsound: set[str] = set()

    def judge(self, drawn: Sequence[tuple[str, Mutant]], workers: int) -> Iterator[Outcome]:
        """Each of them in one of `workers` trees, as they come."""
        trees: Queue[Path] = Queue()

        def one(file: str, mutant: Mutant) -> Outcome:
            tree = trees.get()
            try:
                return self._outcome(tree, file, mutant)
            finally:
                trees.put(tree)

        with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(workers) as pool:
            first = copied(Path(folder).resolve() / "0")
            for number in range(1, workers):
                trees.put(Path(shutil.copytree(first, first.with_name(str(number)))))
            trees.put(first)
            for done in as_completed([pool.submit(one, file, mutant) for file, mutant in drawn]):
                yield done.result()

    def _outcome(self, tree: Path, file: str, mutant: Mutant) -> Outcome:
        tests = left = [
            each for each in self._known.tests(file, mutant, self._budget) if each not in self._unsound
        ]
        while left:
            with mutated(tree / file, mutant.source):
                end = self._run(tree, left)
                if end.hangs and not self._run(tree, [end.test]).test:
                    # It hung for once: nothing is told by that.
                    left = left[left.index(end.test) + 1 :]
                    continue
            if not end.test:
                break
            if end.test in (*self._sound, "import"):
                return Outcome(file, mutant, CAUGHT, len(tests), end.test)
            if not self._run(tree, [end.test]).test:
                self._sound.add(end.test)
                return Outcome(file, mutant, CAUGHT, len(tests), end.test)
            self._unsound.add(end.test)
            print(f"fails without any change: {end.test}", flush=True)
            left = left[left.index(end.test) + 1 :]
        return Outcome(file, mutant, SURVIVED if tests else UNTESTED, len(tests))

    def _run(self, tree: Path, tests: Sequence[str]) -> _End:
        """Run them until one fails. What fails before any test is the `import`."""
        limits = {each: _TIMES * self._known.seconds(each) + _SECONDS for each in tests}
        notes = tree / "notes"
        notes.unlink(missing_ok=True)
        (tree / "limits").write_text(json.dumps(limits))
        environment = {
            **os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1",
            "MEMCLI_MUTATIONS_LIMITS": str(tree / "limits"), "MEMCLI_MUTATIONS_NOTES": str(notes),
        }  # fmt: skip
        pytest = [
            sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist",
            "-o", "addopts=", "--assert=plain", "-p", "benchmarks.mutations.limits",
        ]  # fmt: skip
        process = subprocess.Popen(
            [*pytest, *tests], cwd=tree, env=environment,
            start_new_session=True, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            passed = process.wait(sum(limits.values()) + 120) == 0
        except subprocess.TimeoutExpired:
            passed = False
        _end(process)
        if passed:
            return _End()
        last = notes.read_text().splitlines()[-1:] if notes.exists() else []
        for line in notes.read_text().splitlines() if last else []:
            test, outcome = json.loads(line)
            if outcome == "failed":
                return _End(test)
        if not last:
            return _End("import")
        return _End(json.loads(last[0])[0], hangs=True)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End what a test may have left behind, too."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
