"""Cliffs: what large stores cost, in processor time, each beside the same over a tenth of it.

    python -m benchmarks.cliffs --data PATH [--size 50000] [--rows NAME…] [--keep DIR] [--cache DIR]

The ratio of both says how the cost grows: 10 is linear, 100 is each with each. The stores
are filled through the library: real sentences (LoCoMo, STS, statements out of BEAM) with
their vectors, a quarter of them there twice or more, a quarter varied ("…, on day 41."), the vector of
the sentence with a little noise; one text again and again; the turns of one session; what was never
consolidated: such statements beside real users' turns (BEAM), in sessions of twenty.
Runs on POSIX (`os.wait4`).
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.command_line import add_cache, parser_for
from benchmarks.conversations import load
from benchmarks.speed.processes import MEM
from benchmarks.speed.texts import sentences
from benchmarks.years import Once, statements
from memcli.config.config import Config
from memcli.embedding import open_embedder
from memcli.memories import open_memories
from memcli.model import Change
from memcli.recall.ranking.vectors import Floats
from memcli.storage.batches import in_batches
from memcli.write_policy.direct import put_embedded
from memcli.write_policy.drafts import Draft, new_memory

# A store is asked at its size, and at this part of it.
PART = 10
NOISE, SAID = 0.02, "The staging server listens on port 8443."
# A session of a user, and the longest of the turns.
SESSION, LONG = 20, 400
Item = tuple[Draft, Floats]


class Row(NamedTuple):
    """What is asked of which store, of how many memories."""

    store: str
    size: int
    command: Sequence[str]


def main() -> None:
    """Fill the stores asked for and print the table, each row as soon as it is known."""
    parser = parser_for(__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of public data")
    parser.add_argument("--size", type=int, default=50_000, help="memories in the largest store; 50000")
    parser.add_argument("--rows", nargs="*", metavar="NAME", help="only these rows")
    parser.add_argument("--keep", type=Path, help="keeps the stores between runs")
    add_cache(parser, "the compiled model and its vectors")
    given = parser.parse_args()
    rows = _rows(given.size)
    if unknown := set(given.rows or ()) - rows.keys():
        parser.error(f"no row {', '.join(sorted(unknown))}; there are {', '.join(rows)}")
    with tempfile.TemporaryDirectory(prefix="memcli-cliffs-") as folder:
        stores = _Stores(given.keep or Path(folder), given.cache or Path(folder) / "cache", given.data)
        print("| what | memories | CPU s | a tenth of them: CPU s | ratio |\n|---|--:|--:|--:|--:|")
        for name in given.rows or rows:
            row = rows[name]
            small, large = (stores.cost(row._replace(size=size)) for size in (row.size // PART, row.size))
            print(
                f"| `mem {' '.join(row.command)}`, {row.store} | {row.size:,} | {large:.1f} "
                f"| {small:.1f} | {large / small:.1f} |",
                flush=True,
            )


def _rows(size: int) -> dict[str, Row]:
    reads = {
        "list": ("list", "-n", "5"), "stats": ("stats",), "context": ("context",), "profile": ("profile",),
        "doctor": ("doctor",), "export": ("export",), "words": ("recall", "--words", SAID),
    }  # fmt: skip
    return {
        "audit": Row("mixed", size, ("audit",)),
        "equal": Row("equal", size // 5, ("consolidate", "--only", "merge")),
        "fix": Row("equal", size // 5, ("audit", "--check", "duplicates", "--fix")),
        "session": Row("turns", size * 2 // 5, ("session", "end", "long")),
        "night": Row("told", size, ("consolidate",)),
        **{name: Row("mixed", size, command) for name, command in reads.items()},
    }


class _Stores:
    """The stores, made when first needed; each command gets a copy of its own."""

    def __init__(self, folder: Path, cache: Path, data: Path) -> None:
        self._folder, self._cache, self._data = folder, cache, data
        folder.mkdir(parents=True, exist_ok=True)
        self._config = Config({"MEMCLI_CACHE_DIR": str(cache), "MEMCLI_CONFIG": str(folder / "none.toml")})
        self._model = Once(open_embedder(self._config["model"], cache, print), cache)

    def cost(self, row: Row) -> float:
        """Seconds of the processor that a command takes as a whole process."""
        path = self._folder / "asked.db"
        shutil.copy(self._filled(row.store, row.size), path)
        own = {"DB": path, "CONFIG": self._folder / "none.toml", "CACHE_DIR": self._cache}
        environment = {**os.environ, **{f"MEMCLI_{name}": str(value) for name, value in own.items()}}
        process = subprocess.Popen(
            [str(MEM), *row.command], env=environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        )  # fmt: skip
        assert process.stderr
        said = process.stderr.read().decode(errors="replace")
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode > 1:
            raise SystemExit(f"mem {' '.join(row.command)}: exit status {process.returncode}\n{said}")
        return usage.ru_utime + usage.ru_stime

    def _filled(self, kind: str, size: int) -> Path:
        path = self._folder / f"{kind}-{size}.db"
        if path.exists():
            return path
        part, began = path.with_suffix(".part"), time.perf_counter()
        part.unlink(missing_ok=True)
        items: Callable[[int], Iterator[Item]] = getattr(self, f"_{kind}")
        with open_memories(part, config=self._config) as memories:
            for some in in_batches(items(size), 2000):
                kept = [new_memory(memories, draft) for draft, _ in some]
                vectors = {one.id: [row.tobytes()] for one, (_, row) in zip(kept, some, strict=True)}
                put_embedded(memories, memories.model, kept, Change("add", "batch"), vectors)
        part.rename(path)
        print(f"{path.name} filled in {time.perf_counter() - began:.0f} s", file=sys.stderr)
        return path

    def _mixed(self, size: int) -> Iterator[Item]:
        texts = self._texts(size // 2)
        rows = self._vectors(texts)
        chance, noise = random.Random(1), np.random.default_rng(1)
        for number in range(size):
            place = number // 2 % len(texts) if number % 2 == 0 else chance.randrange(len(texts))
            text, row = texts[place], rows[place]
            if number % 4 == 3:
                text = f"{text.rstrip('.')}, on day {chance.randrange(1, 400)}."
                row = row + noise.normal(0, NOISE, row.shape).astype(np.float32)
                row /= np.linalg.norm(row)
            yield Draft(text=text), row

    def _equal(self, size: int) -> Iterator[Item]:
        [row] = self._vectors([SAID])
        return ((Draft(text=SAID), row) for _ in range(size))

    def _turns(self, size: int) -> Iterator[Item]:
        texts = self._texts(size)
        rows = self._vectors(texts)
        for number in range(size):
            role = ("user", "assistant")[number % 2]
            text = texts[number % len(texts)]
            yield (
                Draft(text=text, kind="episode", session="long", data={"role": role}),
                rows[number % len(texts)],
            )

    def _told(self, size: int) -> Iterator[Item]:
        talks = load(self._data, ("beam", "beam500"))
        said = [str(record["text"]) for talk in talks for record in talk.records]
        turns = [text for text in dict.fromkeys(said) if len(text) <= LONG]
        rows, chance, noise = self._vectors(turns), random.Random(2), np.random.default_rng(2)
        for number, item in enumerate(self._mixed(size // 2)):
            yield item
            text, row = turns[number % len(turns)], rows[number % len(turns)]
            if number >= len(turns):
                text = f"{text} That was on day {chance.randrange(1, 400)}."
                row = row + noise.normal(0, NOISE, row.shape).astype(np.float32)
                row /= np.linalg.norm(row)
            session = f"talk-{number // SESSION}"
            yield Draft(text=text, kind="episode", session=session, data={"role": "user"}), row

    def _texts(self, most: int) -> list[str]:
        """Different real sentences, always the same ones."""
        told = [text for talk in load(self._data, ("beam",)) for text in talk.replies]
        texts = list(dict.fromkeys([*sentences(self._data), *(s for text in told for s in statements(text))]))
        random.Random(1).shuffle(texts)
        return texts[:most]

    def _vectors(self, texts: Sequence[str]) -> list[Floats]:
        rows = [windows[0].astype("<f4") for windows in self._model.documents(texts)]
        self._model.keep()
        return rows


if __name__ == "__main__":
    main()
