"""One night: how long consolidation takes in a large store, and how long it holds others up.

    python -m benchmarks.night --data PATH [--size 20000] [--new 200] [--first]
                               [--max-seconds S] [--keep DIR] [--cache DIR]

A store is filled with public conversations and statements out of them
(benchmarks.years), all but `--new` of which it knows already: without
`--first` it has been consolidated once, two days ago, as a nightly run would
have left it. Then the new ones come in and `mem consolidate` (the same call,
without an LLM) runs, while a process of its own writes a memory every 20 ms
and another reads. Printed are the seconds of each step, the longest write
transactions with who opened them, and what the neighbours waited: 99th
percentile and maximum, with consolidation and without.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.command_line import add_cache, parser_for
from benchmarks.conversations import Record
from benchmarks.years import Clock, Once, everything, opened
from memcli.config.config import Config
from memcli.consolidation.registry import STEP_NAMES
from memcli.consolidation.report import RunReport
from memcli.consolidation.run import RunOptions, consolidate
from memcli.embedding import open_embedder
from memcli.memories import Memories
from memcli.storage import Word
from memcli.storage.stores import open_store
from memcli.text.words import query_terms
from memcli.upkeep.exchange.importer import Importer
from memcli.write_policy.drafts import Draft, new_memory

# How often a neighbour writes or reads; how long it is watched while nothing else runs.
EVERY, QUIET = 0.02, 5.0
# Transactions that are named; turns of the owner in which a fact is stated.
NAMED, STATED = 8, 30


def main() -> None:
    """Prepare the store, consolidate it beside two neighbours, and print what it took."""
    parser = parser_for(__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--size", type=int, default=20_000)
    parser.add_argument("--new", type=int, default=200)
    parser.add_argument("--first", action="store_true", help="nothing was ever consolidated")
    parser.add_argument("--max-seconds", type=float, help="run again and again with this limit")
    parser.add_argument("--alone", action="store_true", help="no neighbours")
    parser.add_argument("--keep", type=Path, help="keeps the prepared store between runs")
    add_cache(parser, "the compiled model and its vectors")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="memcli-night-") as folder:
        cache = given.cache or Path(folder) / "cache"
        model = Once(open_embedder(Config({})["model"], cache, print), cache)
        clock = Clock()
        records, _ = everything(given.data, given.size)
        step = len(records) // given.new
        ready = _prepared(given, given.keep or Path(folder), model, clock, records, step)
        path = Path(folder) / "night.db"
        shutil.copy(ready, path)
        clock.instant += timedelta(days=2)
        with opened(path, model, clock) as memories:
            if not given.first:
                _take(memories, [*records[::step], *_stated(STATED)])
            model.keep()
            clock.instant += timedelta(hours=5)
            print(f"{sum(n for *_, n in memories.store.count(memories.within())):,} live memories")
            _night(memories, given.max_seconds, alone=given.alone)


def neighbour(path: Path, what: str) -> None:
    """Write or read every 20 ms until stdin ends; prints the seconds that each took, as JSON."""
    with Memories(open_store(path), Config({}), _no_model, space="neighbour") as memories:
        took: list[float] = []
        model = memories.store.model()
        chance = np.random.default_rng(1)
        ended = _stdin_ended()
        memories.store.count(memories.within())
        while not ended():
            began = time.perf_counter()
            if what == "write":
                memory = new_memory(memories, Draft(text=f"the {len(took)}th thing that a neighbour says"))
                vector = chance.normal(size=model.dimensions).astype("<f4").tobytes() if model else b""
                memories.store.put([memory], memories.change("add"), memories.now(), {memory.id: [vector]})
            else:
                where = memories.within(spaces=("default",))
                asked: dict[Word, float] = {(term,): 1.0 for term in query_terms("database budget")}
                found = memories.store.top_by_words(asked, where, 20)
                memories.store.memories_by_ref([match.ref for match in found])
            took.append(time.perf_counter() - began)
            time.sleep(max(0.0, EVERY - took[-1]))
    json.dump(took, sys.stdout)


def _prepared(
    given: argparse.Namespace,
    folder: Path,
    model: Once,
    clock: Clock,
    records: Sequence[Record],
    step: int,
) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    ready = folder / f"night-{len(records)}-{'first' if given.first else given.new}.db"
    if ready.exists():
        return ready
    part = ready.with_suffix(".part")
    part.unlink(missing_ok=True)
    old = [record for n, record in enumerate(records) if given.first or n % step]
    with opened(part, model, clock) as memories:
        _take(memories, old)
        model.keep()
        if not given.first:
            clock.instant += timedelta(days=2)
            began = time.perf_counter()
            consolidate(memories)
            print(f"consolidated for the first time in {time.perf_counter() - began:.0f} s")
            consolidate(memories)
            clock.instant -= timedelta(days=2)
    part.rename(ready)
    return ready


def _stated(number: int) -> Iterator[Record]:
    """Turns out of which facts are distilled, made up: the public ones state few in so many words."""
    for n in range(number):
        name = f"{'ABCDEFGHIJ'[n % 10]}{'aeiou'[n // 10]}{'lmnr'[n % 4]}co"
        yield {
            "text": f"I work at {name}. What next?",
            "kind": "episode",
            "session": "stated",
            "role": "user",
        }


def _take(memories: Memories, records: Sequence[Record]) -> None:
    given = ({k: v for k, v in record.items() if v is not None} for record in records)
    Importer(memories, "import:benchmark").take((f"record {n}", each) for n, each in enumerate(given))


def _night(memories: Memories, limit: float | None, *, alone: bool) -> None:
    path = Path(memories.store.location)
    before: dict[str, list[float]] = {}
    if not alone:
        with _neighbours(path) as before:
            time.sleep(QUIET)
    seen = Transactions(memories)
    steps: dict[str, float] = dict.fromkeys(STEP_NAMES, 0.0)
    with _neighbours(path) if not alone else _nobody() as during:
        began = time.perf_counter()
        reports: list[RunReport] = []
        while not reports or (reports[-1].stopped and len(reports) < 1000):
            marks: list[tuple[str, float]] = []
            began_run = time.perf_counter()
            wanted = RunOptions(max_seconds=limit)
            reports.append(
                consolidate(
                    memories,
                    wanted,
                    progress=lambda step, done, marks=marks: (  # type: ignore[misc]
                        None if done else marks.append((step, time.perf_counter()))
                    ),
                )
            )
            ends = [*(at for _, at in marks[1:]), time.perf_counter()]
            for (name, at), end in zip(marks, ends, strict=True):
                steps[name] += end - at
            if limit:
                print(f"run {len(reports)}: {time.perf_counter() - began_run:.1f} s, {reports[-1].counts()}")
        took = time.perf_counter() - began
    print(f"{took:.1f} s in {len(reports)} runs: ", reports[-1].counts(), reports[-1].upkeep)
    print("\n| step | seconds |\n|---|--:|")
    for name, seconds in steps.items():
        print(f"| {name} | {seconds:.2f} |")
    print(f"\n{len(seen.took)} write transactions, the longest:\n\n| ms | opened by |\n|--:|---|")
    for seconds, who in sorted(seen.took, reverse=True)[:NAMED]:
        print(f"| {1000 * seconds:.0f} | {who} |")
    print("\n| neighbour | | times | p99 ms | max ms |\n|---|---|--:|--:|--:|")
    for when, each in (("alone", before), ("beside consolidation", during)):
        for what, waits in each.items():
            p99, most = 1000 * np.percentile(waits, 99), 1000 * max(waits)
            print(f"| {what} | {when} | {len(waits)} | {p99:.0f} | {most:.0f} |")


class Transactions:
    """Watches the outermost write transactions of a store: how long each held the lock, and for whom."""

    def __init__(self, memories: Memories) -> None:
        self.took: list[tuple[float, str]] = []
        self._opened = memories.store.writing
        self._depth = 0
        memories.store.writing = self._writing  # type: ignore[method-assign]

    def _writing(self, patience: float | None = None) -> AbstractContextManager[None]:
        return self._watched(patience)

    @contextmanager
    def _watched(self, patience: float | None) -> Iterator[None]:
        began = 0.0
        self._depth += 1
        try:
            with self._opened(patience):
                began = time.perf_counter()
                yield
        finally:
            self._depth -= 1
            if not self._depth:
                self.took.append((time.perf_counter() - began, _opener()))


def _opener() -> str:
    """The innermost frames of memcli above the storage."""
    frames = [
        f"{Path(frame.filename).stem}.{frame.name}"
        for frame in traceback.extract_stack()
        if "/memcli/" in frame.filename.replace("\\", "/")
    ]
    return " < ".join(frames[:-4:-1])


@contextmanager
def _neighbours(path: Path) -> Iterator[dict[str, list[float]]]:
    """A writer and a reader beside us; what each waited is there once they have ended."""
    waits: dict[str, list[float]] = {}
    command = [
        sys.executable,
        "-c",
        "import sys, benchmarks.night as n; n.neighbour(n.Path(sys.argv[1]), sys.argv[2])",
    ]
    running = {
        what: subprocess.Popen(
            [*command, str(path), what], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for what in ("write", "read")
    }
    time.sleep(1)
    try:
        yield waits
    finally:
        for what, each in running.items():
            waits[what] = json.loads(each.communicate()[0])


@contextmanager
def _nobody() -> Iterator[dict[str, list[float]]]:
    yield {}


def _stdin_ended() -> Any:
    import threading

    ended = threading.Event()

    def wait() -> None:
        sys.stdin.read()
        ended.set()

    threading.Thread(target=wait, daemon=True).start()
    return ended.is_set


def _no_model(name: str) -> Any:
    raise AssertionError(name)


if __name__ == "__main__":
    main()
