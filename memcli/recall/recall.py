"""Recall: from a question to the memories that answer it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING

from memcli.model import Filter, Ref, is_statement, speaker_of
from memcli.named_tuple import NamedTuple
from memcli.recall.candidates import DEPTH, CandidatePool, SearchVectors, search_vectors
from memcli.recall.page import Ranking, near_misses, page_rows
from memcli.recall.query.evidence import evidence_of
from memcli.recall.query.holders import WordSearch
from memcli.recall.query.names_asked import (
    name_shares,
    names_of_conversations,
    without_unheard_surnames,
)
from memcli.recall.ranking import floor
from memcli.recall.ranking.attribution import is_of_others, said_by_another, with_what_another_said
from memcli.recall.ranking.coverage import coverage
from memcli.recall.ranking.factors import factors
from memcli.recall.ranking.floor import Evidence
from memcli.recall.ranking.signals import signals, weighed_signals
from memcli.recall.ranking.sureness import sureness
from memcli.recall.results import MISSES, Hit, Inquiry, Miss, RankingSettings, Recall
from memcli.recall.successors import in_force
from memcli.storage import Store
from memcli.text import words
from memcli.text.asking import asks_who_to_whom
from memcli.text.dates.ahead_asked import errands_asked, names_span, spans_asked
from memcli.text.dates.anchors import find_anchor as told_by
from memcli.text.question import Question, names_month_or_year, tells_nothing, understand_question

if TYPE_CHECKING:
    from memcli.embedding import Embedder
    from memcli.recall.ranking.landmarks import Landmark
    from memcli.recall.ranking.vectors import Floats
    from memcli.text.dates.anchors import Anchor
    from memcli.text.dates.time_span import TimeSpan


# Of a question and texts, how well each answers, more is better; None where it cannot be told.
SecondLook = Callable[[str, Sequence[str]], Sequence[float] | None]
# Since when "formerly" counts; so far from the end of the calendar every zone may be counted.
_BEGINNING = datetime(1, 1, 2, tzinfo=UTC)
# An event is looked for among so many by words, and by meaning.
_LANDMARKS = 20


def recall(
    store: Store,
    embedder: Callable[[], Embedder] | None,
    query: str,
    where: Filter,
    now: datetime,
    settings: RankingSettings,
    *,
    explain: bool = False,
    second_look: SecondLook | None = None,
) -> Recall:
    """Find the memories in `where` that answer `query`, asked `now`.

    `embedder` opens the model that filled the store; None searches words only.
    `second_look` scores the first once more, where the owner has named what does.
    To `explain`, a second look is taken without the filter, and what it would
    have found is among the misses; of another space's memories more than id,
    space and score is nobody's to show. Raises errors of the store only: a
    model that cannot be used degrades the answer and is reported in it.
    """
    word_search = WordSearch(store, where)
    share = name_shares(store, word_search, query)
    speakers = names_of_conversations(store, word_search, share)
    question = without_unheard_surnames(store, word_search, query, share)
    asked = understand_question(question, speakers, now)
    to_come = spans_asked(asked.text, now, asked.statement, asked.dates)
    if to_come or errands_asked(asked.text):
        from memcli.recall.agenda.planned import planned  # few questions ask for what is to come

        if found := planned(store, query, where, to_come, now, settings):
            return found
    anchor = None if asked.dates or to_come else told_by(asked.statement)
    if not anchor and not to_come and _asks_for_time_alone(asked.statement, asked, where):
        told = _timeline(store, query, where, asked, now, settings)
        if told.hits or not names_month_or_year(asked.text):
            return told
        # Nothing was told then; what was told since may name the time.
        asked = understand_question(question, speakers, now, dated=False)
    search, degraded = search_vectors(embedder, asked, anchor, settings.common)
    landmark = _landmark(store, where, anchor, search, settings) if anchor else None
    if anchor and landmark:
        asked = asked._replace(dates=(landmark.span,))
        if _asks_for_time_alone(asked.statement.replace(anchor.phrase, " "), asked, where):
            return _timeline(store, query, where, asked, now, settings)._replace(landmark=landmark)
    past = _past(asked, where, now)
    if past and not where.past:
        where = where._replace(past=past)
        word_search = WordSearch(store, where)
    inquiry = Inquiry(asked, share, search, landmark, now, settings)
    ranked = _rank(store, word_search, inquiry)
    if second_look and ranked.above(settings):
        ranked = _looked_at_again(ranked, asked.text, second_look)
    # Nothing is on in a time to come: what is near is of another day.
    ranked = ranked._replace(sureness=0.0) if to_come else ranked
    hits, misses = _current_page(store, word_search, ranked, inquiry, to_come)
    if explain:
        misses += _left_out(store, where, inquiry)
    spoken = any(speaker_of(hit.memory) for hit in hits)
    attribution = said_by_another(asked, ranked.hits) if spoken else None
    hits = with_what_another_said(hits, ranked.hits, attribution)
    of_others = settings.min_sure > 0 and (attribution is not None or is_of_others(asked, hits))
    return Recall(
        query, hits, len(ranked.hits), degraded, misses, ranked.evidence, landmark, settings.min_score,
        inquiry, past,
        weak=bool(hits) and (ranked.weak(settings) or of_others),
        sureness=ranked.sureness, attribution=attribution,
    )  # fmt: skip


def _current_page(
    store: Store, meant: WordSearch, ranked: _Ranked, inquiry: Inquiry, to_come: Sequence[TimeSpan]
) -> tuple[list[Hit], list[Miss]]:
    """The page with what is current first, and the nearest that are not on it.

    Of a question for a time `to_come` there is only what belongs to it.
    """
    hits, misses = _page(ranked, inquiry.question, inquiry.settings, meant.total)
    if to_come:
        from memcli.recall.agenda.answer import is_of_days

        hits = [hit for hit in hits if is_of_days(hit.memory, to_come, inquiry.now)]
    judged = inquiry.search is not None and inquiry.search.judged
    hits = _newer_first(store, meant, hits, ranked, inquiry, judged=judged)
    if any(names_span(hit.memory.text) for hit in hits):
        from memcli.recall.ranking.over import marked_over  # few are so for a time

        hits = marked_over(inquiry.question, hits, inquiry.now, meant.where.past)
    return hits, [miss for miss in misses if miss.hit not in hits]


def ask_again(store: Store, inquiry: Inquiry, where: Filter, settings: RankingSettings) -> list[Hit]:
    """What in `where` answers a question that was asked already; nothing is embedded or judged anew."""
    word_search = WordSearch(store, where)
    # Whom the floor takes for a stranger depends on whose memories are asked.
    share = name_shares(store, word_search, inquiry.question.text)
    again = inquiry._replace(share=share, settings=settings)
    ranked = _rank(store, word_search, again)
    hits = _page(ranked, inquiry.question, settings, word_search.total)[0]
    return _newer_first(store, word_search, hits, ranked, again, judged=False)


def _past(asked: Question, where: Filter, now: datetime) -> tuple[datetime, datetime] | None:
    """The time gone by that is asked about, from its first instant to its last."""
    if where.past:
        return where.past
    if not asked.dates:
        return (_BEGINNING, now) if asked.formerly else None
    from memcli.text.dates.spans import past_spans

    spans = past_spans(asked.dates, now)
    if not spans:
        return None
    return min(span.start for span in spans), max(span.end for span in spans) - timedelta(milliseconds=1)


def _asks_for_time_alone(rest: str, asked: Question, where: Filter) -> bool:
    """Whether the rest of a question asks for nothing but what there is in a time."""
    timed = asked.dates or where.since or where.until or where.past_only
    return bool(timed) and tells_nothing(rest)


def _timeline(
    store: Store, query: str, where: Filter, asked: Question, now: datetime, settings: RankingSettings
) -> Recall:
    # Few questions ask for a time alone.
    from memcli.recall.agenda.timeline import timeline

    where = where._replace(past=_past(asked, where, now))
    return timeline(store, query, where, asked.dates, now, settings)


def _landmark(
    store: Store,
    where: Filter,
    anchor: Anchor,
    search: SearchVectors | None,
    settings: RankingSettings,
) -> Landmark | None:
    """The memory that a question's event names, anywhere in the space; None where none clearly is.

    Only of one that says when it is; what else names it is words that are searched for.
    """
    # Few questions tell their time by an event.
    from memcli.recall.ranking import landmarks

    eventful = Filter(spaces=where.spaces, kinds=landmarks.LANDMARK_KINDS, at=where.at)
    word_search = WordSearch(store, eventful)
    asked = word_search.weights(words.query_terms(anchor.phrase))
    refs = [match.ref for match in word_search.best(asked, _LANDMARKS)]
    meanings = None
    if search:
        from memcli.recall.ranking.vectors import nearest_cosine

        refs += [match.ref for match in store.nearest(search.event.tobytes(), eventful, _LANDMARKS)]
        kept = search.windows(store, list(dict.fromkeys(refs)))
        meanings = {ref: nearest_cosine(windows, search.event) for ref, windows in kept.items()}
    refs = list(dict.fromkeys(refs))
    covered = coverage(store.holding(list(asked), refs), list(asked.values()))
    memories = {ref: each for ref, each in store.memories_by_ref(refs).items() if landmarks.says_when(each)}
    best = landmarks.landmark_memory(covered, meanings, memories, word_search.total, settings.calibration)
    return landmarks.landmark(anchor, best) if best else None


class _Ranked(NamedTuple):
    """The candidates that one filter means, best first, with their scores."""

    hits: list[Hit]
    refs: list[Ref]
    parts: list[float]
    """Each one's share of the best one's total, the event that the question names left aside."""
    vectors: Floats | None
    evidence: Evidence | None
    sureness: float | None = None
    """How likely the first answers."""

    def weak(self, settings: RankingSettings) -> bool:
        """Whether what there is answers less surely than asked for."""
        return self.sureness is not None and self.sureness < settings.min_sure

    def above(self, settings: RankingSettings) -> int:
        """How many stand above the floor: none scores less, and none is far behind the best."""
        # Who asks for no floor gets the whole list.
        least = floor.LEAST_PART if settings.min_score else 0.0
        return sum(
            hit.score >= settings.min_score and part >= least
            for hit, part in zip(self.hits, self.parts, strict=True)
        )


def _rank(store: Store, word_search: WordSearch, inquiry: Inquiry) -> _Ranked:
    """Rank the candidates among what `word_search` means."""
    question, settings = inquiry.question, inquiry.settings
    wider = word_search.with_overtaken()
    asked = wider.weights(question.terms)
    by_words = wider.best(asked, DEPTH)
    if not by_words:
        asked = wider.misspelt(question.terms)
        by_words = wider.best(asked, DEPTH)
    pool = CandidatePool(store, wider.where, asked, by_words, inquiry.search)
    evidence = evidence_of(word_search, question, inquiry.share, pool.nearest, pool.most, pool.giving_way)
    hits = _freshened(question.text, _hits(pool, question, inquiry.now, settings), pool)
    if asks_who_to_whom(question.folded):
        from memcli.recall.ranking.who_to_whom import as_asked_first  # few questions do

        hits = as_asked_first(question.text, hits)
    elif question.about_owner:
        from memcli.recall.ranking.reported_words import own_words_first  # few questions are

        hits = own_words_first(question.text, hits)
    least = max((hit.total for hit in hits), default=0.0) / 2
    for_a_time = any(hit.total >= least and names_span(hit.memory.text) for hit in hits)
    if for_a_time:
        from memcli.recall.ranking import over  # few are

        hits = over.in_force_first(question, hits, inquiry.now, word_search.where.past)
    own_factors = partial(factors, now=inquiry.now, tasks=settings.tasks)
    standing = in_force(hits, pool.refs, pool.later, own_factors)
    if not standing:
        return _Ranked([], [], [], None, None)
    standing.sort(key=lambda each: (-each.hit.total, each.hit.memory.id))
    totals = [each.hit.total for each in standing]
    best_score = floor.best_score(evidence, settings.calibration)
    scored = [
        each.hit._replace(score=best_score * part)
        for each, part in zip(standing, floor.parts(totals, totals[0]), strict=True)
    ]
    # The event that a question names is like it, and no measure for the answer.
    named = inquiry.landmark.memory.id if inquiry.landmark else ""
    best = next((hit.total for hit in scored if hit.memory.id != named), totals[0])
    parts = floor.parts(totals, best)
    vectors = None if pool.vectors is None else pool.vectors[[each.place for each in standing]]
    # The event by which a question tells its time is none of what the answer should tell.
    anchored = inquiry.landmark.anchor.phrase if inquiry.landmark else ""
    sure = sureness(question.text.replace(anchored, ""), evidence, scored, settings.calibration)
    if for_a_time and over.is_over(question, scored[0], inquiry.now, word_search.where.past):
        sure = over.SURE
    return _Ranked(scored, [each.ref for each in standing], parts, vectors, evidence, sure)


def _looked_at_again(ranked: _Ranked, question: str, second_look: SecondLook) -> _Ranked:
    """The first in the order of a second look."""
    from memcli.recall.ranking import second_look as again

    scores = second_look(question, [hit.memory.text for hit in ranked.hits[: again.FIRST]])
    if scores is None:
        return ranked
    order = again.second_order(scores, len(ranked.hits))
    vectors = None if ranked.vectors is None else ranked.vectors[order]
    refs = [ranked.refs[place] for place in order]
    return ranked._replace(hits=again.in_order(ranked.hits, order), refs=refs, vectors=vectors)


def _hits(pool: CandidatePool, asked: Question, now: datetime, settings: RankingSettings) -> list[Hit]:
    """Every candidate with the parts of its total, in the pool's order; scores are not set yet."""
    hits = []
    for ref, candidate in zip(pool.refs, pool.candidates(), strict=True):
        memory = pool.memories[ref]
        parts = weighed_signals(signals(asked, candidate), settings.weights)
        parts |= factors(memory, now, settings.tasks)
        meaning = candidate.meaning if pool.vectors is not None else None
        hits.append(Hit(memory, 0.0, pool.covered.get(ref), meaning, parts, sum(parts.values())))
    return hits


def _freshened(query: str, hits: list[Hit], pool: CandidatePool) -> list[Hit]:
    """The hits with what freshness adds: an update ranks above what it updates, a summary below its turns."""
    if not (pool.giving_way or any("updated_by" in hit.memory.data for hit in hits)):
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


def _page(
    ranked: _Ranked, asked: Question, settings: RankingSettings, total: int
) -> tuple[list[Hit], list[Miss]]:
    """The hits that are shown, and the nearest that are not."""
    ranking = Ranking(
        ranked.hits, ranked.parts, ranked.above(settings), ranked.vectors, total,
        weak=ranked.weak(settings), asking=asked.asking, several=asked.several,
    )  # fmt: skip
    chosen = page_rows(ranking, settings)
    evidence = ranked.evidence
    by_meaning = evidence is not None and evidence.meaning is not None
    if evidence and by_meaning and len(chosen) < ranking.above and not settings.whole and settings.min_score:
        from memcli.recall.left_out import with_what_is_met  # a small page leaves nothing out

        first = ranked.sureness or 0.0
        chosen = with_what_is_met(asked.text, evidence, ranking, chosen, first, settings)
    return [ranked.hits[row] for row in chosen], near_misses(ranking, chosen, settings.limit)


def _newer_first(
    store: Store, meant: WordSearch, page: list[Hit], ranked: _Ranked, inquiry: Inquiry, *, judged: bool
) -> list[Hit]:
    """The page with what is current before what it replaced; most pages have no such pair."""
    # Of a time gone by the newer is not the better answer.
    if inquiry.question.dates or inquiry.question.formerly or meant.where.past:
        return page
    statements = [hit for hit in page if is_statement(hit.memory)]
    if not statements:
        return page
    from memcli.recall.told_updates import updates_told_of

    # Held for an update when it was written, however far from the question it is.
    told = updates_told_of(store, meant, statements, ranked.hits)
    if not (judged or told):
        return page
    from memcli.recall.closed_questions import ClosedQuestions
    from memcli.recall.ranking import currentness

    closed = ClosedQuestions(store, meant.where.spaces)
    beside = currentness.beside(page, ranked.hits if judged else [], told)
    vectors = None
    if judged and len(page) + len(beside) > 1:
        from memcli.recall.ranking.vectors import unit_beginnings

        ids = [hit.memory.id for hit in (*page, *beside)]
        refs = store.refs_by_id(ids)
        asked = [refs.get(each, 0) for each in ids]
        vectors = unit_beginnings(store.vectors(asked), asked)
    settings = inquiry.settings
    room = len(page) if ranked.weak(settings) else max(settings.limit, len(page))
    return currentness.newer_first(page, beside, vectors, room, settings.min_score, closed.holds)


def _left_out(store: Store, where: Filter, inquiry: Inquiry) -> list[Miss]:
    """What a look without the filter would have found, above its floor, and what stands against it."""
    from memcli.recall.misses import miss_reason

    everywhere = Filter(spaces=None, live=False, at=where.at)
    ranked = _rank(store, WordSearch(store, everywhere), inquiry)
    refs = ranked.refs[: ranked.above(inquiry.settings)]
    # What another space has forgotten is not even mentioned.
    own = store.filter_refs(refs, Filter(spaces=where.spaces, live=False))
    told = own | store.filter_refs(refs, Filter(spaces=None, at=where.at))
    told -= store.filter_refs(refs, where)
    near = [hit for hit, ref in zip(ranked.hits, refs, strict=False) if ref in told][:MISSES]
    reasons = [miss_reason(hit.memory, where) for hit in near]
    return [Miss(hit, reason) for hit, reason in zip(near, reasons, strict=True) if reason]
