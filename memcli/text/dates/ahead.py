"""The days ahead that a text names, from when it was said: "by Friday", "in 3 Tagen", "el 12 de mayo"."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from functools import cache
from typing import NamedTuple

from memcli.text.dates import ahead_words as words
from memcli.text.dates.calendar import SHORT_MONTHS
from memcli.text.expressions import expression
from memcli.text.quantities import calendar_words, number_words
from memcli.text.words import fold_case

# It tells what was: a weekday in it is the one before.
_TOLD = expression(r"\b(?:was|were|had|did|met|went|said|told|came|saw|got|made|\w{3,}ed)\b")
_OF_MANY = expression(rf"(?:\b|^)(?:{words.OF_MANY})\s*$")
_HABIT = expression(rf"\b(?:{words.EVERY})\b[^.!?;:\n]{{0,60}}$")
_ENGLISH_LEAD = expression(rf"(?:{words.ENGLISH_LEAD})\b")
_BY = expression(rf"\b(?:{words.BY})(?: (?:{words.BETWEEN}))*\s*$")
# The date above an entry, as in a journal or a summary: when the rest of its line was said.
_HEAD = expression(r"[\W_]{0,4}(20\d\d-\d\d-\d\d)(?![\d-])")
# What may lead to a day is looked for so far before it.
_BEFORE = 90
_FRIDAY, _SATURDAY = 4, 5
_MONTHS, _WHOLE_YEAR = 12, 4


class DayAhead(NamedTuple):
    """A day that a text names, at noon; `by`: something is to be done by then, as against on it."""

    at: datetime
    by: bool = False


def days_ahead(text: str, said: datetime, *, told_due: bool = False) -> list[DayAhead]:
    """The days that a text names, from when it was said.

    Of a text that is `told_due` a day alone is enough ("dentist Friday", "am 17. beim Amt"); of
    others only what leads to one says that it is ahead. A line that begins with a day
    which was not ahead then is an entry of that day.
    """
    found: list[DayAhead] = []
    entry = ""
    for line in text.splitlines():
        if head := _head_of(line, said):
            found += _days_of(entry, said, told_due)
            found += _days_of(line[head.end() :], _on_day(said, head[1]), told_due)
            entry = ""
        else:
            entry += f"{line}\n"
    return found + list(_days_of(entry, said, told_due))


def _head_of(line: str, said: datetime) -> re.Match[str] | None:
    head = _HEAD.match(line)
    if head is None:
        return None
    try:
        return head if _on_day(said, head[1]).date() <= said.astimezone().date() else None
    except ValueError:  # 2026-02-31
        return None


def _on_day(said: datetime, day: str) -> datetime:
    year, month, date = map(int, day.split("-"))
    return said.replace(year=year, month=month, day=date)


def _days_of(text: str, said: datetime, told_due: bool) -> Iterator[DayAhead]:
    folded = fold_case(text).replace("’", "'")
    if not _may_name_day(folded, told_due):
        return
    noon = said.replace(hour=12, minute=0, second=0, microsecond=0)
    told = _TOLD.search(folded) is not None
    for match in _days().finditer(folded):
        before = folded[max(0, match.start() - _BEFORE) : match.start()]
        how = match["how"] or ""
        if match["day"] and (_HABIT.search(before) or not (how or match["then"] or _alone(before, told_due))):
            continue
        # "On Monday we discussed it" tells of the Monday before.
        if told and how in ("on", "this"):
            continue
        if _is_alone(match) and not told_due:
            continue
        try:
            day = _day(match, noon)
        except (ValueError, OverflowError):  # the 31st of June
            continue
        # "Antes del 22" is led to within what matched.
        within = match["led"] or match[0].partition(match["nth3"] or " ")[0]
        led_within = match["led"] or _is_alone(match)
        by = _BY.search(f"{before}{how} ") or (led_within and _BY.search(f"{before}{within} "))
        yield DayAhead(day, by=bool(by))


def _alone(before: str, told_due: bool) -> bool:
    return told_due and _OF_MANY.search(before) is None


def _may_name_day(folded: str, told_due: bool) -> bool:
    """Whether it is worth looking closer: most texts name no day."""
    if not _cues().isdisjoint(re.findall(r"[a-z]+", folded)):
        return True
    return re.search(r"20\d\d-\d\d|\d[./]\d" + (r"|\d" if told_due else ""), folded) is not None


@cache
def _cues() -> frozenset[str]:
    return frozenset((*_named("d"), *_months(), *words.UNITS, *_FEIRA, *words.CUES.split()))


@cache
def _named(sort: str) -> dict[str, int]:
    """The names of weekdays (`d`) or months (`m`), without accents, and the number of each."""
    known = calendar_words().items()
    return {fold_case(name): int(value[1:]) for name, value in known if value[0] == sort}


@cache
def _months() -> dict[str, int]:
    return {**{name: number for number, name in enumerate(SHORT_MONTHS, start=1)}, **_named("m")}


# The Portuguese count their days from the second on, and leave "-feira" out where it is clear.
_FEIRA = {"segunda": 0, "terca": 1, "quarta": 2, "quinta": 3, "sexta": 4}


@cache
def _counts() -> dict[str, int]:
    counted = {fold_case(word): int(count) for word, count in number_words().items() if 0 < count < 20}
    return counted | dict.fromkeys(words.ONE.split(), 1)


@cache
def _days() -> re.Pattern[str]:
    def any_of(some: Iterable[object]) -> str:
        return "|".join(sorted(map(str, some), key=len, reverse=True))

    months, nth = any_of(_months()), r"(?:st|nd|rd|th|er|e|[.ºª°])?"
    months_nth = rf" ?(?:of |de |di |d')?(?:{months})\b"
    lead = rf"(?:{words.BY}|{words.ON})"
    between = f"(?: (?:{words.BETWEEN}))*"
    day = rf"{any_of(_named('d'))}|(?:{any_of(_FEIRA)})[- ]feira|(?<=(?:na|te|ta|ma) )(?:{any_of(_FEIRA)})"
    return re.compile(
        rf"\b(?:(?P<after>{words.AFTER_TOMORROW})|(?P<today>{words.TODAY})|(?P<tomorrow>{words.TOMORROW})"
        rf"|(?P<week>{words.NEXT_WEEK})|(?P<month_end>{words.MONTH_END})|(?P<week_end>{words.WEEK_END})"
        rf"|(?:{words.IN}) (?P<count>\d{{1,2}}|{any_of(_counts())}) (?P<unit>{any_of(words.UNITS)})\b"
        r"|(?P<year>20\d\d)-(?P<month>\d\d)-(?P<date>\d\d)"
        rf"|(?P<name>{months})\.? (?P<nth>\d{{1,2}})(?:st|nd|rd|th)?(?![\d:.]\d|\d)(?:,? (?P<in>20\d\d))?"
        rf"|(?P<nth2>\d{{1,2}}){nth} ?(?:of |de |di |d')?(?P<name2>{months})\b"
        r"\.?(?:,? ?(?:de |del |do )?(?P<in2>20\d\d))?"
        rf"|(?<![\d.,/])(?:(?P<led>{lead}|{words.NTH}){between} )?(?!24/7)(?P<one>\d{{1,2}})"
        r"(?:\.(?P<dotted>\d{1,2})\.(?P<dotted_year>(?: ?20)?\d\d)?(?!\.?\d)"
        r"|/(?P<slashed>\d{1,2})(?:/(?P<slashed_year>(?:20)?\d\d))?(?![/.]?\d|%))"
        rf"|(?:(?P<how>{lead}){between} )?(?P<day>{day})\b(?: (?P<then>{words.THEN}))?"
        r"(?! (?:mornings|afternoons|evenings|nights)\b)"
        rf"|(?:(?P<part>{words.MONTH_PART}) (?:(?:{words.IN_MONTH}) )*|(?:(?:{words.IN_MONTH}) )+)"
        rf"(?P<in_month>{any_of(_months())})\b(?! \d)"
        rf"|(?P<weekend>{words.WEEKEND})\b"
        rf"|(?:{words.NTH}) (?P<nth3>\d{{1,2}})(?!{nth}{months_nth}){nth}"
        r"(?=[\s,;!?)]|[.](?:\s|$)|$)(?! (?:h|uhr|uur|ore|km|kg|min|am|pm)\b))"
    )


def _day(match: re.Match[str], noon: datetime) -> datetime:  # noqa: PLR0911 - one return a form
    if match["today"]:
        return noon
    if match["tomorrow"] or match["after"]:
        return noon + timedelta(days=1 + (match["after"] is not None))
    if match["week"] or match["week_end"] or match["month_end"]:
        return _of_period(match, noon)
    if match["day"]:
        return _weekday(match, noon)
    if count := match["count"]:
        number = int(count) if count.isdigit() else _counts()[count]
        return noon + timedelta(days=number * words.UNITS[match["unit"]])
    if match["year"]:
        return noon.replace(year=int(match["year"]), month=int(match["month"]), day=int(match["date"]))
    if match["one"]:
        return _in_year(*_in_numbers(match), match["dotted_year"] or match["slashed_year"], noon)
    if _is_alone(match):
        return _day_alone(match, noon)
    month = _months()[match["name"] or match["name2"]]
    return _in_year(int(match["nth"] or match["nth2"]), month, match["in"] or match["in2"], noon)


def _of_period(match: re.Match[str], noon: datetime) -> datetime:
    """The beginning of next week, the end of this one, or of the month."""
    if match["week"]:
        return noon + timedelta(days=7 - noon.weekday())
    if match["week_end"]:
        return noon + timedelta(days=(_FRIDAY - noon.weekday()) % 7)
    return noon.replace(day=monthrange(noon.year, noon.month)[1])


def _weekday(match: re.Match[str], noon: datetime) -> datetime:
    """The next day of that name. Said on a Monday, "on Monday" is today, and "next Monday" is not."""
    weekday = {**_named("d"), **_FEIRA}[re.split("[- ]", match["day"])[0]]
    is_today = not match["then"] and (match["how"] or "") in ("", "on", "this", "by", "until", "due")
    return noon + timedelta(days=(weekday - noon.weekday()) % 7 or (0 if is_today else 7))


def _in_year(day: int, month: int, year: str | None, noon: datetime) -> datetime:
    """A day of a year that is named, or of the next that has it still ahead. Raises ValueError."""
    if year:
        return noon.replace(year=2000 + int(year) % 100, month=month, day=day)
    this_year = noon.replace(month=month, day=day)
    return this_year if this_year >= noon - timedelta(days=1) else this_year.replace(year=noon.year + 1)


def _in_numbers(match: re.Match[str]) -> tuple[int, int]:
    """Day and month of "30.11." or "30/11", the day first but where only the month can be.

    Raises ValueError for what may be either: who writes "by 3/4" in English means March or April.
    """
    one, other = int(match["one"]), int(match["dotted"] or match["slashed"])
    if match["dotted"] or one > _MONTHS:
        return one, other
    if other > _MONTHS:
        return other, one
    if match["led"] and not _ENGLISH_LEAD.match(match["led"]):
        return one, other
    raise ValueError(f"{match[0]} may be two days")


def _is_alone(match: re.Match[str]) -> bool:
    """Whether only numbers, a month or the weekend are named, which may be of any time, or no time at all."""
    unled = match["one"] and not match["led"] and len(match["dotted_year"] or "") < _WHOLE_YEAR
    return bool(unled or match["nth3"] or match["in_month"] or match["weekend"])


def _day_alone(match: re.Match[str], noon: datetime) -> datetime:
    if match["nth3"]:
        return _next_nth(int(match["nth3"]), noon)
    if match["in_month"]:
        return _in_month(_months()[match["in_month"]], match["part"] or "", noon)
    return noon + timedelta(days=(_SATURDAY - noon.weekday()) % 7)


def _in_month(month: int, part: str, noon: datetime) -> datetime:
    """The first day of the next such month, its middle or its end; of this one the end."""
    first = noon.replace(year=noon.year + (month < noon.month), month=month, day=1)
    last = monthrange(first.year, month)[1]
    if re.fullmatch(words.MID, part):
        return first.replace(day=15)
    return first.replace(day=last) if part or month == noon.month else first


def _next_nth(nth: int, noon: datetime) -> datetime:
    """The next day with this number in its month, today among them. Raises ValueError."""
    if nth >= noon.day:
        return noon.replace(day=nth)
    later = noon.replace(day=1) + timedelta(days=32)
    return later.replace(day=nth)
