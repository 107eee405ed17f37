"""Reading of days ahead: the day that a form names, counted from the noon of the day when it was said."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime, timedelta

from memcli.text.dates import ahead_words as words
from memcli.text.dates.ahead_forms import Mention, counts, months, numbered, weekday_of
from memcli.text.expressions import expression

_ENGLISH_LEAD = expression(rf"(?:{words.ENGLISH_LEAD})\b")
# Said during a weekend, these words mean the following one.
_COMING = expression(rf"\b(?:{words.COMING}|{words.UNTIL})\b")
_FRIDAY, _SATURDAY = 4, 5
_MONTHS, _WHOLE_YEAR = 12, 4
_PARTS_OF_A_WHOLE = (2, 3, 4, 5, 8, 10)
_WEEK = timedelta(days=7)
_HALF_A_YEAR = timedelta(days=183)
# In weeks: nobody says "Thursday the 3rd" of one further ahead, so the number must mean something else.
_UNTIL_BOTH = 26


def last_before(mention: Mention, first: datetime) -> datetime:
    """Return the last day before a mention that begins on `first`; if it names an end, that is part of it."""
    match = mention.match
    ends = match["month_end"] or match["week_end"] or (match["in_month"] and match["part"])
    return first if ends else first - timedelta(days=1)


def is_exact(mention: Mention) -> bool:
    """True if a weekday itself says which of many it is ("Thursday week", "jeudi 3")."""
    match = mention.match
    return bool(mention.beside or match["second"] or match["later"] or numbered(match))


def day_of(mention: Mention, noon: datetime) -> datetime:
    """Return the day that is named. Raises ValueError or OverflowError if there is no such day."""
    match, beside = mention
    if beside is None:
        number = numbered(match)
        both = _both(weekday_of(match["day"]), number, noon) if number else None
        return both or _day(match, noon)
    if beside["count"] or beside["weeks"]:
        return _day(match, noon) + _number(beside["count"] or beside["weeks"]) * _WEEK
    if not match["day"]:
        # "Tomorrow, the 25th" names the same day twice.
        return _day(match, noon)
    weekday = weekday_of(match["day"])
    if beside["week"] or beside["this_week"]:
        return _monday(noon, 1 if beside["week"] else 0) + timedelta(days=weekday)
    if beside["nth3"]:
        return _both(weekday, int(beside["nth3"]), noon) or _day(beside, noon)
    return _dated(beside, noon, weekday)


def _day(match: re.Match[str], noon: datetime) -> datetime:
    if match["today"] or match["tomorrow"] or match["after"]:
        return noon + timedelta(days=0 if match["today"] else 1 if match["tomorrow"] else 2)
    if any(match[name] for name in _PERIODS):
        return _of_period(match, noon)
    if match["day"]:
        return _weekday(match, noon)
    if match["count"]:
        return noon + timedelta(days=_number(match["count"]) * words.COUNTED[match["unit"]])
    if match["nth3"] or match["in_month"] or match["weekend"]:
        return _day_alone(match, noon)
    return _dated(match, noon)


def _number(count: str) -> int:
    return int(count) if count.isdecimal() else counts()[count]


_PERIODS = ("week", "this_week", "week_end", "next_month", "this_month", "month_end")


def _monday(noon: datetime, later: int) -> datetime:
    """Return the Monday of this week, or of so many weeks later."""
    return noon - timedelta(days=noon.weekday()) + later * _WEEK


def _of_period(match: re.Match[str], noon: datetime) -> datetime:
    """Return the beginning of the next week or month, or the end of this one."""
    if match["week"]:
        return _monday(noon, 1)
    if match["this_week"]:
        return _monday(noon, 1) - timedelta(days=1)
    if match["next_month"]:
        return noon.replace(day=monthrange(noon.year, noon.month)[1]) + timedelta(days=1)
    if match["week_end"]:
        return noon + timedelta(days=(_FRIDAY - noon.weekday()) % 7)
    return noon.replace(day=monthrange(noon.year, noon.month)[1])


def _weekday(match: re.Match[str], noon: datetime) -> datetime:
    """Return the next such weekday, or weeks later; on a Monday "on Monday" is today, "next Monday" not."""
    how = match["how"] or ""
    is_today = not (match["then"] or match["second"] or _is_next_behind(match))
    is_today = is_today and how in ("", "on", "this", "by", "until", "due")
    off = (weekday_of(match["day"]) - noon.weekday()) % 7 or (0 if is_today else 7)
    later = words.WEEKS_LATER.get(match["later"] or "", 1 if match["second"] else 0)
    return noon + timedelta(days=off) + later * _WEEK


def is_next(match: re.Match[str]) -> bool:
    """True if the word before a weekday says that it is the next one, as against "on" or "this"."""
    return (match["how"] or "on") not in ("on", "this") or _is_next_behind(match)


def _is_next_behind(match: re.Match[str]) -> bool:
    # "By next Monday" has two introducing words.
    between = match.string[match.end("how") : match.start("day")] if match["how"] else ""
    return re.search(r"\bnext\b", between) is not None


def _both(weekday: int, number: int, noon: datetime) -> datetime | None:
    """Return the next weekday with this day of the month, today included; None if it is too far ahead."""
    first = noon + timedelta(days=(weekday - noon.weekday()) % 7)
    coming = (first + weeks * _WEEK for weeks in range(_UNTIL_BOTH))
    return next((day for day in coming if day.day == number), None)


def _dated(match: re.Match[str], noon: datetime, weekday: int | None = None) -> datetime:
    """Return the day of a date, in the year that fits the weekday beside it, if any. Raises ValueError."""
    if match["weeks"]:
        raise ValueError(f"{match[0]} of no day")
    if match["year"]:
        return noon.replace(year=int(match["year"]), month=int(match["month"]), day=int(match["date"]))
    if not match["one"]:
        month = months()[match["name"] or match["name2"]]
        said, year = [(int(match["nth"] or match["nth2"]), month)], match["in"] or match["in2"]
    else:
        said, year = _in_numbers(match), match["dotted_year"] or match["slashed_year"]
    if weekday is not None and not year:
        fitting = [day for day in _in_years(said, noon) if day.weekday() == weekday]
        if fitting:
            return min(fitting, key=lambda day: abs(day - noon))
    if len(said) > 1:
        raise ValueError(f"{match[0]} may be two days")
    return _in_year(*said[0], year, noon)


def _in_years(said: Sequence[tuple[int, int]], noon: datetime) -> Iterator[datetime]:
    """Yield these days and months in this year, the next, and the last half-year."""
    for day, month in said:
        for year in (noon.year - 1, noon.year, noon.year + 1):
            with suppress(ValueError):
                dated = noon.replace(year=year, month=month, day=day)
                if dated > noon - _HALF_A_YEAR:
                    yield dated


def _in_year(day: int, month: int, year: str | None, noon: datetime) -> datetime:
    """Return a day in the named year, or in the next year in which it is still ahead. Raises ValueError."""
    if year:
        return noon.replace(year=2000 + int(year) % 100, month=month, day=day)
    this_year = noon.replace(month=month, day=day)
    return this_year if this_year >= noon - timedelta(days=1) else this_year.replace(year=noon.year + 1)


def _in_numbers(match: re.Match[str]) -> list[tuple[int, int]]:
    """Return day and month of "30.11." or "30/11", day first unless it can only be month first.

    Also day first for what is due or ends then. Otherwise both readings if both are possible: "on 3/4" in
    English may be in March or in April, and "by 3/4" may be a fraction.
    """
    one, other = int(match["one"]), int(match["dotted"] or match["slashed"])
    if match["dotted"] or one > _MONTHS:
        return [(one, other)]
    if other > _MONTHS:
        return [(other, one)]
    if match["led"] and not _ENGLISH_LEAD.match(match["led"]):
        is_part = match["led"] == "by" and one < other and other in _PARTS_OF_A_WHOLE
        if not is_part or match["slashed_year"]:
            return [(one, other)]
    return [(one, other), (other, one)]


def written_as(match: re.Match[str], other: re.Match[str], noon: datetime) -> datetime | None:
    """Return the day of an ambiguous numeric date ("3/1"), read in the order of another ("28/12")."""
    if not (match["slashed"] and other["slashed"] and not match["slashed_year"]):
        return None
    said, orders = (int(match["one"]), int(match["slashed"])), _in_numbers(other)
    if len(orders) > 1:
        return None
    day, month = said if orders[0][0] == int(other["one"]) else reversed(said)
    with suppress(ValueError):
        return _in_year(day, month, None, noon)
    return None


_WHICH_WEEKEND = ("which_behind", "weekend_second", "weekend_later")


def is_number_alone(match: re.Match[str]) -> bool:
    """True if only numbers, a week, a month or the weekend are named, which may mean any time, or none."""
    unled = match["one"] and not match["led"] and len(match["dotted_year"] or "") < _WHOLE_YEAR
    any_weekend = match["weekend"] and not any(match[name] for name in _WHICH_WEEKEND)
    any_weekend = any_weekend and re.fullmatch("(?:(?:on|na)(?: the)?)?", match["which"] or "")
    periods = match["this_week"] or match["this_month"] or match["next_month"]
    return bool(unled or match["nth3"] or match["in_month"] or any_weekend or periods)


def is_loose(mention: Mention) -> bool:
    """True if a week or a month is named, and no day of it: "this month", "im Dezember"."""
    named = ("week", "this_week", "this_month", "next_month", "in_month")
    return mention.beside is None and any(mention.match[name] for name in named)


def _day_alone(match: re.Match[str], noon: datetime) -> datetime:
    if match["nth3"]:
        return _next_nth(int(match["nth3"]), noon)
    if match["in_month"]:
        return _in_month(months()[match["in_month"]], match["part"] or "", noon)
    saturday = _monday(noon, 0) + timedelta(days=_SATURDAY)
    # In English "next weekend" is that of next week; German "kommendes Wochenende" is the coming one.
    which = f"{match['which'] or ''} {match['which_behind'] or ''}"
    is_on = noon.weekday() >= _SATURDAY
    is_next = re.search(r"\bnext\b", which) or (is_on and (_COMING.search(which) or match["weekend_second"]))
    coming = saturday + _WEEK if is_next else saturday
    if match["weekend_later"] and "after next" in match["weekend_later"]:
        # "After next" counts from "this" and "next".
        return saturday + 2 * _WEEK
    return coming + _WEEK if match["weekend_second"] or match["weekend_later"] else coming


def _in_month(month: int, part: str, noon: datetime) -> datetime:
    """Return the first day of the next such month, its middle or its end; of the current month the end."""
    first = noon.replace(year=noon.year + (month < noon.month), month=month, day=1)
    last = monthrange(first.year, month)[1]
    if re.fullmatch(words.MID, part):
        return first.replace(day=15)
    return first.replace(day=last) if part or month == noon.month else first


def _next_nth(nth: int, noon: datetime) -> datetime:
    """Return the next day with this number in its month, today included. Raises ValueError."""
    if nth >= noon.day:
        return noon.replace(day=nth)
    later = noon.replace(day=1) + timedelta(days=32)
    return later.replace(day=nth)
