"""Public data as conversations, and the stores that memcli's own import makes of them.

`load` reads any folder laid out like the public one, whatever part of each
collection lies there:

    locomo-*/*.json        LoCoMo: conversations of two people, a memory a turn
    beam-*/*.json.gz       BEAM: chats with an assistant, the user's messages
    prefeval-*/*.json      PrefEval: preferences by topic, all in one conversation

A question names its evidence by the numbers of the records that answer it.
Questions to which there is no answer (LoCoMo's adversarial ones, BEAM's
abstentions) stand apart; other questions without evidence are left out.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import re
import tempfile
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from memcli import times
from memcli.config.config import Config
from memcli.embedding import Embedder, open_embedder
from memcli.memories import Memories
from memcli.model import Filter
from memcli.recall.ranking.vectors import Floats
from memcli.storage.stores import open_store
from memcli.upkeep.exchange.importing import Importer, export_records
from memcli.upkeep.reindex import reindex_store

SETS = ("locomo", "beam", "prefeval")
Record = dict[str, Any]

_LOCOMO_KINDS = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
# "D8:6; D9:17", "D:11:26" and "D30:05" are how some of it is written.
_TURN = re.compile(r"D:?(\d+):(\d+)")
_TRAILER = re.compile(r"\s*->->[\d,\s]*$")


class Question(NamedTuple):
    """What is asked, and which records answer it."""

    text: str
    evidence: frozenset[int]
    category: str
    # Of a question about something that was updated: who said it first, and who said it last.
    outdated: frozenset[int] = frozenset()
    current: frozenset[int] = frozenset()


@dataclass(slots=True)
class Conversation:
    """Records as `mem import` takes them, and what is asked about them."""

    name: str
    data: str
    records: list[Record] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    unanswerable: list[Question] = field(default_factory=list)
    # What the assistant said, where there is one: no record, nothing is asked about it.
    replies: list[str] = field(default_factory=list)


def arguments(about: str, **flags: str) -> argparse.Namespace:
    """What was asked for: the options that benchmarks of recall share, and flags with their help."""
    parser = argparse.ArgumentParser(description=about.split("\n", maxsplit=1)[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of public data")
    parser.add_argument("--only", default=",".join(SETS), help="collections, by commas; all")
    parser.add_argument("--keep", type=Path, help="keeps the stores between runs")
    parser.add_argument("--cache", type=Path, help="keeps the compiled model between runs")
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


def load(folder: Path, only: Iterable[str] = SETS) -> list[Conversation]:
    """All conversations under `folder` of the collections asked for."""
    readers = {"locomo": _locomo, "beam": _beam, "prefeval": _prefeval}
    return [talk for name in only for talk in readers[name](sorted(folder.glob(f"{name}-*/*.json*")))]


def _read(path: Path) -> Any:
    raw = path.read_bytes()
    return json.loads(gzip.decompress(raw) if path.suffix == ".gz" else raw)


def _locomo(paths: Iterable[Path]) -> Iterator[Conversation]:
    for path in paths:
        content = _read(path)
        for number, each in enumerate(content if isinstance(content, list) else [content]):
            talk = Conversation(each.get("sample_id", f"{path.stem}-{number}"), "locomo")
            places = _locomo_turns(each["conversation"], talk.records)
            for asked in each["qa"]:
                turns = {(int(a), int(b)) for text in asked["evidence"] for a, b in _TURN.findall(text)}
                evidence = frozenset(places[turn] for turn in turns if turn in places)
                kind = _LOCOMO_KINDS.get(asked["category"], str(asked["category"]))
                _ask(talk, Question(str(asked["question"]), evidence, kind), kind == "adversarial")
            yield talk


def _locomo_turns(sessions: dict[str, Any], records: list[Record]) -> dict[tuple[int, int], int]:
    """Add a record a turn; gives the number of each by session and turn."""
    places = {}
    names = [name for name in sessions if re.fullmatch(r"session_\d+", name)]
    for name in sorted(names, key=lambda name: int(name.removeprefix("session_"))):
        when = datetime.strptime(sessions[f"{name}_date_time"], "%I:%M %p on %d %B, %Y")  # noqa: DTZ007
        for order, turn in enumerate(sessions[name]):
            for a, b in _TURN.findall(turn["dia_id"]):
                places[int(a), int(b)] = len(records)
            image = f" [image: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
            text, speaker = f"{turn['speaker']}: {turn['text']}{image}", turn["speaker"]
            records.append(_episode(text, name, speaker, when, order))
    return places


def _beam(paths: Iterable[Path]) -> Iterator[Conversation]:
    for path in paths:
        content = _read(path)
        talk = Conversation(path.name.split(".")[0], "beam")
        places: dict[int, int] = {}
        when = None
        for number, batch in enumerate(content["chat"], start=1):
            for order, message in enumerate(message for turn in batch["turns"] for message in turn):
                if anchor := message.get("time_anchor"):
                    when = datetime.strptime(anchor, "%B-%d-%Y")  # noqa: DTZ007
                if message["role"] == "user":
                    places[message["id"]] = len(talk.records)
                    text = _TRAILER.sub("", message["content"])
                    talk.records.append(_episode(text, f"batch-{number}", "user", when, order))
                else:
                    talk.replies.append(message["content"])
        for ability, questions in content["probing_questions"].items():
            for asked in questions:
                named = asked.get("source_chat_ids")
                updated = named if isinstance(named, dict) else {}
                evidence, outdated, current = (
                    frozenset(places[number] for number in _numbers(part) if number in places)
                    for part in (named, updated.get("original_info"), updated.get("updated_info"))
                )
                question = Question(asked["question"], evidence, ability, outdated, current)
                _ask(talk, question, ability == "abstention")
        yield talk


def _prefeval(paths: Iterable[Path]) -> Iterator[Conversation]:
    talk = Conversation("prefeval", "prefeval")
    for path in paths:
        for item in _read(path):
            evidence = frozenset([len(talk.records)])
            talk.records.append({"text": item["preference"], "kind": "preference"})
            talk.questions.append(Question(item["question"], evidence, path.stem))
    if talk.records:
        yield talk


def _episode(text: str, session: str, role: str, when: datetime | None, order: int) -> Record:
    record = {"text": text, "kind": "episode", "session": session, "role": role}
    if when:
        # The data gives one time a session; a second apart, turns keep their order.
        record["at"] = times.to_iso(when.replace(tzinfo=UTC) + timedelta(seconds=order))
    return record


def _ask(talk: Conversation, question: Question, unanswerable: bool) -> None:
    if unanswerable:
        talk.unanswerable.append(question)
    elif question.evidence:
        talk.questions.append(question)


def _numbers(value: Any) -> Iterator[int]:
    """Every number in a value of lists, objects and texts."""
    if isinstance(value, int):
        yield value
    elif isinstance(value, str):
        yield from map(int, re.findall(r"\d+", value))
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _numbers(each)


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
        keys = [_key(record) for record in talk.records]
        return Built(talk, memories, [found.get(key, f"lost {n}") for n, key in enumerate(keys)], self)

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
        return Memories(open_store(path), config, self._opened)

    def _opened(self, name: str) -> Embedder:
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
        self._queries = model.queries
        self._known: dict[str, Floats] = {}

    def queries(self, texts: Sequence[str]) -> Floats:
        new = [text for text in texts if text not in self._known]
        if new:
            self._known.update(zip(new, self._queries(new), strict=True))
        together: Floats = np.stack([self._known[text] for text in texts])
        return together


def _key(record: Record) -> tuple[Any, ...]:
    said = (record["text"], record.get("session"))
    return (*said, times.from_iso(record["at"])) if "at" in record else said
