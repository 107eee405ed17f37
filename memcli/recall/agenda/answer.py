"""Agenda: answer a question that asks only what happens, is due or is to be done in some time to come."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from memcli.model import SUMMARY, Filter, Memory, speaker_of
from memcli.named_tuple import NamedTuple
from memcli.recall.agenda.due_dates import (
    days_due,
    days_told,
    is_denied,
    is_done,
    is_doubtful,
    is_open_promise,
    weekdays_told,
)
from memcli.recall.agenda.overtaken_plans import overtaken
from memcli.recall.agenda.replaced import below_the_newer, told_updates
from memcli.recall.closed_questions import ClosedQuestions
from memcli.recall.results import FEWEST, Hit, RankingSettings, Recall, beyond_limit
from memcli.storage import Store
from memcli.text.dates.ahead import DayAhead, names_day
from memcli.text.dates.ahead_asked import Next, next_asked
from memcli.text.dates.ahead_spans import spans_ahead
from memcli.text.dates.called_off import is_anything_called_off
from memcli.text.dates.time_span import TimeSpan
from memcli.text.words import fold_case
from memcli.times import local

# At most so many of the newest memories are read for the days that they name.
_LOOKED_OVER = 10_000
# A day, two of them, or a weekend.
_FEW = 2
_DAY, _WEEK = timedelta(days=1), timedelta(days=7)
# Scores: of what is due or names a day; of what recurs every week or is doubtful; of what may be over.
_SURE, _MAYBE, _MAY_BE_OVER = 1.0, 0.45, 0.4


def is_of_days(memory: Memory, spans: Sequence[TimeSpan], now: datetime) -> bool:
    """True if a memory belongs to a day in `spans`, or is an open promise without a due date at `now`.

    Used where nothing was found for a time that is asked for: of the nearest memories only these are shown.
    An event that was cancelled counts as one of that time, though no day of it is listed any more.
    """
    days = days_told(memory)[0]
    if days or is_anything_called_off(memory.text):
        _, named = spans_ahead(fold_case(memory.text), local(memory.happened_at))
        return any(day.start < span.end and span.start < day.end for day in named for span in spans)
    return is_open_promise(memory) and not days_due(memory, now)


class _On(NamedTuple):
    """An agenda entry: sort by score, then day, then id (`place`)."""

    score: float
    day: datetime
    memory: Memory
    by: bool = False
    """The day is a deadline, as against the day of an event."""
    loose: bool = False
    """The day is not fixed: some time in that week or month."""
    denied: bool = False
    """The memory says that it will not take place."""

    def place(self) -> tuple[float, datetime, str]:
        return -self.score, self.day, self.memory.id


def agenda(
    store: Store,
    query: str,
    where: Filter,
    spans: Sequence[TimeSpan],
    now: datetime,
    settings: RankingSettings,
) -> Recall:
    """Return the memories that are due or happen in `spans` and are not done, in the order of their days.

    A memory that only names a day counts as well ("dinner Friday"). Of lower score are what recurs weekly,
    where a day or a weekend is asked for, and what is doubtful or will not take place: alone, they make a
    weak answer. What may tell of a past day ("had dinner Friday") is listed only where nothing surer is
    found. Where the next event is asked for (`next_asked`), only the entries of the first day are returned.
    No embeddings are compared; `candidates` counts all entries found. Without hits if there are none.
    """
    newest = list(store.select(where, limit=_LOOKED_OVER))
    told = (on for each in newest if (on := _on(each, spans, now)) and on.score >= settings.min_score)
    found = sorted(told, key=_On.place)
    if found and found[0].score > _MAY_BE_OVER:
        found = [on for on in found if on.score > _MAY_BE_OVER]
    both_hold = ClosedQuestions(store, where.spaces).holds
    plans = [on.memory for on in found]
    updates = told_updates(newest, both_hold) | overtaken(plans, newest, both_hold, spans)
    if found and (sort := next_asked(query)):
        found = _next(found, sort, _midnight(now), updates)
    hits = _hits(found, updates)
    weak = bool(found) and found[0].score < settings.min_sure
    limit = min(settings.limit, FEWEST) if weak and not settings.whole else settings.limit
    return Recall(
        query,
        hits[:limit],
        len(hits),
        misses=beyond_limit(hits, limit),
        least=settings.min_score,
        weak=weak,
    )


def _next(found: Sequence[_On], sort: Next, today: datetime, updates: Mapping[str, Memory]) -> list[_On]:
    """Return the entries of the first day to come: of the highest score, of the kind that is asked for.

    Entries that may be cancelled or moved come after the first one that is not. An entry that names only a
    week or a month has no day, and one that will not take place is never the next.
    """
    found = [on for on in found if not on.denied]
    dated = [on for on in found if on.by or not on.loose]
    standing = [on for on in dated if on.memory.id not in updates]
    if standing and standing != dated:
        before = dated[: dated.index(standing[0])]
        off = [on for on in before if sort == "any" or on.by == (sort == "deadline")]
        return [*_next(standing, sort, today, {}), *off]
    if not dated:
        return []
    found = standing or dated
    surest = [on for on in found if on.score == found[0].score]
    of_sort = [on for on in surest if sort == "any" or on.by == (sort == "deadline")]
    to_come = [on for on in of_sort or surest if on.day >= today]
    left = to_come or of_sort or surest
    return [on for on in left if on.day.date() == left[0].day.date()]


def _hits(found: Sequence[_On], updates: Mapping[str, Memory]) -> list[Hit]:
    """Return the entries as hits; one that may be replaced names its replacement and stands below it."""
    scores = {on.memory.id: on.score for on in found}
    shown = list(below_the_newer([on.memory for on in found], updates))
    hits: list[Hit] = []
    for memory, newer in reversed(shown):
        # A replacement that was not found itself gets the score of what it replaces.
        score = scores[memory.id] if memory.id in scores else hits[-1].score
        hits.append(Hit(memory, score, None, None, {}, 0.0, newer))
    return hits[::-1]


def _on(memory: Memory, spans: Sequence[TimeSpan], now: datetime) -> _On | None:
    if is_done(memory) or speaker_of(memory) == SUMMARY:
        return None
    is_timed = memory.valid_until or memory.happened_at > memory.created_at
    if not (is_timed or names_day(memory.text)):
        return None
    today = _midnight(now)
    told, may_be_over = days_told(memory)
    due = days_due(memory, memory.created_at)
    # An entry that names only a month tells nothing of a single day or weekend in it.
    of_few_days = all(span.end - span.start < _WEEK for span in spans)
    for known, days in ((_SURE, due), (_MAY_BE_OVER if may_be_over else _SURE, told)):
        for day in days:
            loosely = day.loose and of_few_days
            score = min(known, _MAYBE) if day not in due and (loosely or is_doubtful(memory, day)) else known
            # Before today only what should have been done by then: an event is over.
            is_open = day.end >= today or day.by or is_open_promise(memory)
            if is_open and any(_is_within(day, span, today) for span in spans):
                by = day.by or day.at == memory.valid_until
                return _On(score, day.at, memory, by, day.loose, is_denied(memory, day))
    weekdays = _weekdays(spans)
    if weekdays and not weekdays.isdisjoint(weekdays_told(memory)):
        return _On(_MAYBE, spans[-1].end, memory)
    return None


def _midnight(now: datetime) -> datetime:
    return local(now).replace(hour=0, minute=0, second=0, microsecond=0)


def _is_within(day: DayAhead, span: TimeSpan, today: datetime) -> bool:
    if day.first:
        # "Some time this week" is on no single day of it.
        return span.start <= max(day.first, today) and day.at < span.end
    # "Before Friday" ends where Friday begins: it answers a question for what is to be done before Friday.
    return span.start <= day.end and (day.before or day.at) < span.end


def _weekdays(spans: Sequence[TimeSpan]) -> frozenset[int]:
    """Return the weekdays (Monday is 0) in spans of two days at most; none for longer spans."""
    if any(span.end - span.start > (_FEW + 1) * _DAY for span in spans):
        return frozenset()
    days = [span.start + n * _DAY for span in spans for n in range(round((span.end - span.start) / _DAY))]
    return frozenset(day.weekday() for day in days) if len(days) <= _FEW else frozenset()
