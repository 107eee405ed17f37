"""Errands: what is due and what was promised, for contexts and to-do lists; and what a later note closed."""

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
from memcli.recall.agenda.overtaken_plans import is_errand, overtaken, says_over
from memcli.recall.agenda.replaced import newest_of, told_updates
from memcli.recall.agenda.summary_lines import with_lines_of_summaries

# The most overdue, and the most promised errands that are listed; and that are checked for being open.
_LISTED, _LOOKED_AT = 10, 30


class Errands(NamedTuple):
    """The errands that are due, with their days, and those promised, each in order; open as far as is known.

    `updates` maps the id of an errand to the later note that says something about it; `closed` are those left
    out because a later note says that they are done or off.
    """

    due: Sequence[tuple[datetime, Memory]]
    promised: Sequence[Memory]
    updates: Mapping[str, Memory]
    closed: Sequence[Memory]


def open_errands_of(some: Sequence[Memory], now: datetime, both_hold: Callable[[str, str], bool]) -> Errands:
    """Return what is due or promised at `now`; pairs of ids that `both_hold` are not updates."""
    told = with_lines_of_summaries(some)
    due, promised = listed_as_due(told, now, _LOOKED_AT), listed_as_promised(told, now, _LOOKED_AT)
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
    """True if the newest note on an errand says that it is done or off, and names nothing still to come.

    A note that an event is off names the event's day, so only errands are closed.
    """
    newer = newest_of(plan, updates)
    if newer is plan or not (is_errand(plan) and says_over(newer, plan)):
        return False
    to_come = any(not is_overdue(day.end, now) for day in days_due(newer, now))
    return not (to_come or is_listed_promise(newer))
