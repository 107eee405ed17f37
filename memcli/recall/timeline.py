"""What there is in a time, in time order: the answer where a question asks for nothing else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from heapq import nlargest

from memcli.model import SUMMARY, Filter, Memory, made_from, speaker_of
from memcli.recall.due_dates import days_due, is_done
from memcli.recall.results import Hit, Miss, MissReason, RankingSettings, Recall
from memcli.storage import Store
from memcli.text.dates.time_span import TimeSpan

# So many of those that the limit left out are told of.
_MISSES = 5
# It asks for what is still to be done, not for what was noted.
_TO_DO = re.compile(r"\bdo (?:i|we) (?:have|need)\b", re.IGNORECASE)


def timeline(
    store: Store,
    query: str,
    where: Filter,
    spans: Sequence[TimeSpan],
    now: datetime,
    settings: RankingSettings,
) -> Recall:
    """The newest of what happened, began or ended in the spans, in time order.

    Asked for what is to be done in spans that are not over, what falls due in them and is not done.
    Without spans the newest of all in `where`. A summary does not stand beside
    turns that it sums up. Nothing is compared, so each has the score 1;
    `candidates` counts all there are.
    """
    within = [span.latest(now) for span in spans]
    to_do = bool(within) and all(span.end > now for span in within) and _TO_DO.search(query)
    if within and not to_do:
        first, last = min(span.start for span in within), max(span.end for span in within)
        first = max(first, where.since or first)
        last = min(last - timedelta(milliseconds=1), where.until or last)
        where = where._replace(since=first, until=last)
    told_of = _falls_due if to_do else _took_place
    found = [each for each in store.select(where) if told_of(each, within)]
    told = {each.id for each in found}
    found = [each for each in found if speaker_of(each) != SUMMARY or told.isdisjoint(made_from(each))]
    newest = nlargest(settings.limit + _MISSES, found, key=lambda each: (each.happened_at, each.id))
    hits = [Hit(each, 1.0, None, None, {}, 0.0) for each in newest]
    beyond = MissReason("beyond the limit")
    return Recall(
        query,
        hits[: settings.limit][::-1],
        len(found),
        misses=[Miss(hit, beyond) for hit in hits[settings.limit :]],
        least=settings.min_score,
        past=where.past,
    )


def _took_place(memory: Memory, spans: Sequence[TimeSpan]) -> bool:
    """What has been true all the time did not happen in it."""
    if not spans:
        return True
    instants = (memory.happened_at, memory.valid_from, memory.valid_until)
    return any(span.start <= each < span.end for span in spans for each in instants if each)


def _falls_due(memory: Memory, spans: Sequence[TimeSpan]) -> bool:
    """Whether something is to be done, or happens, in the spans that was ahead when it was written."""
    if is_done(memory):
        return False
    days = days_due(memory, memory.created_at)
    return any(span.start <= day.at < span.end for span in spans for day in days)
