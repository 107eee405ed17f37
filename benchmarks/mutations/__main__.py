"""See the package."""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from queue import Queue
from typing import NamedTuple

from benchmarks.mutations.mutants import Mutant, mutants
from benchmarks.mutations.recorded import Record, record

TREE = Path(__file__).resolve().parents[2]
# Where a memory's life is decided: storage, forgetting, the night, the gate, trust.
GUARDED = (
    "memcli/storage", "memcli/changes", "memcli/consolidation", "memcli/write_policy", "memcli/doors.py",
    "memcli/memories.py", "memcli/scope.py", "memcli/upkeep/exchange", "memcli/upkeep/spaces.py",
)  # fmt: skip
TESTS = (
    "tests/storage", "tests/changes", "tests/consolidation", "tests/write_policy", "tests/upkeep",
    "tests/tiers", "tests/test_doors.py", "tests/test_attacks.py", "tests/test_marks.py", "tests/recall",
    "tests/test_memories.py", "tests/test_spaces_apart.py",
)  # fmt: skip
CAUGHT, SURVIVED, UNTESTED = "caught", "survived", "untested"


class Outcome(NamedTuple):
    """What became of a mutant. `tests` is how many ran its line."""

    file: str
    mutant: Mutant
    verdict: str
    tests: int


def main() -> None:
    """Record, or mutate; print the table and every survivor."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--record", action="store_true", help="run the tests once and note which run which lines"
    )
    parser.add_argument("--notes", type=Path, default=Path(tempfile.gettempdir()) / "memcli-mutations")
    parser.add_argument("--number", type=int, default=300, help="mutants, drawn at random")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--only", action="append", help="a file or folder, instead of the guarded ones")
    parser.add_argument("--budget", type=float, default=60, help="seconds of tests a mutant at the most")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("-o", "--output", type=Path, help="write the survivors here, as JSON Lines")
    options = parser.parse_args()
    if options.record:
        record(TREE, options.notes, TESTS, options.workers)
        return
    drawn = draw(options.only or GUARDED, options.number, options.seed)
    outcomes = list(run(drawn, Record(options.notes), options.workers, options.budget))
    report(outcomes)
    if options.output:
        options.output.write_text("".join(json.dumps(_as_json(each)) + "\n" for each in _missed(outcomes)))


def draw(places: Sequence[str], number: int, seed: int) -> list[tuple[str, Mutant]]:
    """So many mutants out of all files there, at random; all of them if there are fewer."""
    files = [
        file
        for place in places
        for file in ([TREE / place] if place.endswith(".py") else (TREE / place).rglob("*.py"))
    ]
    everything = [
        (str(file.relative_to(TREE)), mutant)
        for file in sorted(files)
        for mutant in mutants(file.read_text(encoding="utf-8"))
    ]
    print(f"{len(everything)} mutants in {len(files)} files; seed {seed}", flush=True)
    random.Random(seed).shuffle(everything)
    return everything[:number]


def run(drawn: Sequence[tuple[str, Mutant]], known: Record, workers: int, budget: float) -> Iterator[Outcome]:
    """Judge each mutant in one of `workers` scratch trees, as they come."""
    trees: Queue[Path] = Queue()

    def judge(each: tuple[str, Mutant]) -> Outcome:
        file, mutant = each
        tests = known.tests(TREE / file, mutant.line, budget)
        if not tests:
            return Outcome(file, mutant, UNTESTED, 0)
        tree = trees.get()
        try:
            with _mutated(tree / file, mutant.source):
                survived = _passes(tree, tests, limit=3 * budget + 60)
        finally:
            trees.put(tree)
        return Outcome(file, mutant, SURVIVED if survived else CAUGHT, len(tests))

    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(workers) as pool:
        for number in range(workers):
            trees.put(_scratch(Path(folder) / str(number)))
        for outcome in pool.map(judge, drawn):
            if outcome.verdict != CAUGHT:
                _print(outcome)
            yield outcome


def _scratch(tree: Path) -> Path:
    """A copy of what tests need, byte code checked by the source's hash: a mutant may keep size and time."""
    tree.mkdir()
    for name in ("memcli", "tests", "benchmarks", "docs", "completions", "man"):
        shutil.copytree(TREE / name, tree / name, ignore=shutil.ignore_patterns("__pycache__", "labels"))
    for name in ("pyproject.toml", "README.md", "CHANGELOG.md"):
        shutil.copy(TREE / name, tree / name)
    compiling = [
        sys.executable,
        "-m",
        "compileall",
        "-q",
        "--invalidation-mode",
        "checked-hash",
        "memcli",
        "tests",
    ]
    subprocess.run(compiling, cwd=tree, check=True)
    return tree


@contextmanager
def _mutated(file: Path, source: str) -> Iterator[None]:
    original = file.read_text(encoding="utf-8")
    file.write_text(source, encoding="utf-8")
    try:
        yield
    finally:
        file.write_text(original, encoding="utf-8")


def _passes(tree: Path, tests: Sequence[str], limit: float) -> bool:
    """Whether every test passes; one that hangs does not."""
    environment = {**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"}
    pytest = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider", "--no-header"]
    process = subprocess.Popen(
        [*pytest, *tests], cwd=tree, env=environment, start_new_session=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        return process.wait(limit) == 0
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return False


def report(outcomes: Sequence[Outcome]) -> None:
    """A row a folder, and the whole."""
    rooms = sorted({_room(each.file) for each in outcomes})
    print(f"\n{'where':34}{'mutants':>8}{'caught':>8}{'survived':>10}{'untested':>10}{'caught %':>10}")
    for room in [*rooms, ""]:
        verdicts = Counter(each.verdict for each in outcomes if _room(each.file) == room or not room)
        total = verdicts.total()
        print(
            f"{room or 'all':34}{total:8}{verdicts[CAUGHT]:8}{verdicts[SURVIVED]:10}{verdicts[UNTESTED]:10}"
            f"{100 * verdicts[CAUGHT] / max(total, 1):10.1f}"
        )


def _room(file: str) -> str:
    return "/".join(Path(file).parts[1:-1][:2]) or file


def _missed(outcomes: Sequence[Outcome]) -> list[Outcome]:
    return [each for each in outcomes if each.verdict != CAUGHT]


def _print(outcome: Outcome) -> None:
    mutant = outcome.mutant
    print(f"{outcome.verdict}  {outcome.file}:{mutant.line}  {mutant.before}  ->  {mutant.after}", flush=True)


def _as_json(outcome: Outcome) -> dict[str, object]:
    mutant = outcome.mutant
    return {
        "file": outcome.file, "line": mutant.line, "before": mutant.before, "after": mutant.after,
        "verdict": outcome.verdict, "tests": outcome.tests,
    }  # fmt: skip


if __name__ == "__main__":
    began = time.monotonic()
    main()
    print(f"{time.monotonic() - began:.0f} s")
