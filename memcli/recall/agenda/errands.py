"""What is due and what was promised, as a context and a to-do list have it; what a later note closed, apart."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from memcli.model import Memory
from memcli.named_tuple import NamedTuple
from memcli.recall.agenda.due_dates import (
    days_due,
    is_listed_promise,
    is_overdue,
    listed_as_due,
    listed_as_promised,
)
from memcli.recall.agenda.overtaken_plans import overtaken, says_over
from memcli.recall.agenda.replaced import newest_of, told_updates

# So many that are overdue, and that are promised, are listed; of so many it is looked whether they are open.
_LISTED, _LOOKED_AT = 10, 30


class Errands(NamedTuple):
    """What is due, with its day, and what was promised, each in order; both are open as far as is known.

    `updates` names by the id of what is listed the later note that says something of it; `closed` is what was
    left out, since a later note says that it is done or off.
    """

    due: Sequence[tuple[datetime, Memory]]
    promised: Sequence[Memory]
    updates: Mapping[str, Memory]
    closed: Sequence[Memory]


def open_errands_of(some: Sequence[Memory], now: datetime, both_hold: Callable[[str, str], bool]) -> Errands:
    """What of some memories is due or promised at `now`; no pair that `both_hold`, by id, is one of an update."""
    due = listed_as_due(some, now, _LOOKED_AT)
    promised = listed_as_promised(some, now, _LOOKED_AT)
    plans = list({each.id: each for each in (*(each for _, each in due), *promised)}.values())
    updates = told_updates(some, both_hold) | overtaken(plans, some, both_hold)
    closed = {each.id: each for each in plans if _is_closed(each, updates, now)}
    due = [(when, each) for when, each in due if each.id not in closed]
    late = [each for each in due if is_overdue(each[0], now)]
    return Errands(
        [*late[-_LISTED:], *due[len(late) :]],
        [each for each in promised if each.id not in closed][:_LISTED],
        updates,
        list(closed.values()),
    )


def _is_closed(plan: Memory, updates: Mapping[str, Memory], now: datetime) -> bool:
    """Whether the newest note of a plan says that it is done or off, and tells of nothing that is to come."""
    newer = newest_of(plan, updates)
    if newer is plan or not says_over(newer, plan):
        return False
    to_come = any(not is_overdue(day.end, now) for day in days_due(newer, now))
    return not (to_come or is_listed_promise(newer))
