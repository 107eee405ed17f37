"""Scoring: rank the candidates by the sum of their signals and factors, and score them.

The page is chosen from all of them: see `memcli.recall.page`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from memcli.memory_data import updates_noted
from memcli.model import Ref
from memcli.named_tuple import NamedTuple
from memcli.recall.candidates import DEPTH, CandidatePool
from memcli.recall.query.evidence import evidence_of
from memcli.recall.query.holders import WordSearch
from memcli.recall.ranking import floor
from memcli.recall.ranking.factors import factors
from memcli.recall.ranking.floor import Calibration, Evidence
from memcli.recall.ranking.signals import signals, weighed_signals
from memcli.recall.results import Hit, Inquiry, RankingSettings
from memcli.recall.successors import in_force
from memcli.storage import Store
from memcli.text.asking import asks_who_to_whom
from memcli.text.dates.ahead_asked import asks_what_to_do, names_span
from memcli.text.question import Question

if TYPE_CHECKING:
    from memcli.recall.ranking.vectors import Floats

# A reranker: from a question and texts to a score for each (higher is better); None if it cannot tell.
SecondLook = Callable[[str, Sequence[str]], Sequence[float] | None]


class Ranking(NamedTuple):
    """The candidates that a filter admits, best first, with their scores."""

    hits: list[Hit]
    refs: list[Ref]
    parts: list[float]
    """Each total as a share of the best one's, not counting the event that the question names."""
    vectors: Floats | None
    """Unit vectors, one a row; None where meaning is not searched."""
    total: int
    """The number of memories in the space."""
    asking: bool
    """True if it is phrased as a question."""
    several: bool
    """True if several memories answer it together."""
    evidence: Evidence | None = None
    sureness: float | None = None
    """The probability that the first one answers."""

    def weak(self, settings: RankingSettings) -> bool:
        """True if the answer is less sure than the settings ask for."""
        return self.sureness is not None and self.sureness < settings.min_sure

    def above(self, settings: RankingSettings) -> int:
        """Return how many stand above the floor: scored high enough and not far behind the best."""
        # Without a floor the whole list is returned.
        least = floor.LEAST_PART if settings.min_score else 0.0
        return sum(
            hit.score >= settings.min_score and part >= least
            for hit, part in zip(self.hits, self.parts, strict=True)
        )


def rank(store: Store, word_search: WordSearch, inquiry: Inquiry) -> Ranking:
    """Rank the candidates that `word_search` admits."""
    question, settings = inquiry.question, inquiry.settings
    wider = word_search.with_overtaken()
    asked = wider.weights(question.terms)
    by_words = wider.best(asked, DEPTH)
    if not by_words:
        asked = wider.misspelt(question.terms)
        by_words = wider.best(asked, DEPTH)
    pool = CandidatePool(store, wider.where, asked, by_words, inquiry.search)
    evidence = evidence_of(word_search, question, inquiry.share, pool.nearest, pool.most, pool.giving_way)
    hits = _hits(pool, question, inquiry.now, settings)
    hits = _demoted(question, _freshened(question.text, hits, pool))
    least = max((hit.total for hit in hits), default=0.0) / 2
    for_a_time = any(hit.total >= least and names_span(hit.memory.text) for hit in hits)
    if for_a_time:
        from memcli.recall.ranking import over  # few are

        hits = over.in_force_first(question, hits, inquiry.now, word_search.where.past)
    own_factors = partial(factors, now=inquiry.now, tasks=settings.tasks)
    standing = in_force(hits, pool.refs, pool.later, own_factors)
    ranking = Ranking([], [], [], None, word_search.total, question.asking, question.several)
    if not standing:
        return ranking
    standing.sort(key=lambda each: (-each.hit.total, each.hit.memory.id))
    totals = [each.hit.total for each in standing]
    best_score = floor.best_score(evidence, settings.calibration)
    scored = [
        each.hit._replace(score=best_score * part)
        for each, part in zip(standing, floor.parts(totals, totals[0]), strict=True)
    ]
    # The memory of the event is similar to the question that names it: it must not set the scale for answers.
    named = inquiry.landmark.memory.id if inquiry.landmark else ""
    best = next((hit.total for hit in scored if hit.memory.id != named), totals[0])
    parts = floor.parts(totals, best)
    vectors = None if pool.vectors is None else pool.vectors[[each.place for each in standing]]
    # The words of the event are not what the answer should hold.
    anchored = inquiry.landmark.anchor.phrase if inquiry.landmark else ""
    likely = _sureness(question.text.replace(anchored, ""), evidence, scored, settings.calibration)
    if for_a_time and over.is_over(question, scored[0], inquiry.now, word_search.where.past):
        likely = over.SURE
    return ranking._replace(
        hits=scored,
        refs=[each.ref for each in standing],
        parts=parts,
        vectors=vectors,
        evidence=evidence,
        sureness=likely,
    )


def _sureness(question: str, evidence: Evidence, hits: list[Hit], calibration: Calibration) -> float:
    """Return the probability that the first of the hits answers."""
    if evidence.meaning is None:
        return floor.sureness(evidence, calibration)
    from memcli.recall.ranking.sureness import sureness  # words alone are judged by the floor

    return sureness(question, evidence, hits, calibration)


def looked_at_again(ranking: Ranking, question: str, second_look: SecondLook) -> Ranking:
    """Return the ranking with its first hits reordered by a reranker."""
    from memcli.recall.ranking import second_look as again

    scores = second_look(question, [hit.memory.text for hit in ranking.hits[: again.FIRST]])
    if scores is None:
        return ranking
    order = again.second_order(scores, len(ranking.hits))
    vectors = None if ranking.vectors is None else ranking.vectors[order]
    refs = [ranking.refs[place] for place in order]
    return ranking._replace(hits=again.in_order(ranking.hits, order), refs=refs, vectors=vectors)


def _hits(pool: CandidatePool, asked: Question, now: datetime, settings: RankingSettings) -> list[Hit]:
    """Return every candidate with the parts of its total, in the pool's order; scores are not set yet."""
    hits = []
    for ref, candidate in zip(pool.refs, pool.candidates(), strict=True):
        memory = pool.memories[ref]
        parts = weighed_signals(signals(asked, candidate), settings.weights)
        parts |= factors(memory, now, settings.tasks)
        meaning = candidate.meaning if pool.vectors is not None else None
        hits.append(Hit(memory, 0.0, pool.covered.get(ref), meaning, parts, sum(parts.values())))
    return hits


def _freshened(query: str, hits: list[Hit], pool: CandidatePool) -> list[Hit]:
    """Return the hits with the parts of freshness: updates rise above what they update, summaries sink."""
    if not (pool.giving_way or any(updates_noted(hit.memory) for hit in hits)):
        return hits
    from memcli.recall.ranking.freshness import freshness_parts

    told = {place for place, ref in enumerate(pool.refs) if ref in pool.giving_way}
    added = freshness_parts(query, [hit.memory for hit in hits], [hit.total for hit in hits], told)
    return [
        hit._replace(parts=hit.parts | added[place], total=hit.total + sum(added[place].values()))
        if place in added
        else hit
        for place, hit in enumerate(hits)
    ]


def _demoted(question: Question, hits: list[Hit]) -> list[Hit]:
    """Return the hits with answers to another question of the same words demoted; few questions need it."""
    if asks_who_to_whom(question.folded):
        from memcli.recall.ranking.demotion import as_asked_first

        return as_asked_first(question.text, hits)
    if any(map(str.isupper, question.text)):
        from memcli.recall.ranking.demotion import named_first

        hits = named_first(question.text, hits)
    if question.about_owner:
        from memcli.recall.ranking.demotion import own_words_first, to_do_first

        hits = own_words_first(question.text, hits)
        return to_do_first(hits) if asks_what_to_do(question.text) else hits
    return hits
