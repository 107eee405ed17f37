"""Timeline: answer a question that asks only for a time, with what happened in it, in time order."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from heapq import nlargest

from memcli.memory_data import made_from
from memcli.model import SUMMARY, Filter, Memory, speaker_of
from memcli.recall.results import MISSES, Hit, RankingSettings, Recall, beyond_limit
from memcli.storage import Store
from memcli.text.dates.time_span import TimeSpan


def timeline(
    store: Store,
    query: str,
    where: Filter,
    spans: Sequence[TimeSpan],
    now: datetime,
    settings: RankingSettings,
) -> Recall:
    """Return the newest memories that happened, began or ended in `spans`, in time order.

    Without spans, the newest of all in `where`. A summary is left out beside turns that it sums up. Nothing
    is compared, so every hit has the score 1; `candidates` counts all that were found.
    """
    within = [span.latest(now) for span in spans]
    if within:
        first, last = min(span.start for span in within), max(span.end for span in within)
        first = max(first, where.since or first)
        last = min(last - timedelta(milliseconds=1), where.until or last)
        where = where._replace(since=first, until=last)
    found = [each for each in store.select(where) if _took_place(each, within)]
    told = {each.id for each in found}
    found = [each for each in found if speaker_of(each) != SUMMARY or told.isdisjoint(made_from(each))]
    newest = nlargest(settings.limit + MISSES, found, key=lambda each: (each.happened_at, each.id))
    hits = [Hit(each, 1.0, None, None, {}, 0.0) for each in newest]
    return Recall(
        query,
        hits[: settings.limit][::-1],
        len(found),
        misses=beyond_limit(hits, settings.limit),
        least=settings.min_score,
        past=where.past,
    )


def _took_place(memory: Memory, spans: Sequence[TimeSpan]) -> bool:
    """True if a memory happened, began or ended in a span; what merely stayed true throughout did not."""
    if not spans:
        return True
    instants = (memory.happened_at, memory.valid_from, memory.valid_until)
    return any(span.start <= each < span.end for span in spans for each in instants if each)
