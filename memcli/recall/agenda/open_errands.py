"""What is still to be done: what is due or overdue and what was promised, as a context lists it."""

from __future__ import annotations

from datetime import datetime

from memcli.model import Filter
from memcli.recall.agenda.due_dates import listed_as_due, listed_as_promised
from memcli.recall.agenda.overtaken_plans import overtaken
from memcli.recall.agenda.replaced import below_the_newer, told_updates
from memcli.recall.closed_questions import ClosedQuestions
from memcli.recall.results import Hit, RankingSettings, Recall, beyond_limit
from memcli.storage import Store

# So many of the newest memories are looked over.
_LOOKED_OVER = 5000


def open_errands(store: Store, query: str, where: Filter, now: datetime, settings: RankingSettings) -> Recall:
    """What is to be done and is not, what has a day first; without hits where there is nothing.

    What is perhaps done or off names what says so and stands below it. Nothing is compared: each has the
    score 1.
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
