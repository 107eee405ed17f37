"""The rows of the table: each a subject, its baseline, and the ratio allowed."""

from __future__ import annotations

import json
import multiprocessing
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import cached_property
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import NamedTuple

from benchmarks.speed.baselines import ENCODE, PLAIN, SCRIPT
from benchmarks.speed.processes import MEM, Cost, environment_of, run
from benchmarks.speed.server import Server
from benchmarks.speed.texts import make_store, sentences

QUERY = "which port does the staging server listen on?"
SMALL = 1_000
BATCH = 10_000


class Row(NamedTuple):
    """A line of the table: a subject, what it is held against, and the ratio allowed."""

    what: str
    subject: Callable[[], Cost]
    against: str
    baseline: Callable[[], Cost]
    allowed: float
    slow: bool = False


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
                f"{SMALL:,} memories", self.recall, 1.3,
            ),
            "mcp": Row(
                "`mem mcp` to `tools/list`", self._mcp_list, "`import mcp`",
                lambda: run([sys.executable, "-c", "import mcp"])[0], 1.3,
            ),
            "mcp-recall": Row("recall by MCP, warm", self._mcp_recall, "`mem recall Q`", self.recall, 0.33),
            "hook": Row("`mem hook prompt`", self._hook, "`mem recall Q`", self.recall, 1.0),
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
            # It may have gone by itself meanwhile, having had nothing to do.
            settings = environment_of(self._own(None) | self._warm)
            subprocess.run([MEM, "warm", "stop"], env=settings, check=False)

    def remember(self) -> Cost:
        """One more memory in the small store."""
        return self.mem(
            "remember", f"Locker {next(self._numbers)} at the pool stands in row 8443", db=self.small
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
            "remember", "The locker at the pool stands in row 8443", "--force",
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
            self._server.recall(QUERY)
        return self._server.recall(QUERY)

    def _script(self) -> Cost:
        return run([sys.executable, "-c", SCRIPT, str(self.small), QUERY])[0]

    def _plain(self) -> Cost:
        return run([sys.executable, "-c", PLAIN, "recall", QUERY], self._own(self.small))[0]

    def _batch(self) -> Cost:
        first, whole = (
            self.mem("remember", "--batch", db=self.folder / f"batch-{next(self._numbers)}.db", stdin=texts)
            for texts in (self._texts(1), self._texts(BATCH))
        )
        return Cost(whole.seconds - first.seconds, whole.megabytes, whole.processor - first.processor)

    def _encode(self) -> Cost:
        cost, printed = run([sys.executable, "-c", ENCODE], stdin=self._texts(BATCH))
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


def _over(what: str, subject: Callable[[], Cost], imports: str, allowed: float) -> Row:
    command: Sequence[str] = (sys.executable, "-c", f"import {imports}")
    return Row(what, subject, f"`import {imports}`", lambda: run([*command])[0], allowed)
