"""Recall: from a question to the memories that answer it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from memcli import words
from memcli.candidates import Pool, Search
from memcli.embedding import Embedder
from memcli.errors import ModelUnusable
from memcli.model import Filter, Memory, Ref
from memcli.ranking import floor
from memcli.ranking.coverage import coverage, weights
from memcli.ranking.factors import factors
from memcli.ranking.floor import Evidence
from memcli.ranking.question import Question, capitalised, understand
from memcli.ranking.signals import Weights, signals, weighed
from memcli.storage import Store

if TYPE_CHECKING:
    from memcli.ranking.vectors import Floats


class Settings(NamedTuple):
    """How to rank; the defaults are the program's.

    Where the best hit scores less than `min_score`, nothing is an answer; 0
    means no floor at all.
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


# Spellings tried for one word.
_SPELLINGS = 3
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
    # Rarity is judged against the whole space: it is quickly counted, and steady under filters.
    total = sum(number for _, _, number in store.count(Filter(spaces=where.spaces, live=False)))
    holders = _Holders(store, where)
    share = _shares(holders, query, total)
    asked = understand(query, share, now)
    search, degraded = _search(embedder, asked)
    held = holders.of(asked.terms)
    if not any(held):
        held = holders.misspelt(asked.terms)
    pool = Pool(store, where, held, total, search)
    if not pool.refs:
        return Recall(query, [], 0, degraded)
    evidence = _evidence(pool, holders, asked, share, total)
    hits = _freshened(query, _hits(pool, asked, now, settings))
    return _page(query, hits, pool.vectors, evidence, degraded, settings)


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


class _Holders:
    """Which memories hold a term, each term looked up once."""

    def __init__(self, store: Store, where: Filter) -> None:
        self._store = store
        self._where = where
        self._known: dict[words.Term, frozenset[Ref]] = {}

    def of(self, terms: Sequence[words.Term]) -> list[frozenset[Ref]]:
        new = [term for term in terms if term not in self._known]
        self._known.update(zip(new, self._store.holding(new, self._where), strict=True))
        return [self._known[term] for term in terms]

    def misspelt(self, terms: Sequence[words.Term]) -> list[frozenset[Ref]]:
        """Who holds words spelled like these: for questions none of whose words anybody holds."""
        found = []
        for term in terms:
            like = self._store.spelled_like(term[0], _SPELLINGS) if _may_be_misspelt(term) else []
            found.append(frozenset[Ref]().union(*self.of([(word,) for word in like])))
        return found


def _may_be_misspelt(term: words.Term) -> bool:
    return len(term) == 1 and len(term[0]) >= 4 and term[0].isalpha()


def _shares(holders: _Holders, query: str, total: int) -> dict[str, float]:
    """For each word that may be a name, the share of the memories that hold it."""
    terms = {name: words.query_terms(name)[:1] for name in capitalised(query)}
    named = [name for name, each in terms.items() if each]
    held = holders.of([terms[name][0] for name in named])
    return {name: len(refs) / max(total, 1) for name, refs in zip(named, held, strict=True)}


def _search(embedder: Callable[[], Embedder] | None, asked: Question) -> tuple[Search | None, str | None]:
    """What to search by; or None, and why not."""
    if embedder is None:
        return None, "words only, as asked"
    try:
        model = embedder()
    except ModelUnusable as error:
        return None, str(error)
    from memcli.ranking.vectors import question_vector

    texts = list(dict.fromkeys([asked.text, asked.statement, asked.content]))
    vector = dict(zip(texts, model.queries(texts), strict=True))
    return Search(question_vector(vector[asked.statement], vector[asked.content]), vector[asked.text]), None


def _evidence(
    pool: Pool, holders: _Holders, asked: Question, share: dict[str, float], total: int
) -> Evidence:
    """What speaks for there being an answer at all: of the question as asked, names and all."""
    held = holders.of(words.query_terms(asked.text))
    covered = coverage(held, weights(held, total))
    return Evidence(
        meaning=pool.nearest,
        words=max(max(covered.values(), default=0.0), max(pool.covered.values(), default=0.0)),
        known=sum(part > 0 for part in share.values()),
        strangers=sum(part == 0 for part in share.values()),
        first_person=asked.first_person,
        memories=total,
    )


def _hits(pool: Pool, asked: Question, now: datetime, settings: Settings) -> list[Hit]:
    """Every candidate with the parts of its total, in the pool's order; scores are not set yet."""
    hits = []
    for ref, candidate in zip(pool.refs, pool.candidates(), strict=True):
        memory = pool.memories[ref]
        parts = weighed(signals(asked, candidate), settings.weights)
        parts |= factors(memory, now, settings.tasks)
        meaning = candidate.meaning if pool.vectors is not None else None
        hits.append(Hit(memory, 0.0, pool.covered.get(ref), meaning, parts, sum(parts.values())))
    return hits


def _freshened(query: str, hits: list[Hit]) -> list[Hit]:
    """The same hits; what stands for others, or was updated by others, gives way to them."""
    if not any("updated_by" in hit.memory.data or "folds" in hit.memory.data for hit in hits):
        return hits
    from memcli.ranking.freshness import freshened

    added = freshened(query, [hit.memory for hit in hits], [hit.total for hit in hits])
    return [
        hit._replace(parts=hit.parts | added[place], total=hit.total + sum(added[place].values()))
        if place in added
        else hit
        for place, hit in enumerate(hits)
    ]


def _page(
    query: str,
    hits: list[Hit],
    vectors: Floats | None,
    evidence: Evidence,
    degraded: str | None,
    settings: Settings,
) -> Recall:
    """The hits that are shown, with their scores, and the nearest that are not."""
    order = sorted(range(len(hits)), key=lambda row: (-hits[row].total, hits[row].memory.id))
    best = hits[order[0]].total
    part = {row: max(hits[row].total / best, 0.0) if best > 0 else float(row == order[0]) for row in order}
    scored = {
        row: hits[row]._replace(score=floor.score(evidence, part[row], settings.calibration)) for row in order
    }
    answered = scored[order[0]].score >= settings.min_score
    # Who asks for no floor gets the whole list.
    least = floor.LEAST_PART if settings.min_score else 0.0
    above = [row for row in order if answered and part[row] >= least]
    chosen = above[: settings.limit]
    if settings.diverse and vectors is not None:
        from memcli.ranking.diversity import diversify

        chosen = diversify(above, [hit.total for hit in hits], vectors, settings.limit)
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
