"""What is on, due or to be done in a time ahead: the answer where a question asks for nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import islice

from memcli.model import SUMMARY, Filter, Memory, speaker_of
from memcli.recall.due_dates import days_due, is_done, is_open_promise
from memcli.recall.results import Hit, Miss, MissReason, RankingSettings, Recall
from memcli.storage import Store
from memcli.text.dates.time_span import TimeSpan

# So many of those that the limit left out are told of.
_MISSES = 5


def agenda(
    store: Store,
    query: str,
    where: Filter,
    spans: Sequence[TimeSpan],
    now: datetime,
    settings: RankingSettings,
) -> Recall:
    """What falls due or happens in the spans and is not done, the first of it in the order of its days.

    Nothing is compared, so each has the score 1; `candidates` counts all there are. Without hits
    where there is nothing.
    """
    found = [(day, each) for each in store.select(where) if (day := _day_within(each, spans, now))]
    found.sort(key=lambda each: (each[0], each[1].id))
    hits = [Hit(each, 1.0, None, None, {}, 0.0) for _, each in found]
    beyond = MissReason("beyond the limit")
    misses = [Miss(hit, beyond) for hit in islice(hits, settings.limit, settings.limit + _MISSES)]
    return Recall(query, hits[: settings.limit], len(found), misses=misses, least=settings.min_score)


def _day_within(memory: Memory, spans: Sequence[TimeSpan], now: datetime) -> datetime | None:
    """The first day in the spans on which it is to be done, or happens, of those ahead when it was told.

    Before today only what should have been done by then: an event is over.
    """
    if is_done(memory) or speaker_of(memory) == SUMMARY:
        return None
    today = now.astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
    for day in days_due(memory, memory.created_at):
        within = any(span.start <= (day.last or day.at) and day.at < span.end for span in spans)
        if within and ((day.last or day.at) >= today or day.by or is_open_promise(memory)):
            return day.at
    return None
