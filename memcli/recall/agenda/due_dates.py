"""Due dates and promises: read from a memory's text and times, and from what a judge noted at writing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import chain, islice

from memcli.judgement.notes import DUE, NO_PROMISE, NOT_DUE, PROMISE
from memcli.model import KNOWLEDGE, OF_OTHER, SUMMARY, Memory, judged_likely, speaker_of
from memcli.text.dates.ahead import (
    DayAhead,
    days_ahead,
    names_day,
    weekdays_every_week,
)
from memcli.text.dates.ahead_told import tells_of_past, without_report
from memcli.text.dates.calendar import SHORT_MONTHS
from memcli.text.dates.called_off import is_anything_called_off, is_given_up, is_no_longer_to_do
from memcli.text.expressions import expression
from memcli.text.kinds import is_promise
from memcli.text.task_items import TO_DO, is_over
from memcli.text.words import fold_case
from memcli.times import local

DUE_WITHIN = timedelta(days=7)
# Senses of words (`memcli.text.semantics.senses`) that mark a promise even in a text about the past ("I
# promised"), and senses of the first person; "on" means "we" only in French.
_PROMISING = frozenset({"promise", "word given", "said", "owe", "remind", "will", "must"})
_OF_SELF, _NOT_OF_SELF = frozenset({"i", "my", "we"}), ("on",)
# A first clause of at most so many words only says who told it ("Nina called, we go skiing on Friday").
_TOLD_BY = 3
_CLAUSE_END = expression(r"[,;:–—](?=\s)")
_FIRST_WORD = expression(r"\W*(\w+)")
# A state that a judge notes of a statement (`StatementJudgement.states`).
_UNDECIDED = "undecided"
# At most so many overdue memories, and so many promises, are listed.
_LISTED = 10
_PROMISING_KINDS = (*KNOWLEDGE, "episode")
# The kinds of memories that may tell of an event on a day.
_TELLING = ("fact", "preference", "episode")


def due_at(memory: Memory, now: datetime, *, overdue: bool = True) -> datetime | None:
    """Return when a memory falls due within the next seven days, or when it was due; None if it is done.

    A deadline or a promise stays `overdue` until it is done; an event that is past does not.
    """
    if is_done(memory):
        return None
    days = days_due(memory, now)
    # A day is one of the seven to its end.
    last = local(now + DUE_WITHIN).date()
    coming = [when for day in days if not is_overdue(when := next_on(day, now), now)]
    if ahead := [when for when in coming if local(when).date() <= last]:
        return ahead[0]
    if coming or not overdue or _is_of_others(memory):
        return None
    late = [day.end for day in days if (day.by and not day.lasting) or is_open_promise(memory)]
    return max(late, default=None)


def only_names_coming_day(memory: Memory, now: datetime) -> bool:
    """True if a memory that is not listed as due names a day in the next seven, and an agenda would list it.

    "Lunch with Tom Tuesday" and "Sam is off sick today" do. Where such days are not asked for, these are left
    out.
    """
    if is_done(memory) or speaker_of(memory) == SUMMARY or not names_day(memory.text):
        return False
    if due_at(memory, now, overdue=False):
        return False
    days, may_be_over = days_told(memory)
    last = local(now + DUE_WITHIN).date()
    on = (next_on(day, now) for day in days if not (may_be_over or is_doubtful(memory, day)))
    return any(not is_overdue(each, now) and local(each).date() <= last for each in on)


def days_due(memory: Memory, since: datetime) -> list[DayAhead]:
    """Return the days on which a memory falls due or fell due, whether it is done or not.

    These are the end of its validity and the time that it happens, if later than `since`, and the days to
    come that its text names, read from when it was said ("by Friday", "morgen", "in 3 days", "on 2026-05-03",
    "le 3 mai"), unless a judge noted that it is not ahead ("Exam in 3 days" cannot be denied). A bare weekday
    or month is enough in what was judged to fall due, or is promised. What is called off or denied ("nobody
    is coming on Friday") has no day.
    """
    named = [
        day
        for day in _days_named(memory)
        if _is_ahead(memory, day) and not (is_maybe(memory) or is_denied(memory, day))
    ]
    timed = [DayAhead(each) for each in (memory.valid_until, memory.happened_at) if each and each > since]
    off = timed and not named and is_anything_called_off(memory.text)
    return [day for day in timed if not (off and day.at == memory.happened_at)] + named


def _is_ahead(memory: Memory, day: DayAhead) -> bool:
    """True if a day that a memory names is still to come: by its form, by a judge, or as none denies it."""
    # A day that something was moved to is to come, though the moving is told in the past tense.
    if day.moved:
        return True
    if _is_settled(memory.text):
        return False
    if day.certain and judged_likely(memory, DUE) == 0:
        return not _may_be_over(memory.text)
    # What its owner tagged is to be done, whatever a judge says.
    return judged_likely(memory, NOT_DUE) == 0 or not TO_DO.isdisjoint(memory.tags)


def next_on(day: DayAhead, now: datetime) -> datetime:
    """Return when a day is next, counted from the noon of today; if it is over, its last occurrence."""
    return day.on_or_after(local(now).replace(hour=12, minute=0, second=0, microsecond=0))


def days_told(memory: Memory) -> tuple[list[DayAhead], bool]:
    """Return the days ahead that a memory names, due or not, and True if they may be past."""
    days = days_ahead(memory.text, memory.happened_at, told_due=True) if _may_be_on(memory) else []
    days = [day for day in days if not day.weekly]
    return days, not all(day.moved for day in days) and _may_be_over(memory.text)


def is_doubtful(memory: Memory, day: DayAhead) -> bool:
    """True if a memory is tentative or denied, or a judge denied that a reckoned day is ahead."""
    counted = day.counted and judged_likely(memory, NOT_DUE) > 0
    return counted or is_maybe(memory) or is_denied(memory, day)


def is_denied(memory: Memory, day: DayAhead) -> bool:
    """True if a memory says that on a day it names nothing takes place, or not what might have."""
    # Few memories name a day.
    from memcli.text.semantics.denials import days_denied

    denied = days_denied(memory.text, local(memory.happened_at))
    return any(span.start <= day.at < span.end for span in denied)


def is_maybe(memory: Memory) -> bool:
    """True if a memory was judged undecided when it was written, or begins with a word like "maybe"."""
    from memcli.text.semantics import senses

    first = _FIRST_WORD.match(fold_case(memory.text))
    said = first is not None and first[1] not in SHORT_MONTHS and senses.has_sense(first[1], "maybe")
    return said or judged_likely(memory, _UNDECIDED) > 0


def weekdays_told(memory: Memory) -> frozenset[int]:
    """Return the weekdays (Monday is 0) on which something recurs every week, as a memory says."""
    return weekdays_every_week(memory.text) if _may_be_on(memory) else frozenset()


def is_appointment(memory: Memory, now: datetime) -> bool:
    """True if a memory tells of an event on a day to come and words no promise: it is listed when due."""
    if TO_DO & set(memory.tags) or is_promise(memory.text) or judged_likely(memory, NOT_DUE):
        return False
    return any(not (day.by or is_overdue(day.end, now)) for day in _days_named(memory))


def is_overdue(when: datetime, now: datetime) -> bool:
    """True if the local day of a due date is over."""
    return local(when).date() < local(now).date()


def is_open_promise(memory: Memory) -> bool:
    """True if a memory says that something is still to be done, and does not say that it was."""
    if is_done(memory):
        return False
    if TO_DO & set(memory.tags):
        return True
    if is_no_longer_to_do(memory.text):
        return False
    # The judgement was made when it was written, and covers languages that the patterns do not. It takes one
    # in ten abandoned plans for a promise, hence `is_given_up`.
    likely = judged_likely(memory, PROMISE) > 0 and not is_given_up(memory.text)
    worded = is_promise(memory.text) and not judged_likely(memory, NO_PROMISE)
    return not _is_of_others(memory) and (likely or worded) and not _is_settled(memory.text)


def is_listed_promise(memory: Memory) -> bool:
    """True if a memory is an open promise that is worth listing: made by its owner, or to its owner.

    A judge may take for a promise what one third party promised another, or an account of the past; these are
    left out. What its owner tagged as to be done is always listed.
    """
    if not is_open_promise(memory):
        return False
    if TO_DO & set(memory.tags):
        return True
    # Few memories are promises.
    from memcli.text.semantics import senses

    said = [word for word in re.findall(r"\w+", memory.text.lower()) if word not in _NOT_OF_SELF]
    every = [senses.senses_of(word) for word in said]
    meant = {sense for each in every for sense in each}
    if judged_likely(memory, OF_OTHER) and meant.isdisjoint(_OF_SELF):
        return False
    # "I have lent" is no "I have to".
    promised = any("perfect" not in each and not _PROMISING.isdisjoint(each) for each in every)
    return promised or not _may_be_over(memory.text)


def listed_as_due(
    memories: Sequence[Memory], now: datetime, overdue: int = _LISTED
) -> list[tuple[datetime, Memory]]:
    """Return the overdue memories (only the latest `overdue`) and those falling due, by their dates."""
    found = [(when, each) for each in memories if (when := due_at(each, now))]
    found.sort(key=lambda each: (each[0], each[1].id))
    late = [each for each in found if is_overdue(each[0], now)]
    return [*late[-overdue:], *found[len(late) :]]


def listed_as_promised(memories: Sequence[Memory], now: datetime, most: int = _LISTED) -> list[Memory]:
    """Return the first `most` memories that promise something, then those due at a day farther ahead.

    Appointments are listed when they are due instead.
    """
    promising = [each for each in memories if each.kind in _PROMISING_KINDS and not is_done(each)]
    promised = (each for each in promising if is_listed_promise(each) and not is_appointment(each, now))
    farther = (each for each in promising if is_due_farther_ahead(each, now) and not is_listed_promise(each))
    return list(islice(chain(promised, farther), most))


def is_due_farther_ahead(memory: Memory, now: datetime) -> bool:
    """True if a memory names a day by which it is to be done, more than seven days ahead."""
    if not names_day(memory.text) or _is_of_others(memory):
        return False
    last = local(now + DUE_WITHIN).date()
    days = days_due(memory, now)
    return bool(days) and all(day.by and not day.lasting and day.end.date() > last for day in days)


def is_done(memory: Memory) -> bool:
    """True if its owner, or a later memory, said that what a memory promises is done."""
    return "resolved_by" in memory.data or is_over(memory.tags)


def _days_named(memory: Memory) -> list[DayAhead]:
    told_due = judged_likely(memory, DUE) > 0 or is_open_promise(memory)
    return days_ahead(memory.text, memory.happened_at, told_due=told_due)


def _is_settled(text: str) -> bool:
    # Few texts name a day.
    from memcli.text.semantics.settled_deadlines import is_settled

    return is_settled(text)


def _may_be_on(memory: Memory) -> bool:
    # A statement of what must or must not be is a rule, not an event.
    return memory.kind in _TELLING and not _is_of_others(memory)


def _may_be_over(text: str) -> bool:
    # Few texts are asked.
    from memcli.text.semantics import senses

    told = _without_who_told(text)
    return tells_of_past(told) or senses.tells_of_past(told)


def _without_who_told(text: str) -> str:
    """Return a text without a short first clause that only says who told it, and without "Mum said".

    "Nina called, we go skiing on Friday" and "Mum said the party is on Friday" are about what comes after.
    """
    text = without_report(text)
    head, rest = [*_CLAUSE_END.split(text, maxsplit=1), ""][:2]
    told_by = len(head.split()) <= _TOLD_BY and not names_day(head) and names_day(rest)
    return rest if told_by else text


def _is_of_others(memory: Memory) -> bool:
    return speaker_of(memory) in ("assistant", "system", "tool") or memory.source == "imported"
