"""Recall: from a question to the memories that answer it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import NamedTuple

import numpy as np

from memcli import words
from memcli.candidates import Pool
from memcli.embedding import Embedder
from memcli.errors import ModelUnusable
from memcli.model import Filter, Memory, Ref
from memcli.ranking import floor
from memcli.ranking.coverage import coverage, weights
from memcli.ranking.diversity import diversify
from memcli.ranking.factors import factors
from memcli.ranking.floor import Evidence
from memcli.ranking.question import Question, capitalised, understand
from memcli.ranking.signals import Floats, Weights, question_vector, signals
from memcli.storage import Store


class Settings(NamedTuple):
    """How to rank; the defaults are the program's.

    Where the best hit scores less than `min_score`, nothing is an answer; what
    scores less than half of it is not shown beside a better one.
    """

    limit: int = 10
    min_score: float = 0.5
    weights: Weights = Weights()
    calibration: floor.Calibration = floor.DEFAULT
    diverse: bool = True
    tasks: Sequence[str] = ()


class Hit(NamedTuple):
    """A memory that was found, and why it stands where it does.

    `score` (0 to 1) says how likely it is an answer; `words` (0 to 1) and
    `meaning` (a cosine) are what the two searches say; `parts` holds each
    signal times its weight and each factor, which add up to `total`, by which
    hits are ranked.
    """

    memory: Memory
    score: float
    words: float | None
    meaning: float | None
    parts: dict[str, float]
    total: float

    @property
    def found_by(self) -> list[str]:
        """Which of `words` and `meaning` found it."""
        found = (("words", self.words), ("meaning", self.meaning))
        return [name for name, score in found if score is not None]


class Miss(NamedTuple):
    """A candidate that came near and is not among the hits, and why."""

    hit: Hit
    reason: str


class Recall(NamedTuple):
    """The answer to a question: hits, best first; `degraded` says why meaning was not searched."""

    query: str
    hits: list[Hit]
    candidates: int
    degraded: str | None = None
    misses: Sequence[Miss] = ()
    evidence: Evidence | None = None


# So many near misses are explained.
_MISSES = 5


def recall(
    store: Store,
    embedder: Callable[[], Embedder] | None,
    query: str,
    where: Filter,
    now: datetime,
    settings: Settings,
) -> Recall:
    """Find the memories in `where` that answer `query`, asked `now`.

    `embedder` opens the model that filled the store; None searches words only.
    Raises errors of the store only: a model that cannot be used degrades the
    answer and is reported in it.
    """
    total = sum(number for _, _, number in store.count(where))
    share = _shares(store, query, where, total)
    asked = understand(query, share, now)
    model, degraded = _open(embedder)
    statement = model.query(asked.statement) if model else None
    vector = _vector(model, asked, statement)
    pool = Pool(store, where, asked, vector, total)
    if not pool.refs:
        return Recall(query, [], 0, degraded)
    candidates = pool.candidates()
    found = signals(asked, vector, candidates)
    hits = _hits(pool, found, now, settings)
    raw = statement if model is None or asked.statement == query else model.query(query)
    evidence = _evidence(store, where, asked, share, raw, total)
    return _page(query, hits, candidates.vectors, evidence, degraded, settings)


def similar(store: Store, memory: Memory, where: Filter, settings: Settings) -> Recall:
    """The memories in `where` that are most like one memory, best first; itself left out.

    The score is the cosine of their nearest windows. Empty where the memory
    has no vectors yet; `degraded` says so.
    """
    ref = store.references([memory.id]).get(memory.id, 0)
    windows = store.vectors([ref]).get(ref, ())
    if not windows:
        return Recall(memory.text, [], 0, f"{memory.id} has no vectors yet; run `mem reindex --missing`")
    best: dict[Ref, float] = {}
    for window in windows:
        for match in store.nearest(window, where, settings.limit + 1):
            best[match.ref] = max(best.get(match.ref, 0.0), match.score)
    best.pop(ref, None)
    order = sorted(best, key=lambda each: (-best[each], each))[: settings.limit]
    memories = store.referred(order)
    hits = [
        Hit(memories[each], best[each], None, best[each], {"meaning": best[each]}, best[each])
        for each in order
        if best[each] >= settings.min_score
    ]
    return Recall(memory.text, hits, len(best))


def neighbours(store: Store, hits: Sequence[Hit], reach: int) -> dict[str, list[Memory]]:
    """For each hit that stands in a session, by id: the turns up to `reach` around it, in time order."""
    refs = store.references([hit.memory.id for hit in hits])
    found: dict[str, list[Memory]] = {}
    for session in store.sessions(list(refs.values())):
        for memory_id, ref in refs.items():
            if ref in session:
                place = session.index(ref)
                near = session[max(0, place - reach) : place + reach + 1]
                memories = store.referred(near)
                found[memory_id] = [memories[each] for each in near if each in memories]
    return found


def _shares(store: Store, query: str, where: Filter, total: int) -> dict[str, float]:
    """For each word that may be a name, the share of the memories that hold it."""
    terms = {name: words.query_terms(name)[:1] for name in capitalised(query)}
    held = store.holding([term for each in terms.values() for term in each], where)
    named = [name for name, each in terms.items() if each]
    return {name: len(refs) / max(total, 1) for name, refs in zip(named, held, strict=True)}


def _open(embedder: Callable[[], Embedder] | None) -> tuple[Embedder | None, str | None]:
    if embedder is None:
        return None, "words only, as asked"
    try:
        return embedder(), None
    except ModelUnusable as error:
        return None, str(error)


def _vector(model: Embedder | None, asked: Question, statement: Floats | None) -> Floats | None:
    if model is None or statement is None:
        return None
    content = statement if asked.content == asked.statement else model.query(asked.content)
    return question_vector(statement, content)


def _evidence(
    store: Store,
    where: Filter,
    asked: Question,
    share: dict[str, float],
    raw: Floats | None,
    total: int,
) -> Evidence:
    """What speaks for there being an answer at all: of the question as asked, names and all."""
    nearest = store.nearest(raw.tobytes(), where, 1) if raw is not None else []
    held = store.holding(words.query_terms(asked.text), where)
    covered = coverage(held, weights(held, total))
    return Evidence(
        meaning=nearest[0].score if nearest else None,
        words=max(covered.values(), default=0.0),
        known=sum(part > 0 for part in share.values()),
        strangers=sum(part == 0 for part in share.values()),
        first_person=asked.first_person,
        memories=total,
    )


def _hits(pool: Pool, found: dict[str, Floats], now: datetime, settings: Settings) -> list[Hit]:
    """Every candidate with the parts of its total, in the pool's order; scores are not set yet."""
    weighted = {name: getattr(settings.weights, name) * values for name, values in found.items()}
    hits = []
    for row, ref in enumerate(pool.refs):
        memory = pool.memories[ref]
        parts = {name: float(values[row]) for name, values in weighted.items()}
        parts |= factors(memory, now, settings.tasks)
        meaning = float(found["meaning"][row]) if pool.vector is not None else None
        hits.append(Hit(memory, 0.0, pool.covered.get(ref), meaning, parts, sum(parts.values())))
    return hits


def _page(
    query: str,
    hits: list[Hit],
    vectors: Floats,
    evidence: Evidence,
    degraded: str | None,
    settings: Settings,
) -> Recall:
    """The hits that are shown, with their scores, and the nearest that are not."""
    sums = np.asarray([hit.total for hit in hits], dtype=np.float32)
    order = sorted(range(len(hits)), key=lambda row: (-hits[row].total, hits[row].memory.id))
    best = hits[order[0]].total
    scored = {
        row: hits[row]._replace(score=floor.score(evidence, hits[row].total - best, settings.calibration))
        for row in order
    }
    answered = scored[order[0]].score >= settings.min_score
    above = [row for row in order if answered and scored[row].score >= settings.min_score / 2]
    if settings.diverse and degraded is None:
        chosen = diversify(above, sums, vectors, settings.limit)
    else:
        chosen = above[: settings.limit]
    shown = set(chosen)
    misses = []
    for row in [row for row in order if row not in shown][:_MISSES]:
        hit = scored[row]
        if row not in above:
            reason = "below the floor"
        elif chosen and hit.total > scored[chosen[-1]].total:
            reason = "nearly the same as a better one"
        else:
            reason = "beyond the limit"
        misses.append(Miss(hit, reason))
    return Recall(query, [scored[row] for row in chosen], len(hits), degraded, misses, evidence)
