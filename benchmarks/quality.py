"""Quality: what recall finds in real conversations, and what it does not let through.

    python -m benchmarks.quality --data PATH [--only locomo,beam,prefeval]
                                 [--ablations] [--keep DIR] [--cache DIR]

Each conversation is imported through memcli's own import into a private store,
and each question asked through `Memories.recall`, the very call that `mem
recall` makes, by default settings, floor and all. Beside it stand, on the same
memories and questions:

    no floor   the same call with min_score 0
    cosine     the question as asked against the store's own vectors
    BM25       FTS5 over the plain texts: porter, terms OR-ed, stop-words out
    fusion     reciprocal rank fusion of these two, k = 60: of all they rank, and
               of the first 20 each (on conversations the stronger opponent)

Measures are means over questions, in per cent: R@k is the share of a
question's evidence among the first k, nDCG counts each piece of evidence
alike. Brackets hold 95 % bootstrap intervals over questions (seeded); the
questions of one conversation are not independent, so the truth is wider.

The page's table tells what is shown where nobody says how many: hits, the share
of them that is evidence (precision), the share of the evidence among them, by
pieces of evidence (1, 2 to 3, 4 and more), and what a plain ten would be.

The floor's table tells how many questions get any answer, and a sure one: of
their own store, of a small one cut out of it that holds evidence, and of
somebody else's (where a namesake may live), those in the first person apart.
`--ablations` sets each weight to 0 in turn.

`--keep` keeps the stores between runs (empty it when the import changes) and
`--cache` the compiled model. The owner's store and settings are never touched.
"""

from __future__ import annotations

import random
import re
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from sqlcipher3 import dbapi2

from benchmarks.conversations import Question
from benchmarks.data import Built, arguments, opened
from memcli.model import Filter
from memcli.recall.ranking.signals import Weights
from memcli.recall.ranking.vectors import Floats
from memcli.recall.results import Recall
from memcli.text import words
from memcli.text.question import understand_question
from memcli.text.stopwords import STOPWORDS

DEPTH = 20
RRF = 60
RESAMPLED = 2000
# Questions asked of strangers, for each pair of collections but LoCoMo's own; small stores
# of each size and collection; foreign questions asked of each of those.
FOREIGN, SMALL, STRANGERS = 1000, 100, 10
SIZES = (100, 30)
MEASURES = ("R@5", "R@10", "R@20", "hit@10", "MRR", "nDCG@10")
BOUNDED = ("R@10", "nDCG@10")

T = TypeVar("T")
Ranking = Callable[[Question], list[str]]
Rows = list[NDArray[np.float64]]


def main() -> None:
    """Ask everything and print the tables."""
    given = arguments(__doc__ or "", ablations="also each signal off in turn")
    with opened(given) as builts:
        by_set: dict[str, list[Built]] = {}
        for built in builts:
            by_set.setdefault(built.talk.data, []).append(built)
        print("\n| data | ranking | questions | " + " | ".join(MEASURES) + " |")
        print("|---|---|--:|" + "--:|" * len(MEASURES))
        speeds = []
        for data, some in by_set.items():
            times: list[float] = []
            rows = compare(some, times)
            for category, ranking in sorted(rows, key=lambda key: key[0]):
                print(line(f"{data} {category}".strip(), ranking, rows[category, ranking]))
            speeds.append(f"{data} {median(times):.0f} (slowest twentieth {np.quantile(times, 0.95):.0f})")
        print(f"\nms a question, in process, median: {', '.join(speeds)}\n", flush=True)
        pages(by_set)
        floor(by_set)
        if given.ablations:
            ablations(by_set)


def ask(built: Built, question: Question, **changes: Any) -> Recall:
    """Ask as `mem recall --no-touch --limit 20` does, but for `changes` of its settings."""
    settings = built.memories.settings(limit=DEPTH, **changes)
    answer = built.memories.recall(question.text, touch=False, settings=settings)
    if answer.degraded:
        raise SystemExit(f"{built.talk.name}: {answer.degraded}")
    return answer


def ids(answer: Recall) -> list[str]:
    """The memories found, best first."""
    return [hit.memory.id for hit in answer.hits]


class Plain:
    """What anybody could put together of MiniLM, BM25 and rank fusion."""

    def __init__(self, built: Built) -> None:
        store = built.memories.store
        memories = list(store.select(Filter(spaces=None), order="oldest"))
        self._ids = [memory.id for memory in memories]
        self._embed = built.memories.model.open().queries
        refs = store.refs_by_id(self._ids)
        vectors = store.vectors(list(refs.values()))
        windows = [vectors[refs[each]] for each in self._ids]
        flat = b"".join(vector for each in windows for vector in each)
        self._owners = np.repeat(np.arange(len(windows)), [len(each) for each in windows])
        self._vectors: Floats = np.frombuffer(flat, dtype="<f4").reshape(len(self._owners), -1)
        self._db = dbapi2.connect(":memory:")
        self._db.execute("CREATE VIRTUAL TABLE plain USING fts5(text, tokenize='porter unicode61')")
        texts = [(number, memory.text) for number, memory in enumerate(memories)]
        self._db.executemany("INSERT INTO plain (rowid, text) VALUES (?, ?)", texts)

    def cosines(self, question: Question) -> Floats:
        """The cosine of each memory's nearest window to the question as asked."""
        best = np.full(len(self._ids), -1, dtype=np.float32)
        np.maximum.at(best, self._owners, self._vectors @ self._embed([question.text])[0])
        return best

    def cosine(self, question: Question) -> list[str]:
        """Every memory by cosine."""
        return [self._ids[row] for row in np.argsort(-self.cosines(question), kind="stable")]

    def bm25(self, question: Question) -> list[str]:
        """The memories that share a word with the question, by BM25."""
        asked = re.findall(r"\w+", words.fold_case(question.text))
        terms = dict.fromkeys(term for term in asked if term not in STOPWORDS)
        matching = " OR ".join(f'"{term}"' for term in terms)
        sql = "SELECT rowid FROM plain WHERE plain MATCH ? ORDER BY bm25(plain), rowid"
        return [self._ids[row] for (row,) in self._db.execute(sql, [matching])] if matching else []

    def fusion(self, question: Question, depth: int | None = None) -> list[str]:
        """Reciprocal rank fusion of the first `depth` of both."""
        sums: dict[str, float] = {}
        for ranked in (self.cosine(question), self.bm25(question)):
            for rank, each in enumerate(ranked[:depth], start=1):
                sums[each] = sums.get(each, 0.0) + 1 / (RRF + rank)
        return sorted(sums, key=lambda each: -sums[each])


def rankings(built: Built, times: list[float]) -> dict[str, Ranking]:
    """The rankings to compare, by name; `times` gets the milliseconds of each default recall."""
    plain = Plain(built)

    def by_default(question: Question) -> list[str]:
        started = time.perf_counter()
        answer = ask(built, question)
        times.append(1000 * (time.perf_counter() - started))
        return ids(answer)

    return {
        "memcli": by_default,
        "no floor": lambda question: ids(ask(built, question, min_score=0.0)),
        "cosine": plain.cosine,
        "BM25": plain.bm25,
        "fusion": plain.fusion,
        "fusion of 20": lambda question: plain.fusion(question, DEPTH),
    }


def compare(builts: Sequence[Built], times: list[float]) -> dict[tuple[str, str], Rows]:
    """The measures of every question by (category, ranking); the category '' is all of them."""
    rows: dict[tuple[str, str], Rows] = {}
    for built in builts:
        for name, ranking in rankings(built, times).items():
            for question in built.talk.questions:
                row = measure(ranking(question)[:DEPTH], built.answers(question))
                for category in ("", question.category):
                    rows.setdefault((category, name), []).append(row)
    return rows


def measure(ranked: Sequence[str], answers: frozenset[str]) -> NDArray[np.float64]:
    """MEASURES of one ranking; MRR sees DEPTH places."""
    held = np.asarray([each in answers for each in ranked] + [False] * (DEPTH - len(ranked)), dtype=float)
    gains = 1 / np.log2(np.arange(10) + 2)
    first = int(held.argmax())
    shares = [held[:k].sum() / len(answers) for k in (5, 10, 20)]
    reciprocal = held[first] / (first + 1)
    discounted = held[:10] @ gains / gains[: len(answers)].sum()
    return np.asarray([*shares, held[:10].any(), reciprocal, discounted])


def line(data: str, ranking: str, rows: Rows) -> str:
    """One ranking's line of the table."""
    table = 100 * np.stack(rows)
    drawn = np.random.default_rng(1).integers(0, len(table), (RESAMPLED, len(table)))
    cells = []
    for column, name in enumerate(MEASURES):
        cell = f"{table[:, column].mean():.1f}"
        if name in BOUNDED:
            low, high = np.quantile(table[drawn, column].mean(axis=1), (0.025, 0.975))
            cell += f" [{low:.1f} {high:.1f}]"
        cells.append(cell)
    return f"| {data} | {ranking} | {len(table)} | {' | '.join(cells)} |"


def pages(by_set: dict[str, list[Built]]) -> None:
    """Print what is shown by default, and how much of it is evidence."""
    print(
        "| data | pieces | questions | shown | precision | evidence shown | precision of ten | R@10 | weak |"
    )
    print("|---|---|--:|--:|--:|--:|--:|--:|--:|")
    for data, builts in by_set.items():
        rows = [_shown(built, question) for built, question in pairs(builts)]
        for name, least, most in (("", 1, 999), ("1", 1, 1), ("2-3", 2, 3), ("4-", 4, 999)):
            some = [row[1:] for row in rows if least <= row[0] <= most]
            if some:
                shown, *shares = np.mean(some, axis=0)
                cells = [f"{shown:.1f}", *(f"{100 * each:.1f}" for each in shares)]
                print(f"| {data} | {name} | {len(some)} | {' | '.join(cells)} |", flush=True)


def _shown(built: Built, question: Question) -> list[float]:
    """Pieces of evidence; hits by default, their precision and recall; precision and recall of ten; weak."""
    answers = built.answers(question)
    page = built.memories.recall(question.text, touch=False)
    ten = ids(ask(built, question))[:10]
    shown = ids(page)
    held, among = len(answers & {*shown}), len(answers & {*ten})
    pieces = len(answers)
    return [
        pieces, len(shown), held / max(len(shown), 1), held / pieces,
        among / max(len(ten), 1), among / pieces, page.weak,
    ]  # fmt: skip


def floor(by_set: dict[str, list[Built]]) -> None:
    """Print which part of own and foreign questions is answered, and by which score they differ."""
    chance = random.Random(1)
    locomo = by_set.get("locomo", [])
    print("| questions of | asked of | asked | answered | surely |\n|---|---|--:|--:|--:|")
    own, foreign = [], []
    for data, builts in by_set.items():
        answers = share(data, "their own store", pairs(builts))
        own += answers if data == "locomo" else []
        unanswerable = [(built, question) for built in builts for question in built.talk.unanswerable]
        share(f"{data}, without an answer", "their own store", unanswerable)
    for data, builts in by_set.items():
        strange = strangers(locomo, builts)
        if data == "locomo":
            foreign = share(data, "other locomo stores", strange)
        else:
            own_words = [(built, asked) for built, asked in strangers(builts, locomo) if _first_person(asked)]
            share(f"{data}, in the first person", "locomo stores", sample(own_words, FOREIGN, chance))
            share("locomo", f"{data} stores", sample(strange, FOREIGN, chance))
            share(data, "locomo stores", sample(strangers(builts, locomo), FOREIGN, chance))
    for data, builts in by_set.items():
        for size in SIZES:
            small(data, builts, locomo, size, chance)
    if own and foreign:
        print("\nlet through of foreign questions where 95 % of one's own are kept (locomo): ", end="")
        for name in ("score", "cosine"):
            least = np.quantile([getattr(each, name) for each in own], 0.05)
            through = np.mean([getattr(each, name) >= least for each in foreign])
            print(f"by {name} {100 * through:.1f} % (from {least:.3f})", end="; ")
        print()


def pairs(builts: Iterable[Built]) -> list[tuple[Built, Question]]:
    """Every question with the store that it is asked of: its own."""
    return [(built, question) for built in builts for question in built.talk.questions]


def strangers(asking: Iterable[Built], asked: Sequence[Built]) -> list[tuple[Built, Question]]:
    """Every question of `asking` with each store of `asked` that is somebody else's."""
    return [(other, question) for own, question in pairs(asking) for other in asked if other is not own]


def sample(items: Sequence[T], most: int, chance: random.Random) -> list[T]:
    """Up to `most` of them, by chance."""
    return chance.sample(items, min(most, len(items)))


class Answer(NamedTuple):
    """Whether a question got an answer, and a sure one; the best score, and the best plain cosine."""

    given: bool
    sure: bool
    score: float
    cosine: float


def share(data: str, of: str, asked: Sequence[tuple[Built, Question]]) -> list[Answer]:
    """Ask each question of the store beside it and print how many were answered."""
    answers = [_answer(built, question) for built, question in asked]
    if answers:
        part = 100 * np.mean([answer.given for answer in answers])
        sure = 100 * np.mean([answer.sure for answer in answers])
        print(f"| {data} | {of} | {len(answers)} | {part:.1f} | {sure:.1f} |", flush=True)
    return answers


def _answer(built: Built, question: Question) -> Answer:
    answer = ask(built, question)
    memories = built.memories
    vector = memories.model.open().queries([question.text])[0].tobytes()
    scores = [*(hit.score for hit in answer.hits), *(miss.hit.score for miss in answer.misses)]
    nearest = memories.store.nearest(vector, memories.within(), 1)
    # A cut may hold nothing: its evidence was refused by the import.
    cosine = nearest[0].score if nearest else 0.0
    return Answer(bool(answer.hits), answer.zone == "sure", max(scores, default=0.0), cosine)


def _first_person(question: Question) -> bool:
    return understand_question(question.text, (), datetime.now(UTC)).about_owner


def small(data: str, builts: list[Built], locomo: list[Built], size: int, chance: random.Random) -> None:
    """Ask own and foreign questions of random stores of `size` that hold evidence."""
    own, foreign = [], []
    with tempfile.TemporaryDirectory(prefix="memcli-small-") as folder:
        for number, (built, question) in enumerate(sample(pairs(builts), SMALL, chance)):
            answers = built.answers(question)
            kept = sample(sorted(answers), size - 1, chance)
            kept += sample(sorted(set(built.ids) - answers), size - len(kept), chance)
            part = built.cut(Path(folder) / f"{number}.db", kept)
            own.append((part, question))
            strange = strangers([other for other in locomo if other is not built], [part])
            foreign += sample(strange, STRANGERS, chance)
        share(data, f"{size} memories, evidence among them", own)
        share("locomo", f"{size} memories of foreign {data}", foreign)
        for part, _ in own:
            part.memories.close()


def ablations(by_set: dict[str, list[Built]]) -> None:
    """Print what each signal is worth: R@10 and nDCG@10 without it, no floor."""
    variants: dict[str, dict[str, Any]] = {"nothing": {}}
    for name, weight in Weights()._asdict().items():
        if weight:
            variants[name] = {"weights": Weights()._replace(**{name: 0.0})}
    variants["diversity"] = {"diverse": False}
    print("\n| without | " + " | ".join(f"{data} R@10 | nDCG@10" for data in by_set) + " |")
    print("|---|" + "--:|--:|" * len(by_set))
    for name, changes in variants.items():
        cells = []
        for builts in by_set.values():
            rows = [
                measure(ids(ask(built, question, min_score=0.0, **changes)), built.answers(question))
                for built, question in pairs(builts)
            ]
            mean = 100 * np.mean(rows, axis=0)
            cells += [f"{mean[MEASURES.index(each)]:.1f}" for each in BOUNDED]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
