"""Years: a store that grows night by night and is consolidated every night.

    python -m benchmarks.years --data PATH [--nights 730] [--new 27] [--cache DIR]

The turns of the public conversations, in order, then their sentences as
memories that a program concluded (inferred, 0.7), come in evenly over the
nights; the clock is an argument. Each day some of what is there is recalled,
by the questions whose evidence has come in. Every night `consolidate` runs on
one store; a twin gets the same and is never consolidated. Printed are size and
live memories of both, recall of what is still true (evidence that consolidation
ended does not count, what was merged counts as what it was merged into), and
the time of a night: median, slowest, and the last one with 200 new memories.
"""

from __future__ import annotations

import argparse
import random
import re
import tempfile
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import numpy as np

from benchmarks.data import Question, Record, load
from benchmarks.quality import DEPTH, measure
from memcli.config import Config
from memcli.consolidation.run import consolidate
from memcli.embedding import Embedder, open_embedder
from memcli.exchange import Importer
from memcli.memories import Memories
from memcli.model import Filter, Memory
from memcli.ranking.vectors import Floats
from memcli.storage import open_store

BEGAN = datetime(2026, 1, 1, 22, tzinfo=UTC)
# A day's recalls; questions asked at the end; the new memories of the last, full night.
RECALLS, ASKED, FULL = 3, 300, 200


class Grown(NamedTuple):
    """A store, and the memory that each record became."""

    memories: Memories
    ids: dict[int, str]


def main() -> None:
    """Let two stores grow, consolidate one, and compare."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--nights", type=int, default=730)
    parser.add_argument("--new", type=int, default=27, help="memories a night")
    parser.add_argument("--cache", type=Path, help="keeps the compiled model between runs")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="memcli-years-") as folder:
        model = _Once(open_embedder(Config({})["model"], given.cache or Path(folder) / "cache", print))
        clock = _Clock()
        tended, twin = (
            Grown(_opened(Path(folder) / f"{name}.db", model, clock), {}) for name in ("tended", "twin")
        )
        records, questions = everything(given.data)
        nights = live(tended, twin, clock, records, questions, given.nights, given.new)
        _table(tended, twin, questions, nights)


def everything(data: Path) -> tuple[list[Record], list[Question]]:
    """Turns of all conversations with their questions, then sentences of the long ones."""
    records: list[Record] = []
    questions: list[Question] = []
    for talk in load(data, ("locomo", "beam")):
        places = range(len(records), len(records) + len(talk.records))
        for record in talk.records:
            session = f"{talk.name} {record['session']}"
            # When it was said is when it comes in: the conversations are years apart.
            records.append({**record, "session": session, "at": None})
        for asked in talk.questions:
            questions.append(asked._replace(evidence=frozenset(places[number] for number in asked.evidence)))
    return records + list(sentences(records)), questions


def sentences(records: Sequence[Record]) -> Iterator[Record]:
    """Statements out of the turns, as a program might conclude them."""
    for record in records:
        for sentence in re.split(r"(?<=[.!])\s+", record["text"][:2000]):
            if 30 <= len(sentence) <= 200 and not sentence.endswith("?"):
                yield {"text": sentence, "kind": "fact", "source": "inferred", "confidence": 0.7}


def live(
    tended: Grown,
    twin: Grown,
    clock: _Clock,
    records: Sequence[Record],
    questions: Sequence[Question],
    nights: int,
    new: int,
) -> list[float]:
    """Each day's memories and recalls in both stores, each night a run in one; seconds a night."""
    chance = random.Random(1)
    order = list(range(len(records)))
    took = []
    coming = iter(order)
    here: set[int] = set()
    for night in range(nights + 1):
        clock.instant = BEGAN + timedelta(days=night)
        some = list(islice(coming, FULL if night == nights else new))
        for grown in (tended, twin):
            _take(grown, records, some)
        here.update(some)
        known = [asked for asked in questions if asked.evidence <= here]
        for asked in chance.sample(known, min(RECALLS, len(known))):
            for grown in (tended, twin):
                grown.memories.recall(asked.text)
        clock.instant += timedelta(hours=5)
        started = time.perf_counter()
        report = consolidate(tended.memories)
        took.append(time.perf_counter() - started)
        if night % max(1, nights // 10) == 0 or night == nights:
            print(f"night {night}: {len(here)} came in, {took[-1]:.2f} s,", report.counts(), flush=True)
    return took


def _take(grown: Grown, records: Sequence[Record], some: Sequence[int]) -> None:
    given = [(number, {k: v for k, v in records[number].items() if v is not None}) for number in some]
    began = grown.memories.now()
    Importer(grown.memories, "import:benchmark").take((f"record {n}", {**record}) for n, record in given)
    fresh: dict[tuple[Any, ...], str] = {}
    since = grown.memories.within(created_since=began, live=False, at=None)
    for memory in grown.memories.store.select(since):
        fresh[memory.text, memory.session] = memory.id
    for number, record in given:
        if (key := (record["text"], record.get("session"))) in fresh:
            grown.ids[number] = fresh[key]


def recalled(grown: Grown, questions: Sequence[Question]) -> dict[int, float]:
    """R@10 of each question whose evidence is all still true, by its number."""
    found = {}
    for number, asked in enumerate(questions):
        evidence = [_now(grown, place) for place in asked.evidence]
        if any(each is None or each.ended_at for each in evidence):
            continue
        hits = grown.memories.recall(
            asked.text, touch=False, settings=grown.memories.settings(limit=DEPTH)
        ).hits
        wanted = frozenset(each.id for each in evidence if each)
        found[number] = float(measure([hit.memory.id for hit in hits], wanted)[1])
    return found


def _now(grown: Grown, place: int) -> Memory | None:
    """What a record became, or was merged into."""
    memory = next(iter(grown.memories.store.get([grown.ids.get(place, "")])), None)
    while memory and memory.ended_why and memory.ended_why.startswith("merged into "):
        memory = grown.memories.store.get([memory.ended_why.split()[-1]])[0]
    return memory


def _table(tended: Grown, twin: Grown, questions: Sequence[Question], nights: Sequence[float]) -> None:
    known = [asked for asked in questions if all(place in twin.ids for place in asked.evidence)]
    chosen = random.Random(2).sample(known, min(ASKED, len(known)))
    before, after = recalled(twin, chosen), recalled(tended, chosen)
    both = sorted(before.keys() & after.keys())
    print("\n| store | memories | live | MB | R@10 of what is still true |\n|---|--:|--:|--:|--:|")
    for name, grown, rows in (("not consolidated", twin, before), ("consolidated", tended, after)):
        store = grown.memories.store
        every = sum(n for _, _, n in store.count(Filter(spaces=None, live=False)))
        alive = sum(n for _, _, n in store.count(grown.memories.within()))
        size = store.sizes()["total"] / 1e6
        share = 100 * np.mean([rows[number] for number in both]) if both else float("nan")
        print(f"| {name} | {every:,} | {alive:,} | {size:.1f} | {share:.1f} ({len(both)} questions) |")
    print(f"\na night: median {median(nights):.2f} s, slowest {max(nights):.2f} s, last {nights[-1]:.2f} s")


class _Clock:
    def __init__(self) -> None:
        self.instant = BEGAN

    def __call__(self) -> datetime:
        self.instant += timedelta(milliseconds=1)
        return self.instant


class _Once:
    """A model that embeds each text once: both stores get the same ones."""

    def __init__(self, model: Embedder) -> None:
        self.identity = model.identity
        self.max_tokens = model.max_tokens
        self.count_tokens = model.count_tokens
        self._model = model
        self._known: dict[str, Floats] = {}

    def queries(self, texts: Sequence[str]) -> Floats:
        return self._model.queries(texts)

    def documents(self, texts: Sequence[str]) -> Iterator[Floats]:
        new = list(dict.fromkeys(text for text in texts if text not in self._known))
        self._known.update(zip(new, self._model.documents(new), strict=True))
        return iter([self._known[text] for text in texts])


def _opened(path: Path, model: Embedder, clock: _Clock) -> Memories:
    own = Config({"MEMCLI_DB": str(path), "MEMCLI_CONFIG": str(path.with_suffix(".toml"))})
    return Memories(open_store(path), own, lambda name: model, clock=clock)


if __name__ == "__main__":
    main()
