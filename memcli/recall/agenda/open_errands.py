"""Open errands: what is still to be done, first what is due or overdue, then promises, as in a context."""

from __future__ import annotations

from datetime import datetime

from memcli.model import Filter
from memcli.recall.agenda.errands import open_errands_of
from memcli.recall.agenda.replaced import below_the_newer
from memcli.recall.closed_questions import ClosedQuestions
from memcli.recall.results import Hit, RankingSettings, Recall, beyond_limit
from memcli.storage import Store

# At most so many of the newest memories are looked over.
_LOOKED_OVER = 5000


def open_errands(store: Store, query: str, where: Filter, now: datetime, settings: RankingSettings) -> Recall:
    """Return what is to be done, dated errands first; no hits if there is nothing.

    An errand that was perhaps changed names the newer note and is listed below it; those perhaps done or off
    are listed likewise, after all open ones. Nothing is ranked: each hit has the score 1.
    """
    newest = list(store.select(where, limit=_LOOKED_OVER))
    errands = open_errands_of(newest, now, ClosedQuestions(store, where.spaces).holds)
    due = [each for _, each in errands.due]
    dated = {each.id for each in due}
    listed = [*due, *(each for each in errands.promised if each.id not in dated)]
    told = [*below_the_newer(listed, errands.updates)]
    shown = {memory.id for memory, _ in told}
    told += [each for each in below_the_newer(errands.closed, errands.updates) if each[0].id not in shown]
    hits = [Hit(memory, 1.0, None, None, {}, 0.0, newer) for memory, newer in told]
    return Recall(
        query,
        hits[: settings.limit],
        len(hits),
        misses=beyond_limit(hits, settings.limit),
        least=settings.min_score,
    )
