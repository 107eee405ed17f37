"""Open errands: what is still to be done, first what is due or overdue, then promises, as in a context."""

from __future__ import annotations

from datetime import datetime

from memcli.model import Filter
from memcli.recall.agenda.due_dates import listed_as_due, listed_as_promised
from memcli.recall.agenda.overtaken_plans import overtaken
from memcli.recall.agenda.replaced import below_the_newer, told_updates
from memcli.recall.closed_questions import ClosedQuestions
from memcli.recall.results import Hit, RankingSettings, Recall, beyond_limit
from memcli.storage import Store

# At most so many of the newest memories are looked over.
_LOOKED_OVER = 5000


def open_errands(store: Store, query: str, where: Filter, now: datetime, settings: RankingSettings) -> Recall:
    """Return the errands that are not done, those with a date first; without hits if there are none.

    One that may be done or cancelled names the memory that says so and stands below it. Nothing is compared
    with the question: every hit has the score 1.
    """
    newest = list(store.select(where, limit=_LOOKED_OVER))
    due = [each for _, each in listed_as_due(newest, now)]
    dated = {each.id for each in due}
    listed = [*due, *(each for each in listed_as_promised(newest, now) if each.id not in dated)]
    both_hold = ClosedQuestions(store, where.spaces).holds
    updates = told_updates(newest, both_hold) | overtaken(listed, newest, both_hold)
    hits = [
        Hit(memory, 1.0, None, None, {}, 0.0, newer) for memory, newer in below_the_newer(listed, updates)
    ]
    return Recall(
        query,
        hits[: settings.limit],
        len(hits),
        misses=beyond_limit(hits, settings.limit),
        least=settings.min_score,
    )
