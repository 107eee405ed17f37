"""Years: a store that grows night by night and is consolidated every night.

    python -m benchmarks.years --data PATH [--nights 730] [--new 27] [--size 20000] [--cache DIR]

The turns of the public conversations and, after each, statements that a
program might conclude from it (inferred, 0.7) come in evenly over the nights;
the clock is an argument. Each day some of what is there is recalled, by the
questions whose evidence has come in. Every night `consolidate` (without an
LLM) runs on one store; a twin gets the same memories and the same uses, and is
never consolidated.

Printed are size and live memories of both, recall of what is still true
(evidence that consolidation ended does not count, what was merged counts as
what it was merged into), the time of a night (median, 95th percentile,
slowest, and the last one with 200 new memories), and the runs that ended
something still true: a turn that answers a question and is not the outdated
side of an update. Whatever was ended as contradicted, and whatever was merged
and did not read the same, is printed to be judged by eye.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.command_line import add_cache, parser_for
from benchmarks.conversations import Question, Record, load
from benchmarks.quality import DEPTH, measure
from memcli.config.config import Config
from memcli.consolidation.report import RunReport
from memcli.consolidation.run import consolidate
from memcli.embedding import Embedder, open_embedder
from memcli.memories import Memories
from memcli.model import Filter, Memory
from memcli.recall.ranking.vectors import Floats
from memcli.storage.lookup import merged_into
from memcli.storage.stores import open_store
from memcli.upkeep.exchange.importer import Importer
from memcli.write_policy.direct import put_embedded

BEGAN = datetime(2026, 1, 1, 22, tzinfo=UTC)
# A day's recalls; the new memories of the last, full night; nights between two lines of progress.
RECALLS, FULL, SHOWN = 3, 200, 10
# Questions asked now and then on the way.
GLANCED = 100
# A program that brings memories in every day is started anew now and then.
RESTARTED = 30


@dataclass(slots=True)
class Grown:
    """A store, and the memory that each record became."""

    memories: Memories
    ids: dict[int, str] = field(default_factory=dict)
    door: Importer | None = None


@dataclass(slots=True)
class Lived:
    """What the nights were like: seconds of each, what was done, runs that ended something true."""

    took: list[float] = field(default_factory=list)
    done: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


def main() -> None:
    """Let two stores grow, consolidate one, and compare."""
    parser = parser_for(__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--nights", type=int, default=730)
    parser.add_argument("--new", type=int, default=27, help="memories a night")
    parser.add_argument("--size", type=int, default=20_000, help="memories at most")
    add_cache(parser, "the compiled model and its vectors")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="memcli-years-") as folder:
        cache = given.cache or Path(folder) / "cache"
        model = Once(open_embedder(Config({})["model"], cache, print), cache)
        clock = Clock()
        tended, twin = (
            Grown(opened(Path(folder) / f"{name}.db", model, clock)) for name in ("tended", "twin")
        )
        records, questions = everything(given.data, given.size)
        list(model.documents([record["text"] for record in records]))
        model.keep()
        lived = live(tended, twin, clock, records, questions, given.nights, given.new)
        _table(tended, twin, questions, lived)


def everything(data: Path, most: int) -> tuple[list[Record], list[Question]]:
    """Up to `most` records in the order in which they come in, and what is asked about the turns.

    Conversation by conversation: each turn, after it the statements that a
    program might conclude from it, and their share of those from the
    assistant's replies (thinned evenly to make up the number).
    """
    talks = load(data, ("locomo", "beam"))
    own = {id(talk): [list(statements(turn["text"])) for turn in talk.records] for talk in talks}
    room = most - sum(len(talk.records) + sum(map(len, own[id(talk)])) for talk in talks)
    replied = {id(talk): [each for text in talk.replies for each in statements(text)] for talk in talks}
    share = min(1.0, max(0, room) / sum(map(len, replied.values())))
    records: list[Record] = []
    questions: list[Question] = []
    for talk in talks:
        places = []
        more = replied[id(talk)]
        taken = 0.0
        for turn, stated in zip(talk.records, own[id(talk)], strict=True):
            places.append(len(records))
            # When it was said is when it comes in: the conversations are years apart.
            records.append({**turn, "session": f"{talk.name} {turn['session']}", "at": None})
            until = taken + len(more) / len(talk.records)
            some = [*stated, *more[int(taken) : int(until)][: round(share * (until - taken))]]
            records += [
                {"text": text, "kind": "fact", "source": "inferred", "confidence": 0.7} for text in some
            ]
            taken = until
        for asked in talk.questions:
            questions.append(asked._replace(evidence=frozenset(places[number] for number in asked.evidence)))
    return records[:most], questions


def statements(text: str) -> Iterator[str]:
    """Sentences of a message, as a program might conclude them."""
    for sentence in re.split(r"(?<=[.!])\s+", text[:2000]):
        if 30 <= len(sentence) <= 200 and not sentence.endswith("?"):
            yield sentence


def live(
    tended: Grown,
    twin: Grown,
    clock: Clock,
    records: Sequence[Record],
    questions: Sequence[Question],
    nights: int,
    new: int,
) -> Lived:
    """Each day's memories and recalls in both stores, each night a run in one."""
    chance = random.Random(1)
    lived = Lived()
    coming = iter(range(len(records)))
    waiting = sorted(questions, key=lambda asked: max(asked.evidence))
    outdated = {place for asked in questions for place in asked.outdated - asked.current}
    true = {place for asked in questions for place in asked.evidence} - outdated
    known: list[Question] = []
    came = 0
    began = time.perf_counter()
    for night in range(nights + 1):
        clock.instant = BEGAN + timedelta(days=night)
        # The last night is a full one.
        number = FULL if night == nights else min(new, max(0, len(records) - FULL - came))
        some = list(islice(coming, number))
        _copy(twin, tended, _take(tended, records, some, anew=night % RESTARTED == 0))
        came += len(some)
        while waiting and max(waiting[0].evidence) < came:
            known.append(waiting.pop(0))
        for asked in chance.sample(known, min(RECALLS, len(known))):
            hits = tended.memories.recall(asked.text).hits
            twin.memories.store.touch([hit.memory.id for hit in hits], twin.memories.now())
        clock.instant += timedelta(hours=5)
        started = time.perf_counter()
        report = consolidate(tended.memories)
        lived.took.append(time.perf_counter() - started)
        _judge(lived, tended, report, true)
        if night % SHOWN == 0 or night == nights:
            spent = time.perf_counter() - began
            print(f"night {night}: {came} came in, {lived.took[-1]:.2f} s,", report.counts(), end=" ")
            print(f"{spent:.0f} s in all, {sum(lived.took):.0f} of them consolidating", flush=True)
        if night in (nights // 4, nights // 2, nights * 3 // 4):
            _stores(tended, twin, chance.sample(known, min(GLANCED, len(known))))
    return lived


def _take(grown: Grown, records: Sequence[Record], some: Sequence[int], *, anew: bool) -> list[Memory]:
    """Bring records in by the door of a program; the memories that came of them."""
    given = [(number, {k: v for k, v in records[number].items() if v is not None}) for number in some]
    began = grown.memories.now()
    if anew or grown.door is None:
        grown.door = Importer(grown.memories, "import:benchmark")
    grown.door.take((f"record {n}", {**record}) for n, record in given)
    since = grown.memories.within(created_since=began, live=False, at=None)
    came = list(grown.memories.store.select(since))
    fresh: dict[tuple[Any, ...], str] = {(each.text, each.session): each.id for each in came}
    for number, record in given:
        if (key := (record["text"], record.get("session"))) in fresh:
            grown.ids[number] = fresh[key]
    return came


def _copy(twin: Grown, grown: Grown, came: Sequence[Memory]) -> None:
    """Bring what came into one store into its twin as well."""
    refs = grown.memories.store.refs_by_id([each.id for each in came])
    vectors = grown.memories.store.vectors(list(refs.values()))
    carried = {each.id: vectors[refs[each.id]] for each in came if refs[each.id] in vectors}
    put_embedded(twin.memories, twin.memories.model, came, twin.memories.change("import"), carried)
    twin.ids = grown.ids


def _judge(lived: Lived, tended: Grown, report: RunReport, true: set[int]) -> None:
    """Count what a run did and note where it ended a turn that holds; show what an eye must judge."""
    store = tended.memories.store
    turns = {tended.ids[place]: place for place in true if place in tended.ids}
    for outcome in report.outcomes:
        step, action = outcome.proposal.step, outcome.proposal.action
        if not outcome.done:
            continue
        lived.done[f"{step} {action}"] += 1
        ended = outcome.proposal.memories if action == "end" else ()
        lived.wrong += [
            f"{step} ended the turn {each} ({outcome.proposal.why})" for each in ended if each in turns
        ]
        texts = {memory.text for memory in store.get(outcome.proposal.memories)}
        if (step, action) == ("contradict", "end"):
            print(f"  contradicted: {outcome.proposal.why}: {sorted(texts)}", flush=True)
        elif action == "merge" and len({re.sub(r"\W+", " ", text.casefold()).strip() for text in texts}) > 1:
            print(f"  merged: {sorted(texts)}", flush=True)


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
    return merged_into(grown.memories.store, memory) if memory else None


def _table(tended: Grown, twin: Grown, questions: Sequence[Question], lived: Lived) -> None:
    lost = _stores(tended, twin, questions)
    median, late, slowest = np.percentile(lived.took, (50, 95, 100))
    print(
        f"\n{len(lived.took)} nights: median {median:.2f} s, p95 {late:.2f} s, slowest {slowest:.2f} s",
        end="; ",
    )
    print(f"the last, with up to {FULL} new: {lived.took[-1]:.2f} s")
    print("done:", ", ".join(f"{what} {number}" for what, number in sorted(lived.done.items())))
    print(f"{lost} questions lost evidence; runs ended a turn that still holds {len(lived.wrong)} times")
    print("\n".join(lived.wrong[:20]))


def _stores(tended: Grown, twin: Grown, questions: Sequence[Question]) -> int:
    """Print both stores, side by side; how many questions lost evidence in one."""
    known = [asked for asked in questions if all(place in twin.ids for place in asked.evidence)]
    before, after = recalled(twin, known), recalled(tended, known)
    both = sorted(before.keys() & after.keys())
    print("\n| store | memories | live | MB | R@10 of what is still true |\n|---|--:|--:|--:|--:|")
    for name, grown, rows in (("not consolidated", twin, before), ("consolidated", tended, after)):
        store = grown.memories.store
        every = sum(n for _, _, n in store.count(Filter(spaces=None, live=False)))
        alive = sum(n for _, _, n in store.count(grown.memories.within()))
        size = Path(store.location).stat().st_size / 1e6
        share = 100 * np.mean([rows[number] for number in both]) if both else float("nan")
        print(f"| {name} | {every:,} | {alive:,} | {size:.1f} | {share:.1f} ({len(both)} questions) |")
    print(flush=True)
    return len(before.keys() - after.keys())


class Clock:
    """A clock that moves a millisecond a look, and further when it is set."""

    def __init__(self) -> None:
        self.instant = BEGAN

    def __call__(self) -> datetime:
        """The instant, moved on by a millisecond."""
        self.instant += timedelta(milliseconds=1)
        return self.instant


class Once:
    """A model that embeds each text once: several stores get the same ones, and `keep` keeps them on disk."""

    def __init__(self, model: Embedder, folder: Path) -> None:
        self.identity = model.identity
        self.max_tokens = model.max_tokens
        self.count_tokens = model.count_tokens
        self.windows = model.windows
        self._model = model
        self._known: dict[str, Floats] = {}
        self._file = folder / f"texts-{hashlib.sha256(model.identity.weights.encode()).hexdigest()[:12]}.npz"
        if self._file.exists():
            with np.load(self._file) as held:
                texts = json.loads(held["texts"].tobytes())
                parts = np.split(held["rows"], np.cumsum(held["windows"])[:-1])
            self._known.update(zip(texts, parts, strict=True))
        self._kept = len(self._known)

    def queries(self, texts: Sequence[str]) -> Floats:
        """Questions, as the model itself."""
        return self._model.queries(texts)

    def documents(self, texts: Sequence[str]) -> Iterator[Floats]:
        """Texts, each embedded once."""
        new = list(dict.fromkeys(text for text in texts if text not in self._known))
        self._known.update(zip(new, self._model.documents(new), strict=True))
        return iter([self._known[text] for text in texts])

    def keep(self) -> None:
        """Write what was embedded so far into the folder."""
        if len(self._known) > self._kept:
            texts = np.frombuffer(json.dumps(list(self._known)).encode(), dtype=np.uint8)
            windows = [len(rows) for rows in self._known.values()]
            with self._file.open("wb") as file:
                np.savez(file, texts=texts, rows=np.concatenate(list(self._known.values())), windows=windows)
            self._kept = len(self._known)


def opened(path: Path, model: Embedder, clock: Clock) -> Memories:
    """A store with the program's own settings, whatever the owner's."""
    own = Config({"MEMCLI_DB": str(path), "MEMCLI_CONFIG": str(path.with_suffix(".toml"))})
    return Memories(open_store(path), own, lambda name: model, clock=clock)


if __name__ == "__main__":
    main()
