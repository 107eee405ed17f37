"""Scale: what a recall, a write and the file cost where there are ten thousand memories, and a million.

    python -m benchmarks.scale fill --data PATH --rows 1000000 [--texts N] STORE…
    python -m benchmarks.scale ask --data PATH [--runs 5] [--exact 20] STORE…

STORE is whatever `MEMCLI_DB` may be: a file, or the address of a PostgreSQL database. The owner's store and
settings are never touched.

`fill` makes a store by the contract's own `put`, 5,000 memories a transaction: each memory is two
real sentences (LoCoMo's turns, STS) side by side, half of them turns of sessions of twenty, over
six years. Vectors are no model's: the mean of both sentences' real ones and noise (a length of
0.4), so that each has near neighbours which differ. One memory in a hundred has the tag RARE. Killed, it
goes on where it was. At its end the indexes that the store wants are built, and how long both took is told:
by the clock and by this process's own processor time, without making up what is put.

`ask` prints a line for each store: its size; whole processes of `mem recall` and `mem remember`
(median; peak memory), the stores in turn so that noise hits all; in one process the two searches
that a recall rests on, asked a second time: half of them faster and one in twenty slower than told;
the share of the nearest ten, and of two hundred, that the store finds of those that measuring every
vector finds; and both for what a filter leaves of a hundred (RARE). Questions are LoCoMo's. Below it,
what each part of a store takes.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from heapq import nlargest
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from benchmarks.command_line import add_cache, parser_for
from benchmarks.conversations import load
from benchmarks.speed.processes import MEM, Cost, run
from benchmarks.speed.texts import sentences
from memcli import ids
from memcli.config.config import Config
from memcli.memories import Memories, open_memories
from memcli.model import Change, Filter, Kind, Memory, Ref
from memcli.recall.candidates import DEPTH
from memcli.recall.query.holders import WordSearch
from memcli.recall.ranking.vectors import Floats
from memcli.storage.batches import in_batches
from memcli.text.words import query_terms

BATCH, SESSION, NOISE = 5_000, 20, 0.4
RARE = "hundredth"
BEGAN, SPAN = datetime(2020, 1, 1, tzinfo=UTC), timedelta(days=2_190)
QUESTIONS = 100


def main() -> None:
    """Fill a store, or measure some."""
    parser = parser_for(__doc__)
    parser.add_argument("verb", choices=("fill", "ask"))
    parser.add_argument("stores", nargs="+", metavar="STORE")
    parser.add_argument("--data", type=Path, required=True, help="folder of public data")
    parser.add_argument("--rows", type=int, default=100_000, help="memories of a filled store; 100000")
    parser.add_argument("--texts", type=int, default=1 << 30, help="of the real sentences so many; all")
    parser.add_argument("--runs", type=int, default=5, help="processes of each; 5")
    parser.add_argument("--exact", type=int, default=20, help="questions compared with exact search; 20")
    add_cache(parser)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="memcli-scale-") as folder:
        cache = given.cache or Path(folder) / "cache"
        settings = {"MEMCLI_CACHE_DIR": str(cache), "MEMCLI_CONFIG": str(Path(folder) / "none.toml")}
        if given.verb == "fill":
            real = None
            for store in given.stores:
                with open_memories(store, config=Config(settings)) as memories:
                    texts = sentences(given.data)[: given.texts]
                    real = real if real is not None else embedded(memories, texts)
                    fill(memories, texts, real, given.rows)
        else:
            ask(given.stores, settings, questions(given.data), given.runs, given.exact)


def embedded(memories: Memories, texts: Sequence[str]) -> np.ndarray:
    """The vectors of some texts, a row each."""
    return np.concatenate(list(memories.model.open().documents(texts)))


def fill(memories: Memories, texts: Sequence[str], real: np.ndarray, rows: int) -> None:
    """Fill a store up to so many memories, mixed of real texts and their vectors; see the module."""
    store, there = memories.store, sum(number for *_, number in memories.store.count(Filter(live=False)))
    with store.writing():
        memories.model.bind()
    seconds = own = 0.0
    for numbers in in_batches(range(there, rows), BATCH):
        chance = np.random.default_rng(numbers[0])
        pairs = chance.integers(0, len(texts), (len(numbers), 2))
        noise = chance.normal(0, NOISE / real.shape[1] ** 0.5, (len(numbers), real.shape[1]))
        mixed = real[pairs].mean(axis=1) + noise
        mixed = (mixed / np.linalg.norm(mixed, axis=1, keepdims=True)).astype("<f4")
        many = list(_varied(texts, numbers, pairs, rows))
        vectors = {one.id: [row.tobytes()] for one, row in zip(many, mixed, strict=True)}
        began, spent = time.perf_counter(), time.process_time()
        store.put(many, Change(action="add", actor="batch"), memories.now(), vectors)
        seconds, own = seconds + time.perf_counter() - began, own + time.process_time() - spent
        if numbers[-1] % 50_000 < BATCH or numbers[-1] == rows - 1:
            pace, each = (numbers[-1] + 1 - there) / seconds, own / (numbers[-1] + 1 - there)
            said = (
                f"{numbers[-1] + 1:,} of {rows:,}, {pace:,.0f} a second, {each * 1e6:,.0f} us each of our own"
            )
            print(f"{store.location}: {said}", file=sys.stderr, flush=True)
    filled = time.perf_counter()
    while store.tend():
        pass
    print(f"{store.location}: indexed in {time.perf_counter() - filled:,.1f} s", file=sys.stderr, flush=True)


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
            tags=() if number % 100 else (RARE,),
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
            # A store of few texts need not answer what is asked.
            own = {**settings, "MEMCLI_DB": store, "MEMCLI_MIN_SCORE": "0", "MEMCLI_MIN_SURE": "0"}
            recalled = run([str(MEM), "recall", asked[number]], own)[0]
            note = f"The pool counted {os.getpid()} guests on day {number}"
            written = run([str(MEM), "remember", note], own)[0]
            # The first of each fills the page cache.
            if number:
                recalls[store].append(recalled)
                writes[store].append(written)
    print("| memories | GB | `mem recall` ms | MB | `mem remember` ms | MB | words ms, p95 | meaning ms, p95 "
          "| of the nearest 10 | 200 | 1 % ms, p95 | of its nearest 10 |\n|--:|" + "--:|" * 11)  # fmt: skip
    parts = []
    for store in stores:
        with open_memories(store, config=Config(settings), create=False) as memories:
            size = sum(number for *_, number in memories.store.count(Filter(live=False)))
            total = memories.store.sizes()["total"] / 1e9
            costs = [_cost(some) for some in (recalls[store], writes[store])]
            print(f"| {size:,} | {total:.2f} | {' | '.join(costs)} |", end="")
            print(f" {searches(memories, asked, exact)} |", flush=True)
            parts.append(f"{memories.store.location}: " + ", ".join(
                f"{part} {size / 1e6:,.0f} MB" for part, size in memories.store.sizes().items()
            ))  # fmt: skip
    print("\n".join(parts))


def _cost(some: Sequence[Cost]) -> str:
    milliseconds = median(each.seconds for each in some) * 1000
    return f"{milliseconds:,.0f} | {max(each.megabytes for each in some):,.0f}"


def searches(memories: Memories, asked: Sequence[str], exact: int) -> str:
    """The columns of the searches of a recall: milliseconds by words, and by meaning; the shares found."""
    store, where = memories.store, memories.within(at=memories.now())
    vectors = memories.model.open_bound().queries(asked)

    def by_words(question: str) -> None:
        search = WordSearch(store, where)
        search.best(search.weights(query_terms(question)), DEPTH)

    columns = [_times(by_words, asked)]
    for filtered, depths in ((where, (10, DEPTH)), (where._replace(tags=(RARE,)), (10,))):

        def by_meaning(vector: Floats, filtered: Filter = filtered) -> list[Ref]:
            return [match.ref for match in store.nearest(vector.tobytes(), filtered, DEPTH)]

        columns.append(_times(by_meaning, vectors))
        best = all_measured(memories, vectors[:exact], filtered)
        found = [by_meaning(vector) for vector in vectors[:exact]]
        columns += [_share(found, best, depth) for depth in depths]
    return " | ".join(columns)


def _times(search: Callable[[Any], object], asked: Sequence[Any] | Floats) -> str:
    """What a search of each takes once the caches are warm: the second time."""
    seconds = list[float]()
    for each in asked:
        search(each)
    for each in asked:
        started = time.perf_counter()
        search(each)
        seconds.append(time.perf_counter() - started)
    ordered = sorted(seconds)
    return f"{1000 * median(ordered):.1f}, {1000 * ordered[int(0.95 * len(ordered))]:.1f}"


def _share(found: Sequence[Sequence[Ref]], best: Sequence[Sequence[Ref]], depth: int) -> str:
    """How many of the nearest were found; of those that there are."""
    held = [
        len({*refs[:depth]} & {*nearest[:depth]}) / max(1, len(nearest[:depth]))
        for refs, nearest in zip(found, best, strict=True)
    ]
    return f"{100 * sum(held) / len(held):.1f} %"


def all_measured(memories: Memories, vectors: Floats, where: Filter) -> list[list[Ref]]:
    """For each of some vectors the nearest memories, best first, by measuring every vector there is."""
    best: list[list[tuple[float, Ref]]] = [[] for _ in vectors]
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    for some in in_batches(memories.store.each_vector(where), 20_000):
        rows = np.frombuffer(b"".join(vector for _, vector in some), dtype="<f4").reshape(len(some), -1)
        cosines = units @ (rows / np.linalg.norm(rows, axis=1, keepdims=True)).T
        for place, near in enumerate(cosines):
            top = np.argsort(-near)[:DEPTH]
            best[place] = nlargest(DEPTH, [*best[place], *((float(near[row]), some[row][0]) for row in top)])
    return [[ref for _, ref in some] for some in best]


if __name__ == "__main__":
    main()
