"""The stores that memcli's own import makes of public conversations, and the options of who asks them."""

from __future__ import annotations

import argparse
import hashlib
import json
import tempfile
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.command_line import add_cache, parser_for
from benchmarks.conversations import SETS, Conversation, Question, Record, load
from memcli import times
from memcli.config.config import Config
from memcli.embedding import Embedder, open_embedder
from memcli.embedding.forward_pass import Reading, readings
from memcli.memories import Memories
from memcli.model import Filter
from memcli.recall.ranking.vectors import Floats
from memcli.storage.stores import open_store
from memcli.upkeep.exchange.export import export_records
from memcli.upkeep.exchange.importer import Importer
from memcli.upkeep.reindex import reindex_store

# The memory that a text was merged into is among so many nearest, so alike at least, and confirmed by it.
_NEAREST, _ALIKE = 20, 0.5


def arguments(
    about: str,
    required: Mapping[str, str] | None = None,
    optional: Mapping[str, str] | None = None,
    **flags: str,
) -> argparse.Namespace:
    """What was asked for: the options that benchmarks of recall share, others and flags with their help."""
    parser = parser_for(about)
    parser.add_argument("--data", type=Path, required=True, help="folder of public data")
    parser.add_argument("--only", default=",".join(SETS), help="collections, by commas; all")
    parser.add_argument("--keep", type=Path, help="keeps the stores between runs")
    add_cache(parser)
    for name, said in {**(required or {}), **(optional or {})}.items():
        parser.add_argument(f"--{name}", required=name in (required or {}), help=said)
    for flag, said in flags.items():
        parser.add_argument(f"--{flag}", action="store_true", help=said)
    given = parser.parse_args()
    given.only = given.only.split(",")
    if unknown := set(given.only) - set(SETS):
        parser.error(f"no collection {', '.join(sorted(unknown))}; there are {', '.join(SETS)}")
    return given


@contextmanager
def opened(given: argparse.Namespace) -> Iterator[list[Built]]:
    """The stores of all conversations asked for, open; made where none are kept."""
    with tempfile.TemporaryDirectory(prefix="memcli-benchmark-") as folder:
        kept = given.keep or Path(folder)
        kept.mkdir(parents=True, exist_ok=True)
        started = time.perf_counter()
        stores = Stores(kept, given.cache or Path(folder) / "cache")
        builts = [stores.build(talk) for talk in load(given.data, given.only)]
        if not builts:
            raise SystemExit(f"{given.data}: none of {', '.join(given.only)} lies there")
        number = sum(len(built.talk.records) for built in builts)
        lost = sum(built.lost for built in builts)
        print(f"{len(builts)} conversations, {number:,} records ({lost} refused by the import), ", end="")
        print(f"ready in {time.perf_counter() - started:.0f} s", flush=True)
        yield builts
        for built in builts:
            built.memories.close()


class Built(NamedTuple):
    """A conversation and the store that was made of it."""

    talk: Conversation
    memories: Memories
    ids: list[str]
    """The memory that each record became; `lost N` where there is none."""
    stores: Stores

    def answers(self, question: Question) -> frozenset[str]:
        """The ids of the memories that answer; what the import lost is among them."""
        return frozenset(self.ids[number] for number in question.evidence)

    def cut(self, path: Path, kept: Collection[str]) -> Built:
        """A new store of these memories alone, as an export and an import make it."""
        records = export_records(self.memories, Filter(), vectors=True)
        chosen = [record for record in records if "format" in record or record.get("id") in kept]
        return self._replace(memories=self.stores.fill(path, chosen))

    @property
    def lost(self) -> int:
        """How many records are not in the store."""
        return sum(each.startswith("lost") for each in self.ids)


class Stores:
    """Makes stores in a folder; those that lie there from an earlier run are used again.

    Their settings are the program's own, whatever the owner's. The model is
    opened once, and a question is embedded once however often it is asked.
    """

    def __init__(self, folder: Path, cache: Path) -> None:
        self.folder = folder
        self._cache = cache
        self._model: Embedder | None = None

    def build(self, talk: Conversation) -> Built:
        """The store of a conversation."""
        digest = hashlib.sha256(json.dumps(talk.records).encode()).hexdigest()[:12]
        path = self.folder / f"{talk.name}-{digest}.db"
        if not path.exists():
            self.fill(path, talk.records).close()
        memories = self._open(path)
        found: dict[tuple[Any, ...], str] = {}
        for memory in memories.store.select(Filter(spaces=None, live=False)):
            said = (memory.text, memory.session)
            found[said] = found[*said, memory.happened_at] = memory.id
        lost = [number for number, record in enumerate(talk.records) if _key(record) not in found]
        merged = self._merged(memories, [talk.records[number]["text"] for number in lost])
        into = {number: each for number, each in zip(lost, merged, strict=True) if each}
        return Built(
            talk,
            memories,
            [
                found.get(_key(record)) or into.get(number, f"lost {number}")
                for number, record in enumerate(talk.records)
            ],
            self,
        )

    def _merged(self, memories: Memories, texts: Sequence[str]) -> list[str | None]:
        """The memory into which each text was merged: the one that says the same; None where none does."""
        if not texts:
            return []
        confirmed = {event.memory for event in memories.store.history() if event.action == "confirm"}
        found: list[str | None] = []
        for windows in memories.model.open().documents(texts):
            nearest = memories.store.nearest(windows[0].tobytes(), Filter(spaces=None), _NEAREST)
            refs = [match.ref for match in nearest if match.score >= _ALIKE]
            near = memories.store.memories_by_ref(refs)
            here = (near[ref].id for ref in refs if ref in near and near[ref].id in confirmed)
            found += [next(here, None)]
        return found

    def fill(self, path: Path, records: Iterable[Record]) -> Memories:
        """A new store at `path` with these records, made through memcli's import."""
        part = path.with_suffix(".part")
        part.unlink(missing_ok=True)
        with self._open(part) as memories:
            # A copy: the import takes the vectors out of a record that carries some.
            numbered = ((f"record {number}", {**record}) for number, record in enumerate(records))
            Importer(memories, "import:benchmark").take(numbered)
            # Of a long text an import reads the beginning.
            reindex_store(memories, missing_only=True)
        part.rename(path)
        return self._open(path)

    def _open(self, path: Path) -> Memories:
        own = {"DB": path, "CONFIG": self.folder / "none.toml", "CACHE_DIR": self._cache}
        config = Config({f"MEMCLI_{name}": str(value) for name, value in own.items()})
        return Memories(open_store(path), config, self.opened)

    def opened(self, name: str) -> Embedder:
        """The one model of all these stores."""
        if self._model is None:
            self._model = _Remembering(open_embedder(name, self._cache, print))
        return self._model


class _Remembering:
    """A model that embeds each question once."""

    def __init__(self, model: Embedder) -> None:
        self.identity = model.identity
        self.max_tokens = model.max_tokens
        self.documents = model.documents
        self.windows = model.windows
        self.count_tokens = model.count_tokens
        self._model = model
        self._known: dict[str, Floats] = {}

    def queries(self, texts: Sequence[str]) -> Floats:
        new = [text for text in texts if text not in self._known]
        if new:
            self._known.update(zip(new, self._model.queries(new), strict=True))
        together: Floats = np.stack([self._known[text] for text in texts])
        return together

    def readings(self, texts: Sequence[str]) -> Iterator[Reading]:
        return readings(self._model, texts)


def _key(record: Record) -> tuple[Any, ...]:
    said = (record["text"], record.get("session"))
    return (*said, times.from_iso(record["at"])) if "at" in record else said
