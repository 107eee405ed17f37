"""Open matters, which must not expire by themselves: tasks, promises, debts, and what falls due."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime

from memcli.judgement.notes import DUE, NO_PROMISE, NOT_DUE, PROMISE
from memcli.model import Memory
from memcli.text.dates.ahead import days_ahead
from memcli.text.dates.called_off import is_given_up, is_no_longer_to_do
from memcli.text.kinds import is_promise
from memcli.text.semantics.debts import debt_of
from memcli.text.task_items import TO_DO, is_over
from memcli.times import local


def is_open_matter(memory: Memory, judged: Collection[str], now: datetime) -> bool:
    """True if a memory is a task, makes a promise, tells of a debt, or falls due on a day not yet over.

    `judged` holds the judges' notes on it (`notes_of`). What lasts until a day, or only names this week, is
    no open matter.
    """
    if is_over(memory.tags):
        return False
    if not TO_DO.isdisjoint(memory.tags) or debt_of(memory.text):
        return True
    if is_no_longer_to_do(memory.text) or is_given_up(memory.text):
        return False
    if PROMISE in judged or (is_promise(memory.text) and NO_PROMISE not in judged):
        return True
    today = local(now).date()
    days = (
        days_ahead(memory.text, memory.happened_at, told_due=DUE in judged) if NOT_DUE not in judged else []
    )
    # Much that is said of today alone is of no interest tomorrow.
    return any(
        day.end.date() > today or (DUE in judged and day.end.date() == today)
        for day in days
        if not (day.lasting or day.first or day.loose)
    )


def closes(memory: Memory, others: Iterable[Memory]) -> bool:
    """True if a memory says that something was done which one of the others says is to be done.

    If such a memory expired, the matter would be open again.
    """
    from memcli.text.semantics.plan_outcomes import Told, is_carried_out, may_tell_of_plan  # few are passing

    if not may_tell_of_plan(memory.text):
        return False
    told = Told(memory.text, local(memory.happened_at))
    return any(
        is_open_matter(each, each.data.get("judged") or (), each.happened_at)
        and is_carried_out(told, Told(each.text, local(each.happened_at)))
        for each in others
    )
