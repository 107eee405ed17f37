"""Recall: find and rank the memories that answer a question."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from memcli.model import Filter, is_ahead, is_statement, speaker_of
from memcli.named_tuple import NamedTuple
from memcli.recall.candidates import SearchVectors, search_vectors
from memcli.recall.page import near_misses, page_rows
from memcli.recall.query.holders import WordSearch
from memcli.recall.query.names_asked import (
    name_shares,
    names_of_conversations,
    without_unheard_surnames,
)
from memcli.recall.ranking.attribution import is_of_others, said_by_another, with_what_another_said
from memcli.recall.ranking.coverage import coverage
from memcli.recall.results import MISSES, Hit, Inquiry, Miss, RankingSettings, Recall
from memcli.recall.scoring import Ranking, SecondLook, looked_at_again, rank
from memcli.storage import Store
from memcli.text import words
from memcli.text.dates.ahead_asked import errands_asked, names_span, spans_asked
from memcli.text.dates.anchors import find_anchor as told_by
from memcli.text.question import Question, names_month_or_year, tells_nothing, understand_question

if TYPE_CHECKING:
    from memcli.embedding import Embedder
    from memcli.recall.ranking.landmarks import Landmark
    from memcli.text.dates.anchors import Anchor
    from memcli.text.dates.time_span import TimeSpan

# The beginning of "formerly": a day inside the calendar's range, so that every time zone can be applied.
_BEGINNING = datetime(1, 1, 2, tzinfo=UTC)
# The memory of an event is looked for among so many by words, and so many by meaning.
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
    """Find the memories in `where` that answer `query`, asked at `now`.

    `embedder` opens the model that filled the store; None searches by words only. `second_look` reranks the
    first hits, if the owner has configured a model that does. With `explain`, a second search without the
    filter is made, and what it would have found is among the misses; of another space's memories only id,
    space and score are shown. Raises errors of the store only: a model that cannot be used degrades the
    answer and is reported in it.
    """
    word_search = WordSearch(store, where)
    share = name_shares(store, word_search, query)
    speakers = names_of_conversations(store, word_search, share)
    question = without_unheard_surnames(store, word_search, query, share)
    asked = understand_question(question, speakers, now)
    to_come = spans_asked(asked.text, now, asked.statement, asked.dates)
    anchor = None if asked.dates or to_come else told_by(asked.statement)
    posed = _Posed(store, query, where, now, settings)
    time_alone = not (anchor or to_come) and _asks_for_time_alone(asked.statement, asked, where)
    if told := _told_without_ranking(posed, asked, to_come, time_alone=time_alone):
        return told
    if time_alone:
        # Nothing is dated to that month or year; a later memory may name it in its text.
        asked = understand_question(question, speakers, now, dated=False)
    search, degraded = search_vectors(embedder, asked, anchor, settings.common)
    landmark = _landmark(store, where, anchor, search, settings) if anchor else None
    if anchor and landmark:
        asked = asked._replace(dates=(landmark.span,))
        if _asks_for_time_alone(asked.statement.replace(anchor.phrase, " "), asked, where):
            return _timeline(posed, asked)._replace(landmark=landmark)
    inquiry = Inquiry(asked, share, search, landmark, now, settings)
    answer = _ranked_answer(posed, word_search, inquiry, to_come, explain=explain, second_look=second_look)
    return answer._replace(degraded=degraded)


class _Posed(NamedTuple):
    """A question as given, and the memories that it is about."""

    store: Store
    query: str
    where: Filter
    now: datetime
    settings: RankingSettings


def _told_without_ranking(
    posed: _Posed, asked: Question, to_come: Sequence[TimeSpan], *, time_alone: bool
) -> Recall | None:
    """Return what is planned for a time `to_come`, or the open errands; or, for a time alone, its memories.

    None if the question does not ask for that, or there is nothing: then it is answered by a search.
    """
    if to_come or errands_asked(asked.text):
        from memcli.recall.agenda.planned import planned  # few questions ask for what is to come

        found = planned(posed.store, posed.query, posed.where, to_come, posed.now, posed.settings)
        if found:
            return found
    if time_alone:
        told = _timeline(posed, asked)
        if told.hits or not names_month_or_year(asked.text):
            return told
    return None


def _ranked_answer(
    posed: _Posed,
    word_search: WordSearch,
    inquiry: Inquiry,
    to_come: Sequence[TimeSpan],
    *,
    explain: bool,
    second_look: SecondLook | None,
) -> Recall:
    """Return the best memories near a question, and the probability that the first one answers it."""
    store, query, where, now, settings = posed
    asked = inquiry.question
    past = _past(asked, where, now)
    if past and not where.past:
        where = where._replace(past=past)
        word_search = WordSearch(store, where)
    ranked = rank(store, word_search, inquiry)
    if second_look and ranked.above(settings):
        ranked = looked_at_again(ranked, asked.text, second_look)
    # The agenda of that time is empty, so whatever is near belongs to another day.
    ranked = ranked._replace(sureness=0.0) if to_come else ranked
    hits, misses = _current_page(store, word_search, ranked, inquiry, to_come)
    if explain:
        misses += _left_out(store, where, inquiry)
    spoken = any(speaker_of(hit.memory) for hit in hits)
    attribution = said_by_another(asked, ranked.hits) if spoken else None
    hits = with_what_another_said(hits, ranked.hits, attribution)
    of_others = settings.min_sure > 0 and (attribution is not None or is_of_others(asked, hits))
    return Recall(
        query, hits, len(ranked.hits), None, misses, ranked.evidence, inquiry.landmark, settings.min_score,
        inquiry, past,
        weak=bool(hits) and (ranked.weak(settings) or of_others),
        sureness=ranked.sureness, attribution=attribution,
    )  # fmt: skip


def _current_page(
    store: Store, meant: WordSearch, ranked: Ranking, inquiry: Inquiry, to_come: Sequence[TimeSpan]
) -> tuple[list[Hit], list[Miss]]:
    """Return the page with current values first, and the nearest misses.

    For a question about a time `to_come`, only what belongs to that time.
    """
    hits, misses = _page(ranked, inquiry.question, inquiry.settings)
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
    """Ask a question again of the memories in `where`, without embedding or judging anew."""
    word_search = WordSearch(store, where)
    # Which names are unknown depends on whose memories are asked.
    share = name_shares(store, word_search, inquiry.question.text)
    again = inquiry._replace(share=share, settings=settings)
    ranked = rank(store, word_search, again)
    hits = _page(ranked, inquiry.question, settings)[0]
    return _newer_first(store, word_search, hits, ranked, again, judged=False)


def _past(asked: Question, where: Filter, now: datetime) -> tuple[datetime, datetime] | None:
    """Return the past time that is asked about, first and last instant; None if it is the present."""
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
    """True if the rest of a question asks for nothing but what there is in a time."""
    timed = asked.dates or where.since or where.until or where.past_only
    return bool(timed) and tells_nothing(rest)


def _timeline(posed: _Posed, asked: Question) -> Recall:
    # Few questions ask for a time alone.
    from memcli.recall.agenda.timeline import timeline

    where = posed.where._replace(past=_past(asked, posed.where, posed.now))
    return timeline(posed.store, posed.query, where, asked.dates, posed.now, posed.settings)


def _landmark(
    store: Store,
    where: Filter,
    anchor: Anchor,
    search: SearchVectors | None,
    settings: RankingSettings,
) -> Landmark | None:
    """Return the memory of the event that a question names, from the whole space; None if none clearly is.

    Only a memory that says when the event is. Otherwise the event's words are merely searched for.
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


def _page(ranking: Ranking, asked: Question, settings: RankingSettings) -> tuple[list[Hit], list[Miss]]:
    """Return the hits that are shown, and the nearest that are not."""
    chosen = page_rows(ranking, settings)
    evidence = ranking.evidence
    by_meaning = evidence is not None and evidence.meaning is not None
    cut = len(chosen) < ranking.above(settings)
    if evidence and by_meaning and cut and not settings.whole and settings.min_score:
        from memcli.recall.left_out import with_what_is_met  # a small page leaves nothing out

        first = ranking.sureness or 0.0
        chosen = with_what_is_met(asked.text, evidence, ranking, chosen, first, settings)
    return [ranking.hits[row] for row in chosen], near_misses(ranking, chosen, settings)


def _newer_first(
    store: Store, meant: WordSearch, page: list[Hit], ranked: Ranking, inquiry: Inquiry, *, judged: bool
) -> list[Hit]:
    """Return the page with newer values before the older ones they replace; most pages have no such pair."""
    # For a past time the newer value is not the better answer.
    if inquiry.question.dates or inquiry.question.formerly or meant.where.past:
        return page
    statements = [hit for hit in page if is_statement(hit.memory)]
    if not statements:
        return page
    from memcli.recall.told_updates import updates_told_of

    # Judged an update when it was written, however far from the question it is.
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
    # What will be so from a day on updates nothing until then.
    ahead = {hit.memory.id for hit in (*page, *beside) if is_ahead(hit.memory, inquiry.now)}
    return currentness.newer_first(
        page, beside, vectors, room, settings.min_score,
        lambda older, newer: newer in ahead or closed.holds(older, newer),
    )  # fmt: skip


def _left_out(store: Store, where: Filter, inquiry: Inquiry) -> list[Miss]:
    """Return what a search without the filter finds above the floor, with the reason that excludes it."""
    from memcli.recall.misses import miss_reason

    everywhere = Filter(spaces=None, live=False, at=where.at)
    ranked = rank(store, WordSearch(store, everywhere), inquiry)
    refs = ranked.refs[: ranked.above(inquiry.settings)]
    # What was forgotten in another space is not even mentioned.
    own = store.filter_refs(refs, Filter(spaces=where.spaces, live=False))
    told = own | store.filter_refs(refs, Filter(spaces=None, at=where.at))
    told -= store.filter_refs(refs, where)
    near = [hit for hit, ref in zip(ranked.hits, refs, strict=False) if ref in told][:MISSES]
    reasons = [miss_reason(hit.memory, where) for hit in near]
    return [Miss(hit, reason) for hit, reason in zip(near, reasons, strict=True) if reason]
