"""A mutant's verdict: the tests that run its line are run, each with a limit, until one fails."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from queue import Queue
from typing import NamedTuple, Protocol

from benchmarks.mutations.forks import IMPORT, PYTEST, End, Forks, end_of, environment
from benchmarks.mutations.mutants import Mutant
from benchmarks.mutations.scratch import TREE, copied, mutated
from benchmarks.mutations.swaps import Swaps, is_swapped

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


class Known(Protocol):
    """What is known of tests: a `Record`, or those that somebody names."""

    def tests(self, file: str, mutant: Mutant, budget: float) -> list[str]:
        """Those to run for a mutant, the likeliest to fail first."""

    def seconds(self, test: str) -> float:
        """How long a test takes (s)."""

    def starts_programs(self, test: str) -> bool:
        """Whether a test starts programs."""

    def files(self) -> list[str]:
        """The files of all of them."""


# Runs some tests with a file saying something.
_Running = Callable[[str, str, Sequence[str]], End]


class Judge:
    """Judges mutants: by tests that start no programs in a fork, then by the others in a scratch tree."""

    def __init__(self, known: Known, budget: float, *, in_process: bool = False) -> None:
        """With `in_process` no test is run that starts programs."""
        self._known, self._budget, self._in_process = known, budget, in_process
        # By the way in which it is run: what passes where nothing was done, and what does not even there.
        self._sound: set[tuple[str, str]] = set()
        self._unsound: set[tuple[str, str]] = set()

    def judge(self, drawn: Sequence[tuple[str, Mutant]], workers: int) -> Iterator[Outcome]:
        """Each of them by one of `workers`, as they come."""
        idle: Queue[_Worker] = Queue()

        def one(file: str, mutant: Mutant) -> Outcome:
            worker = idle.get()
            try:
                return self._outcome(worker, file, mutant)
            finally:
                idle.put(worker)

        with (
            tempfile.TemporaryDirectory() as folder,
            ExitStack() as ending,
            ThreadPoolExecutor(workers) as pool,
        ):
            for number in range(workers):
                worker = _Worker(Path(folder).resolve() / str(number), self._known)
                ending.callback(worker.close)
                idle.put(worker)
            for done in as_completed([pool.submit(one, file, mutant) for file, mutant in drawn]):
                yield done.result()

    def _outcome(self, worker: _Worker, file: str, mutant: Mutant) -> Outcome:
        tests = self._known.tests(file, mutant, self._budget)
        quick = [each for each in tests if not self._known.starts_programs(each)]
        slow = [each for each in tests if each not in quick and not self._in_process]
        quickly: tuple[str, _Running] = ("forked", worker.run_forked)
        if is_swapped(file, mutant):
            quickly = "swapped", partial(worker.run_swapped, mutant.within)
        ran = 0
        for some, (way, run) in ((quick, quickly), (slow, ("programs", worker.run_programs))):
            left = [each for each in some if (way, each) not in self._unsound]
            ran += len(left)
            if test := self._failing(file, mutant.source, left, way, run):
                return Outcome(file, mutant, CAUGHT, len(tests), test)
        return Outcome(file, mutant, SURVIVED if ran else UNTESTED, len(tests))

    def _failing(self, file: str, source: str, left: Sequence[str], way: str, run: _Running) -> str:
        """The first of some tests that fails by what is changed; empty where none does.

        Raises RuntimeError where no test begins, whatever is changed: that would catch every mutant.
        """
        unchanged = (TREE / file).read_text(encoding="utf-8")
        while left:
            end = run(file, source, left)
            if not end.test:
                return ""
            # One that hung for once tells nothing.
            hung_once = end.hangs and not run(file, source, [end.test]).test
            if not hung_once:
                if (way, end.test) in self._sound:
                    return end.test
                begins = end.test == IMPORT
                alone = run(file, unchanged, left[:1] if begins else [end.test]).test
                if alone == IMPORT:
                    raise RuntimeError(f"{left[0]}: does not begin without any change either")
                if begins or not alone:
                    self._sound.add((way, end.test))
                    return end.test
                self._unsound.add((way, end.test))
                print(f"fails without any change: {end.test}", flush=True)
            left = left[left.index(end.test) + 1 :]
        return ""


class _Worker:
    """Runs tests of mutants, one run at a time: forked, or in a tree of its own, made when first wanted."""

    def __init__(self, folder: Path, known: Known) -> None:
        folder.mkdir()
        self._folder, self._known = folder, known
        self._forks: Forks | None = None
        self._swaps: Swaps | None = None

    def close(self) -> None:
        """End what was started."""
        if self._forks:
            self._forks.close()
        if self._swaps:
            self._swaps.close()

    def run_swapped(self, within: str, file: str, source: str, tests: Sequence[str]) -> End:
        """Run tests that start no programs, with one function's code as it is in `source`."""
        self._swaps = self._swaps or Swaps(self._known.files())
        return self._swaps.run(within, file, source, self._limits(tests))

    def run_forked(self, file: str, source: str, tests: Sequence[str]) -> End:
        """Run tests that start no programs, with a module that says `source`."""
        self._forks = self._forks or Forks(self._folder)
        return self._forks.run(file, source, self._limits(tests))

    def run_programs(self, file: str, source: str, tests: Sequence[str]) -> End:
        """Run tests whose programs, too, find the mutant in its file."""
        tree = self._folder / "tree"
        if not tree.exists():
            copied(tree)
        limits, notes = self._limits(tests), self._folder / "notes"
        given = {
            **os.environ, **environment(notes, limits),
            "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1",
        }  # fmt: skip
        with mutated(tree / file, source):
            process = subprocess.Popen(
                [sys.executable, "-m", "pytest", *PYTEST, *tests], cwd=tree, env=given,
                start_new_session=True, stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )  # fmt: skip
            try:
                passed = process.wait(sum(limits.values()) + 120) == 0
            except subprocess.TimeoutExpired:
                passed = False
            _end(process)
        return end_of(notes, passed=passed)

    def _limits(self, tests: Sequence[str]) -> dict[str, float]:
        return {each: _TIMES * self._known.seconds(each) + _SECONDS for each in tests}


def _end(process: subprocess.Popen[bytes]) -> None:
    """End what a test may have left behind, too."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
