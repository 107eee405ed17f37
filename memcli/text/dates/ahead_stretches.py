"""Days ahead one by one, or all from one to another: "3–7 December", "von Donnerstag bis Sonntag"."""

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
# Moved from a day to another it is on the latter alone.
_MOVED_FROM = expression(rf"\b(?:{words.MOVED})(?: \w+)? (?:{words.FROM})(?: (?:{words.BETWEEN}))*\s*$")
# Moved to it, the verb before the day or behind it.
_GOAL = rf"(?:\b(?:{words.MOVED_GOAL})\s+|\ball'){_ARTICLES}$"
_MOVED = rf"\b(?:{words.MOVED}|{words.MOVED_ALSO})\b"
_MOVED_THERE = expression(rf"{_MOVED}[^.,;:!?\n]{{0,40}}{_GOAL}")
_THERE = expression(_GOAL)
_MOVED_BEHIND = expression(rf"[^.,;:!?\n]{{0,20}}{_MOVED}")
_MOVED_TO = expression(rf"\s*(?:{words.MOVED_TO})\s*{_ARTICLES}")
_NTH = r"(?:st|nd|rd|th|er|e|[.ºª°])?"
# A number without its month beside one that has it: "3–7 December", "between the 3rd and the 7th of
# December"; "December 3–7", with the year of both.
_NUMBER_BEFORE = expression(
    rf"(?<![\w.,/:–-])(?P<number>\d{{1,2}}){_NTH}(?P<between>{_JOINED}|\s+(?:{words.AND}|{words.MOVED_TO})\s+{_ARTICLES})$"
)
_NUMBER_BEHIND = expression(
    rf"(?P<between>{_JOINED})(?P<number>\d{{1,2}}){_NTH}"
    rf"(?![\w:/]|[.,]\d| (?:{words.OF_THE_CLOCK})\b)"
    r"(?:,? (?P<year>20\d\d)\b)?"
)
# Several numbers of one month, before it or behind it: "7, 8 and 10 December", "December 7, 8 and 10".
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
# What is counted follows: "December 3 to 7 people".
_COUNTED = expression(r" ([^\W\d_]+)")
# The groups of the forms that hold what is named, without what leads to it.
_NAMING = (
    "after", "today", "tomorrow", "week", "this_week", "this_month", "next_month", "month_end", "week_end",
    "count", "weeks", "year", "name", "nth2", "one", "day", "in_month", "weekend", "nth3",
)  # fmt: skip
# A date comes round once a year.
_DATES = ("name", "nth2", "one", "year")
_YEARS = ("year", "in", "in2", "dotted_year", "slashed_year")


class Stretch(NamedTuple):
    """A day that a text names, or all from one to another, and where they stand in it.

    An end without a month of its own is the number of a day: it is of the other's month, or beside it.
    """

    first: Mention | int
    last: Mention | int | None
    """None of a day alone."""
    start: int
    end: int
    led: bool = False
    """It says where it begins: "from …", "between …"."""
    year: int | None = None
    number: int | None = None
    """The day is not the one that is named but this one of its month: "7, 8 and 10 December" are three."""
    moved: bool = False
    """Something was moved to it: where it was moved from is no part of it."""

    @property
    def mentions(self) -> Sequence[Mention]:
        """The ends that are more than a number, in order; there is at least one."""
        return [each for each in (self.first, self.last) if isinstance(each, Mention)]


@lru_cache(maxsize=16)
def stretches(folded: str) -> Sequence[Stretch]:
    """The days that a folded text names, in their order; "moved from Monday to Tuesday" names Tuesday."""
    return tuple(_stretches(folded))


def core_of(mention: Mention) -> int:
    """Where the name of a day begins, without what leads to it."""
    forms = [each for each in mention if each]
    return min(each.start(name) for each in forms for name in _NAMING if each[name])


def ends_of(stretch: Stretch, noon: datetime) -> tuple[datetime, datetime]:
    """The first and the last day, the same of a day alone.

    Dates without a year are those of what is not over yet; weekdays and numbers begin ahead. Raises
    ValueError or OverflowError for what names none, or ends before it begins.
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
    # What has begun is not over: of next year only what is.
    begin = begin.replace(year=year) if year else day_of(first, noon - (end - begin))
    return begin, _numbered(last, begin, earlier=False)


def _from_to(first: Mention, begin: datetime, last: Mention, noon: datetime) -> tuple[datetime, datetime]:
    """From `begin`, the day of `first` as it comes next, to the day of `last`. Raises as `ends_of`."""
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
    # A number in a list may have been read as one of the month that is on ("am 7., 8. und 10. Januar").
    others = (
        each for each in found if not any(one.start < each.end and each.start < one.end for one in listed)
    )
    return iter(sorted([*others, *listed], key=lambda each: each.start))


def _listed(one: Stretch, folded: str) -> Iterator[Stretch]:
    """The other days of a list of numbers, of the month of a date that stands before it or behind it."""
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
    # Whatever else is counted goes not up in order to the date: "flat 12 and 10 December".
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
    """The days of a mention, with the number of a day that stands beside it and has no month of its own.

    `before` is what was named before it, `following` where the next name of a day begins. The number may be
    what was named: then it is of that month.
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
    """All from the one to the other, where the words beside them say so; the other where it was moved."""
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
    """The number of a day that names no month, with its weekday or alone: "the 3rd", "Thursday 3"."""
    number = None if mention.beside else mention.match["nth3"] or mention.match["of"]
    return int(number) if number else None


def _is_date(mention: Mention) -> bool:
    return any(each[name] for each in mention if each for name in _DATES)


def _numbered(number: int, other: datetime, *, earlier: bool) -> datetime:
    """The day with this number in the month of another, or in the one before or behind. Raises ValueError."""
    if earlier and number > other.day:
        other = other.replace(day=1) - timedelta(days=1)
    elif not earlier and number < other.day:
        other = other.replace(day=1) + timedelta(days=32)
    return other.replace(day=number)


def _not_after(end: datetime, begin: datetime, first: Mention) -> datetime:
    """A date as it comes last by the end of a stretch. Raises ValueError where it says another year."""
    if begin <= end and (end - begin).days < 365:
        return begin
    if any(each[name] for each in first if each for name in _YEARS):
        raise ValueError("ends before it begins")
    for year in (end.year, end.year - 1):
        with suppress(ValueError):  # 29 February
            if (day := begin.replace(year=year)) <= end:
                return day
    raise ValueError("ends before it begins")
