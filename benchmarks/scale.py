"""Scale: what a recall, a write and the file cost where there are ten thousand memories, and a million.

    python -m benchmarks.scale fill --data PATH --rows 1000000 STORE
    python -m benchmarks.scale ask --data PATH [--runs 5] [--exact 20] STORE…

`fill` makes a store by the contract's own `put`, 2,000 memories a transaction: each memory is two
real sentences (LoCoMo's turns, STS) side by side, half of them turns of sessions of twenty, over
six years. Vectors are no model's: the mean of both sentences' real ones and noise (a length of
0.4), so that each has near neighbours which differ. Killed, it goes on where it was.

`ask` prints a line for each store: its size; whole processes of `mem recall` and `mem remember`
(median; peak memory), the stores in turn so that noise hits all; in one process the two searches
that a recall rests on; and the share of the nearest ten, and of two hundred, that the store finds
of those that measuring every vector finds. Questions are LoCoMo's.

STORE is whatever `MEMCLI_DB` may be. The owner's store and settings are never touched.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from heapq import nlargest
from pathlib import Path
from statistics import median

import numpy as np

from benchmarks.conversations import load
from benchmarks.speed.processes import MEM, Cost, run
from benchmarks.speed.texts import sentences
from memcli import ids
from memcli.config.config import Config
from memcli.memories import Memories, in_batches, open_memories
from memcli.model import Change, Filter, Kind, Memory, Ref
from memcli.recall.candidates import DEPTH
from memcli.recall.holders import WordSearch
from memcli.recall.ranking.vectors import Floats
from memcli.text.words import query_terms

BATCH, SESSION, NOISE = 2_000, 20, 0.4
BEGAN, SPAN = datetime(2020, 1, 1, tzinfo=UTC), timedelta(days=2_190)
QUESTIONS = 100


def main() -> None:
    """Fill a store, or measure some."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("verb", choices=("fill", "ask"))
    parser.add_argument("stores", nargs="+", metavar="STORE")
    parser.add_argument("--data", type=Path, required=True, help="folder of public data")
    parser.add_argument("--rows", type=int, default=100_000, help="memories of a filled store; 100000")
    parser.add_argument("--runs", type=int, default=5, help="processes of each; 5")
    parser.add_argument("--exact", type=int, default=20, help="questions compared with exact search; 20")
    parser.add_argument("--cache", type=Path, help="keeps the compiled model between runs")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="memcli-scale-") as folder:
        cache = given.cache or Path(folder) / "cache"
        settings = {"MEMCLI_CACHE_DIR": str(cache), "MEMCLI_CONFIG": str(Path(folder) / "none.toml")}
        if given.verb == "fill":
            for store in given.stores:
                with open_memories(store, config=Config(settings)) as memories:
                    fill(memories, sentences(given.data), given.rows)
        else:
            ask(given.stores, settings, questions(given.data), given.runs, given.exact)


def fill(memories: Memories, texts: Sequence[str], rows: int) -> None:
    """Fill a store up to so many memories; see the module."""
    store, there = memories.store, sum(number for *_, number in memories.store.count(Filter(live=False)))
    real = np.concatenate(list(memories.model.open().documents(texts)))
    with store.writing():
        memories.model.bind()
    started = time.perf_counter()
    for numbers in in_batches(range(there, rows), BATCH):
        chance = np.random.default_rng(numbers[0])
        pairs = chance.integers(0, len(texts), (len(numbers), 2))
        noise = chance.normal(0, NOISE / real.shape[1] ** 0.5, (len(numbers), real.shape[1]))
        mixed = real[pairs].mean(axis=1) + noise
        mixed = (mixed / np.linalg.norm(mixed, axis=1, keepdims=True)).astype("<f4")
        many = list(_varied(texts, numbers, pairs, rows))
        vectors = {one.id: [row.tobytes()] for one, row in zip(many, mixed, strict=True)}
        store.put(many, Change(action="add", actor="batch"), memories.now(), vectors)
        if numbers[-1] % 50_000 < BATCH:
            pace = (numbers[-1] - there) / (time.perf_counter() - started)
            print(f"{numbers[-1] + 1:,} of {rows:,}, {pace:,.0f} a second", file=sys.stderr, flush=True)


def _varied(texts: Sequence[str], numbers: Sequence[int], pairs: np.ndarray, rows: int) -> Iterator[Memory]:
    chance = random.Random(numbers[0])
    new_id = ids.id_source()
    for number, (first, second) in zip(numbers, pairs, strict=True):
        at = BEGAN + SPAN * (number / rows)
        turn = number // SESSION % 2 == 0
        kind: Kind = "episode" if turn else "fact"
        yield Memory(
            id=new_id(at), kind=kind, text=f"{texts[first]} {texts[second]}",
            session=f"s{number // SESSION}" if turn else None, happened_at=at, created_at=at, updated_at=at,
            data={"role": chance.choice(("user", "assistant"))} if turn else {}, origin="batch",
        )  # fmt: skip


def questions(data: Path) -> list[str]:
    """Real questions, always the same ones."""
    asked = [each.text for talk in load(data, ("locomo",)) for each in talk.questions]
    return random.Random(1).sample(asked, QUESTIONS)


def ask(stores: Sequence[str], settings: dict[str, str], asked: Sequence[str], runs: int, exact: int) -> None:
    """Print the table."""
    run([str(MEM), "model", "compile"], settings)
    recalls: dict[str, list[Cost]] = {store: [] for store in stores}
    writes: dict[str, list[Cost]] = {store: [] for store in stores}
    for number in range(runs + 1):
        for store in stores:
            own = {**settings, "MEMCLI_DB": store}
            recalled = run([str(MEM), "recall", asked[number]], own)[0]
            note = f"The pool counted {os.getpid()} guests on day {number}"
            written = run([str(MEM), "remember", note], own)[0]
            # The first of each fills the page cache.
            if number:
                recalls[store].append(recalled)
                writes[store].append(written)
    print("| memories | GB | `mem recall` ms | MB | `mem remember` ms | MB | words ms | meaning ms "
          "| of the nearest 10 | 200 |\n|--:|" + "--:|" * 9)  # fmt: skip
    for store in stores:
        with open_memories(store, config=Config(settings), create=False) as memories:
            size = sum(number for *_, number in memories.store.count(Filter(live=False)))
            total = memories.store.sizes()["total"] / 1e9
            costs = [_cost(some) for some in (recalls[store], writes[store])]
            print(f"| {size:,} | {total:.2f} | {' | '.join(costs)} |", end="")
            print(f" {searches(memories, asked, exact)} |", flush=True)


def _cost(some: Sequence[Cost]) -> str:
    milliseconds = median(each.seconds for each in some) * 1000
    return f"{milliseconds:,.0f} | {max(each.megabytes for each in some):,.0f}"


def searches(memories: Memories, asked: Sequence[str], exact: int) -> str:
    """The columns of the searches of a recall: milliseconds by words, and by meaning; the shares found."""
    store, where = memories.store, memories.within(at=memories.now())
    vectors = memories.model.open_bound().queries(asked)
    by_words, by_meaning, found = list[float](), list[float](), list[list[Ref]]()
    for question, vector in zip(asked, vectors, strict=True):
        search = WordSearch(store, where)
        started = time.perf_counter()
        search.best(search.weights(query_terms(question)), DEPTH)
        middle = time.perf_counter()
        found.append([match.ref for match in store.nearest(vector.tobytes(), where, DEPTH)])
        by_words.append(middle - started)
        by_meaning.append(time.perf_counter() - middle)
    shares = []
    best = all_measured(memories, vectors[:exact])
    for depth in (10, DEPTH):
        held = [
            len({*refs[:depth]} & {*nearest[:depth]}) / depth
            for refs, nearest in zip(found[:exact], best, strict=True)
        ]
        shares.append(f"{100 * sum(held) / len(held):.1f} %")
    return " | ".join((f"{1000 * median(by_words):.1f}", f"{1000 * median(by_meaning):.1f}", *shares))


def all_measured(memories: Memories, vectors: Floats) -> list[list[Ref]]:
    """For each of some vectors the nearest memories, best first, by measuring every vector there is."""
    best: list[list[tuple[float, Ref]]] = [[] for _ in vectors]
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    for some in in_batches(memories.store.each_vector(memories.within(at=memories.now())), 20_000):
        rows = np.frombuffer(b"".join(vector for _, vector in some), dtype="<f4").reshape(len(some), -1)
        cosines = units @ (rows / np.linalg.norm(rows, axis=1, keepdims=True)).T
        for place, near in enumerate(cosines):
            top = np.argsort(-near)[:DEPTH]
            best[place] = nlargest(DEPTH, [*best[place], *((float(near[row]), some[row][0]) for row in top)])
    return [[ref for _, ref in some] for some in best]


if __name__ == "__main__":
    main()
