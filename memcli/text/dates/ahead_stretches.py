"""Stretches of days ahead: single days, ranges and lists: "3–7 December", "von Donnerstag bis Sonntag"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from functools import lru_cache

from memcli.named_tuple import NamedTuple
from memcli.text.dates import ahead_words as words
from memcli.text.dates.ahead_forms import Mention, mentions
from memcli.text.dates.ahead_reading import day_of, written_as
from memcli.text.expressions import expression
from memcli.text.stopwords import STOPWORDS

_ARTICLES = rf"(?:(?:{words.BETWEEN})\s+)*"
_JOINED = rf"\s*(?:[-–—]\s*|(?:{words.TO})\s+{_ARTICLES})"
_TO = expression(rf",?{_JOINED}")
_AND = expression(rf"\s+(?:{words.AND})\s+{_ARTICLES}")
_FROM = expression(rf"\b(?:{words.FROM})(?: (?:{words.BETWEEN}))*\s*$")
_AMONG = expression(rf"\b(?:{words.AMONG})(?: (?:{words.BETWEEN}))*\s*$")
# What was moved from one day to another is on the latter only.
_MOVED_FROM = expression(rf"\b(?:{words.MOVED})(?: \w+)? (?:{words.FROM})(?: (?:{words.BETWEEN}))*\s*$")
# Moved to a day, with the verb before the day or after it.
_GOAL = rf"(?:\b(?:{words.MOVED_GOAL})\s+|\ball'){_ARTICLES}$"
_MOVED = rf"\b(?:{words.MOVED}|{words.MOVED_ALSO})\b"
_MOVED_THERE = expression(rf"{_MOVED}[^.,;:!?\n]{{0,40}}{_GOAL}")
_THERE = expression(_GOAL)
_MOVED_BEHIND = expression(rf"[^.,;:!?\n]{{0,20}}{_MOVED}")
_MOVED_TO = expression(rf"\s*(?:{words.MOVED_TO})\s*{_ARTICLES}")
_NTH = r"(?:st|nd|rd|th|er|e|[.ºª°])?"
# A number without a month beside one with it: "3–7 December", "between the 3rd and the 7th of December";
# "December 3–7", whose year applies to both.
_NUMBER_BEFORE = expression(
    rf"(?<![\w.,/:–-])(?P<number>\d{{1,2}}){_NTH}(?P<between>{_JOINED}|\s+(?:{words.AND}|{words.MOVED_TO})\s+{_ARTICLES})$"
)
_NUMBER_BEHIND = expression(
    rf"(?P<between>{_JOINED})(?P<number>\d{{1,2}}){_NTH}"
    rf"(?![\w:/]|[.,]\d| (?:{words.OF_THE_CLOCK})\b)"
    r"(?:,? (?P<year>20\d\d)\b)?"
)
# Several days of one month, before it or after it: "7, 8 and 10 December", "December 7, 8 and 10".
_ITEM = rf"\d{{1,2}}{_NTH}"
_COMMA, _LAST_AND = (
    rf"\s*,\s*{_ARTICLES}(?:l')?",
    rf"\s*(?:,\s*)?(?:[&+]|\b(?:{words.AND})\b)\s*{_ARTICLES}(?:l')?",
)
_LIST_BEFORE = expression(
    rf"(?<![\w.,/:–-])(?P<numbers>{_ITEM}(?:{_COMMA}{_ITEM})*){_LAST_AND}$|"
    rf"(?<![\w.,/:–-])(?P<several>{_ITEM}(?:{_COMMA}{_ITEM})+){_COMMA}$"
)
_LIST_BEHIND = expression(
    rf"(?P<numbers>(?:{_COMMA}{_ITEM})*{_LAST_AND}{_ITEM})"
    rf"(?![\w:/–-]|[.,]\d| (?:{words.OF_THE_CLOCK})\b)"
)
_NUMBER = expression(r"\d{1,2}")
# A noun that is counted: "December 3 to 7 people".
_COUNTED = expression(r" ([^\W\d_]+)")
# The groups of the forms that hold the name of a day, without introducing words.
_NAMING = (
    "after", "today", "tomorrow", "week", "this_week", "this_month", "next_month", "month_end", "week_end",
    "count", "weeks", "year", "name", "nth2", "one", "day", "in_month", "weekend", "nth3",
)  # fmt: skip
# The groups of dates, which recur once a year.
_DATES = ("name", "nth2", "one", "year")
_YEARS = ("year", "in", "in2", "dotted_year", "slashed_year")


class Stretch(NamedTuple):
    """A day, or a range of days, that a text names, and where it stands in the text.

    An end without a month of its own is a number: it belongs to the other end's month, or to the one beside
    it.
    """

    first: Mention | int
    last: Mention | int | None
    """None for a single day."""
    start: int
    end: int
    led: bool = False
    """The text marks where it begins: "from …", "between …"."""
    year: int | None = None
    number: int | None = None
    """For days of a list ("7, 8 and 10 December"): the day of the month, in place of that of `first`."""
    moved: bool = False
    """Something was moved to this day; the day it was moved from is not part of the stretch."""

    @property
    def mentions(self) -> Sequence[Mention]:
        """Return the ends that are more than a number, in order; there is at least one."""
        return [each for each in (self.first, self.last) if isinstance(each, Mention)]


@lru_cache(maxsize=16)
def stretches(folded: str) -> Sequence[Stretch]:
    """Return the stretches in a folded text, in order; "moved from Monday to Tuesday" names Tuesday."""
    return tuple(_stretches(folded))


def core_of(mention: Mention) -> int:
    """Return where the name of a day begins, without introducing words."""
    forms = [each for each in mention if each]
    return min(each.start(name) for each in forms for name in _NAMING if each[name])


def ends_of(stretch: Stretch, noon: datetime) -> tuple[datetime, datetime]:
    """Return the first and the last day; equal for a single day.

    Dates without a year are the next that are not over; weekdays and numbers begin ahead. Raises ValueError
    or OverflowError if there are no such days, or the range ends before it begins.
    """
    first, last, year = stretch.first, stretch.last, stretch.year
    if isinstance(first, int):
        if not isinstance(last, Mention):
            raise ValueError("numbers alone are of no month")
        end = day_of(last, noon)
        return _numbered(first, end, earlier=True), end
    begin = day_of(first, noon)
    if stretch.number is not None:
        begin = begin.replace(day=stretch.number)
    if isinstance(last, Mention):
        return _from_to(first, begin, last, noon)
    if last is None:
        return begin, begin
    end = _numbered(last, begin, earlier=False)
    # A range that has begun is of this year: it is of the next only if it is over.
    begin = begin.replace(year=year) if year else day_of(first, noon - (end - begin))
    return begin, _numbered(last, begin, earlier=False)


def _from_to(first: Mention, begin: datetime, last: Mention, noon: datetime) -> tuple[datetime, datetime]:
    """Return the range from `begin`, the next day of `first`, to the day of `last`. Raises as `ends_of`."""
    try:
        end = day_of(last, noon)
    except ValueError:
        written = written_as(last.match, first.match, noon)
        if written is None:  # "11 March - 10.40."
            return begin, begin
        end = written
    if _is_date(first) and _is_date(last):
        return _not_after(end, begin, first), end
    return begin, end if end >= begin else day_of(last, begin)


def _stretches(folded: str) -> Iterator[Stretch]:
    found = list(_without_lists(folded))
    listed = [each for one in found for each in _listed(one, folded)]
    if not listed:
        return iter(found)
    # A number in a list may have been read as a day of the current month ("am 7., 8. und 10. Januar").
    others = (
        each for each in found if not any(one.start < each.end and each.start < one.end for one in listed)
    )
    return iter(sorted([*others, *listed], key=lambda each: each.start))


def _listed(one: Stretch, folded: str) -> Iterator[Stretch]:
    """Yield the other days of a list of numbers, in the month of the date before or after it."""
    mention = one.first
    if (
        one.last is not None
        or one.moved
        or isinstance(mention, int)
        or not _is_date(mention)
        or mention.beside
    ):
        return
    date = mention.match
    said = date["nth2"] or date["nth"] or (date["dotted"] and date["one"])
    before, behind = _LIST_BEFORE.search(folded, 0, core_of(mention)), None
    if date["name"] and not date["in"] and not before:
        behind = _LIST_BEHIND.match(folded, one.end)
        counts = _COUNTED.match(folded, behind.end()) if behind else None
        behind = None if counts and counts[1] not in STOPWORDS else behind
    found = before or behind
    if not (said and found):
        return
    start, end = found.span("several" if found.groupdict().get("several") else "numbers")
    places = [*_NUMBER.finditer(folded, start, end)]
    numbers = [int(each[0]) for each in places]
    # Numbers that do not ascend to the date are something else: "flat 12 and 10 December".
    in_order = [*numbers, int(said)] if before else [int(said), *numbers]
    if in_order == sorted({*in_order}):
        for place, number in zip(places, numbers, strict=True):
            yield one._replace(start=place.start(), end=place.end(), number=number)


def _without_lists(folded: str) -> Iterator[Stretch]:
    waiting: Stretch | None = None
    named = mentions(folded)
    for place, mention in enumerate(named):
        following = named[place + 1].start if place + 1 < len(named) else len(folded)
        found = _with_numbers(mention, waiting, following, folded)
        whole = waiting and _joined(waiting, found, folded)
        if waiting and not (whole or found.start <= waiting.start):
            yield waiting
        waiting = whole or found
    if waiting:
        yield waiting


def _with_numbers(mention: Mention, before: Stretch | None, following: int, folded: str) -> Stretch:
    """Return the stretch of a mention, including a number beside it that has no month of its own.

    `before` is the stretch named before it, `following` where the next name of a day begins. The number may
    have been read as that stretch: then it belongs to this month.
    """
    core, end = core_of(mention), _end_of(mention)
    moved = _MOVED_THERE.search(folded, 0, core) or (
        _THERE.search(folded, 0, core) and _MOVED_BEHIND.match(folded, end)
    )
    alone = Stretch(mention, None, mention.start, end, moved=moved is not None)
    if not _is_date(mention):
        return alone
    if number := _NUMBER_BEFORE.search(folded, 0, core):
        place = number.start("number")
        is_taken = before is not None and place < before.end
        start = before.start if before and is_taken else place
        if not is_taken or (before and isinstance(before.first, Mention) and before.first.match["nth3"]):
            among = _AMONG.search(folded, 0, place)
            if _MOVED_TO.fullmatch(number["between"]) or _MOVED_FROM.search(folded, 0, place):
                return alone._replace(start=start, moved=True)
            if among or not _AND.fullmatch(number["between"]):
                led = among or _FROM.search(folded, 0, place)
                start = min(start, led.start()) if led else start
                return Stretch(int(number["number"]), mention, start, end, led=led is not None)
    if mention.match["name"] and not mention.match["in"] and (number := _NUMBER_BEHIND.match(folded, end)):
        counts = _COUNTED.match(folded, number.end())
        joined = not number["between"].strip("-–—")
        is_counted = counts is not None and counts[1] not in STOPWORDS and not joined
        if number.end("number") <= following and not is_counted:
            led = _FROM.search(folded, 0, core)
            start = min(mention.start, led.start()) if led else mention.start
            year = int(number["year"]) if number["year"] else None
            last = int(number["number"])
            return Stretch(mention, last, start, number.end(), led=led is not None, year=year)
    return alone


def _joined(one: Stretch, other: Stretch, folded: str) -> Stretch | None:
    """Return the range from one to the other if the words between say so; the other if something moved."""
    first, last = one.first, other.first
    if one.last is not None or other.last is not None or isinstance(first, int) or isinstance(last, int):
        return None
    core = core_of(first)
    between = folded[one.end : core_of(last)]
    from_there = _FROM.search(folded, 0, core)
    if from_there and _MOVED_TO.fullmatch(between):
        return other._replace(start=from_there.start(), moved=True)
    among = _AMONG.search(folded, 0, core)
    if not (_TO.fullmatch(between) or (among and _AND.fullmatch(between))):
        return None
    if moved := _MOVED_FROM.search(folded, 0, core):
        return other._replace(start=moved.start(), moved=True)
    start = min(one.start, from_there.start()) if from_there else one.start
    begin, end = (
        (_number_of(first) if _is_date(last) else None),
        (_number_of(last) if _is_date(first) else None),
    )
    return Stretch(begin or first, end or last, start, other.end, led=from_there is not None)


def _end_of(mention: Mention) -> int:
    return max(each.end() for each in mention if each)


def _number_of(mention: Mention) -> int | None:
    """Return the number of a day without a month, alone or with its weekday: "the 3rd", "Thursday 3"."""
    number = None if mention.beside else mention.match["nth3"] or mention.match["of"]
    return int(number) if number else None


def _is_date(mention: Mention) -> bool:
    return any(each[name] for each in mention if each for name in _DATES)


def _numbered(number: int, other: datetime, *, earlier: bool) -> datetime:
    """Return the day of this number in the month of another, or beside that month. Raises ValueError."""
    if earlier and number > other.day:
        other = other.replace(day=1) - timedelta(days=1)
    elif not earlier and number < other.day:
        other = other.replace(day=1) + timedelta(days=32)
    return other.replace(day=number)


def _not_after(end: datetime, begin: datetime, first: Mention) -> datetime:
    """Return the latest such date before the end of a range. Raises ValueError if it names another year."""
    if begin <= end and (end - begin).days < 365:
        return begin
    if any(each[name] for each in first if each for name in _YEARS):
        raise ValueError("ends before it begins")
    for year in (end.year, end.year - 1):
        with suppress(ValueError):  # 29 February
            if (day := begin.replace(year=year)) <= end:
                return day
    raise ValueError("ends before it begins")
