"""Put off: whether a text says that a plan is moved to another day, or cancelled. In seven languages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import lru_cache

from memcli.named_tuple import NamedTuple
from memcli.text.dates import ahead_words as words
from memcli.text.dates.ahead_forms import Mention, may_name_day, mentions
from memcli.text.dates.ahead_names import with_days_named
from memcli.text.dates.ahead_reading import day_of
from memcli.text.dates.ahead_stretches import Stretch, core_of, ends_of, stretches
from memcli.text.dates.called_off import called_off
from memcli.text.expressions import expression
from memcli.text.stopwords import STOPWORDS

# Any Monday: the days in both texts are resolved relative to it.
_NOON = datetime(2001, 1, 1, 12, tzinfo=UTC)
_MOVED = expression(rf"\b(?:{words.MOVED}|{words.MOVED_ALSO})\b")
_EVERY = expression(rf"\b(?:{words.EVERY})\b")
# Forms that mean another day when said at another time.
_RELATIVE = (
    "today", "tomorrow", "after", "count", "weeks", "week", "this_week", "this_month", "next_month",
    "month_end", "week_end", "weekend",
)  # fmt: skip
# Words that, like function words, say nothing about what is planned.
_LIGHT_WORDS = """
    now jetzt been has have heeft wird werden worden sera stato stata fue sido foi ete ha clock uhr uur heures
    heure ore horas hora again
"""
_WORD = expression(r"[^\W\d_]{2,}")
# Forms of one word begin with at least so many equal letters and differ in at most so many at the end.
_STEM, _ENDING = 4, 2


class _Postponement(NamedTuple):
    """What a text tells of something on a day: `thing` are the words that name it, in their order."""

    days: frozenset[datetime]
    thing: Sequence[str]
    moved_to: datetime | None = None
    moved_from: datetime | None = None
    off: bool = False
    every_week: bool = False


def is_put_off(newer: str, older: str) -> bool:
    """True if the newer text moves what the older plans to another day, or cancels it on that day.

    Both must name the event alike: the older has all words by which the newer names it, from its own first
    word on. What is cancelled without a day ("the dentist cancelled") is so on the planned day, but not every
    week.
    """
    if not _may_put_off(newer):
        return False
    new = _told(newer)
    if new is None or not (new.off or new.moved_to):
        return False
    old = _told(older)
    if old is None or old.off or old.moved_to or not (new.thing and old.thing and old.days):
        return False
    is_same = _is_in(old.thing[0], new.thing) and all(_is_in(each, old.thing) for each in new.thing)
    if new.moved_to:
        was_then = new.moved_from is None or new.moved_from in old.days
        return is_same and was_then and new.moved_to not in old.days
    if not new.days:
        return is_same and not old.every_week
    return is_same and not new.days.isdisjoint(old.days)


# Cached, because one statement is compared with many.
@lru_cache(maxsize=4096)
def _may_put_off(text: str) -> bool:
    """True if a text may say that something is cancelled or moved: a cheap test before days are resolved."""
    folded = with_days_named(text)
    moved = _MOVED.search(folded) is not None or any(word in folded for word in words.MOVED_TO.split("|"))
    return moved or bool(called_off(folded))


def _is_in(word: str, said: Sequence[str]) -> bool:
    return any(_are_forms(word, other) for other in said)


def _are_forms(one: str, other: str) -> bool:
    length = max(_STEM, min(len(one), len(other)) - _ENDING)
    return one[:length] == other[:length]


@lru_cache(maxsize=64)
def _told(text: str) -> _Postponement | None:
    """Return what a text says about an event on days; None if it names days relative to today.

    None also if it names no day and does not say that something is cancelled.
    """
    folded = with_days_named(text)
    named = stretches(folded) if may_name_day(folded, told_due=True) else ()
    if not (named or called_off(folded)) or any(
        each[group] for all_ in named for each in _matches(all_) for group in _RELATIVE
    ):
        return None
    goal = named[-1] if named else None
    try:
        days = {each: ends_of(each, _NOON)[0] for each in named}
        moved_from = _moved_from(goal, folded) if goal else None
    except (ValueError, OverflowError):  # the 31st of June
        return None
    off, moved = called_off(folded), [match.span() for match in _MOVED.finditer(folded)]
    rest = folded
    for start, end in sorted([*off, *moved, *((each.start, each.end) for each in named)], reverse=True):
        rest = f"{rest[:start]} {rest[end:]}"
    light = STOPWORDS.union(_LIGHT_WORDS.split())
    thing = [word for word in _WORD.findall(rest) if word not in light]
    if goal and goal.moved and not off:
        return _Postponement(frozenset(days.values()), thing, days[goal], moved_from)
    every_week = _EVERY.search(folded) is not None or any(
        match["many"] for each in named for match in _matches(each)
    )
    return _Postponement(frozenset(days.values()), thing, off=bool(off), every_week=every_week)


def _matches(stretch: Stretch) -> list[re.Match[str]]:
    return [match for mention in stretch.mentions for match in mention if match]


def _moved_from(goal: Stretch, folded: str) -> datetime | None:
    """Return the day, if named with its month, from which something was moved; else None."""
    if not goal.moved or not isinstance(goal.first, Mention):
        return None
    for mention in mentions(folded):
        if (
            goal.start <= mention.start < core_of(goal.first)
            and not mention.match["nth3"]
            and mention != goal.first
        ):
            return day_of(mention, _NOON)
    return None
