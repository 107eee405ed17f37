"""Forms in which an English question names a span of time, each with the function that computes the span."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING

from memcli.text.dates.calendar import (
    ANY_MONTH,
    COUNTS,
    DAYS,
    MONTH_PATTERN,
    NUMBERS,
    SEASONS,
    WEEKDAY_PATTERN,
    WEEKDAYS,
    month_number,
    number_of_words,
    weekday_number,
)
from memcli.text.dates.time_span import TimeSpan
from memcli.text.expressions import expression
from memcli.times import local, zoned

if TYPE_CHECKING:
    from memcli.text.dates.spans import SpanReader

_OPENING = r"ever since|since|after|before|prior to|up until|up to|until|till"
_PLACING = r"back in|as of|on|of|in|at|by|around|during|over|within|throughout"
_PART = r"early|late|mid|(?:beginning|start|middle|end)\s+of"
_LEAD_IN = rf"(?:(?:{_OPENING}|{_PLACING}|{_PART}|the|this|earlier)[\s-]+)*"
_ANY_MONTH = rf"(?:{ANY_MONTH})\.?"
_YEAR = r"((?:19|20)\d\d)"
_NTH = r"(\d{1,2})(?:st|nd|rd|th)?"
_COUNT = rf"(\d{{1,3}}|{'|'.join((*COUNTS, *NUMBERS[1:13]))})"
_UNIT = r"(minute|hour|day|week|month|year)"
_SEASON = "|".join(SEASONS)
_PAST = expression(
    # Except "what do I have on Thursday?", which asks about the future.
    r"\b(?:did|was|were|had|has"
    r"|(?<!\bdo i )(?<!\bdo we )(?<!what i )(?<!what we )have(?! i got)(?! we got)"
    r"|happened|went|said|told|came|saw|(?<!have i )(?<!have we )got|made|met|bought|wrote|\w{3,}ed)\b",
    re.IGNORECASE,
)
_LENGTHS = {
    "minute": timedelta(minutes=1), "hour": timedelta(hours=1),
    **{name: timedelta(days=days) for name, days in DAYS.items()},
}  # fmt: skip


@cache
def span_forms() -> tuple[tuple[re.Pattern[str], SpanReader], ...]:
    """Return patterns with readers of their matches, the most specific first; each removes its matches.

    A reader raises ValueError, or OverflowError, if a match is no date after all.
    """
    return (
        (
            _compiled(rf"{_NTH}\s+(?:of\s+)?({_ANY_MONTH})(?:,?\s+{_YEAR})?\b"),
            lambda match, now: _day(match[3], month_number(match[2]), match[1]),
        ),
        (
            _compiled(rf"({_ANY_MONTH})\s+{_NTH}(?:,?\s+{_YEAR})?\b(?!\d)"),
            lambda match, now: _day(match[3], month_number(match[1]), match[2]),
        ),
        (
            _compiled(rf"(?:month\s+)?({_ANY_MONTH}),?\s+(?:of\s+)?(?:{_YEAR}|(last|this)\s+year)\b"),
            lambda match, now: _whole_month(match[2] or _year(match[3], now), month_number(match[1])),
        ),
        (
            _compiled(rf"(last|this)\s+year,?\s+in\s+({_ANY_MONTH})\b"),
            lambda match, now: _whole_month(_year(match[1], now), month_number(match[2])),
        ),
        (_compiled(rf"{_YEAR}-(\d\d)(?:-(\d\d))?\b"), _iso),
        (_compiled(rf"Q([1-4])(?:\s+(?:of\s+)?{_YEAR})?\b"), _quarter),
        (
            _compiled(rf"(?:{_PLACING}|{_OPENING}|{_PART}|last|this)[\s-]+({MONTH_PATTERN})\b"),
            lambda match, now: _whole_month(None, month_number(match[1])),
        ),
        (
            _compiled(rf"(?:in|during|{_OPENING}|last)\s+({_ANY_MONTH})(?!\w)"),
            lambda match, now: _whole_month(None, month_number(match[1])),
        ),
        (
            _compiled(rf"(?:{_PLACING}|{_OPENING}|{_PART}|year|(?:{_SEASON})(?:\s+of)?)[\s-]+{_YEAR}\b"),
            lambda match, now: _whole_year(int(match[1])),
        ),
        (_compiled(rf"(?:in|during|{_OPENING})\s+the\s+((?:19|20)\d)0s\b"), _decade),
        (
            _compiled(
                r"(day before yesterday|yesterday|today|tonight|this (?:morning|afternoon|evening))"
                r"(?:\s+(?:morning|afternoon|evening|night))?\b"
            ),
            _named_day,
        ),
        (_compiled(rf"(?:last|past|previous)\s+(?:{_COUNT}|few)\s+{_UNIT}s?\b"), _rolling),
        (_compiled(rf"(?:over|in|within|during)\s+the\s+(?:last|past)\s+()({_UNIT})\b"), _rolling),
        (_compiled(r"(week|month|year) before last\b"), lambda match, now: _calendar_unit(match[1], 2, now)),
        (
            _compiled(
                rf"(last|this|past|previous)\s+(night|week(?:end)?|month|year|{WEEKDAY_PATTERN}|{_SEASON})\b"
            ),
            _last,
        ),
        (_compiled(rf"(?:in|during|{_OPENING})\s+(?:the\s+)?({_SEASON})\b"), lambda m, now: _season(m[1])),
        (_compiled(rf"{_COUNT}\s+{_UNIT}s? ago\b"), _ago),
        (_compiled(rf"({WEEKDAY_PATTERN})\b(?!\s+\w+(?:ing|s)\b)"), _weekday),
    )


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"\b{_LEAD_IN}{pattern}", re.IGNORECASE)


def _midnight(now: datetime) -> datetime:
    return local(now).replace(hour=0, minute=0, second=0, microsecond=0)


def _local_day(year: int, month_of_year: int, day: int = 1) -> datetime:
    return zoned(datetime(year, month_of_year, day))  # noqa: DTZ001 - local midnight


# A leap year, so that 29 February without a year is not taken for an invalid date.
_ANY_YEAR = 2024


def _day(year: str | None, month_of_year: int, day: str) -> TimeSpan:
    start = _local_day(int(year or _ANY_YEAR), month_of_year, int(day))
    return TimeSpan(start, start + timedelta(days=1), yearly=year is None)


def _months(year: int, month_of_year: int, count: int, *, yearly: bool) -> TimeSpan:
    last = month_of_year - 1 + count
    start, end = _local_day(year, month_of_year), _local_day(year + last // 12, last % 12 + 1)
    return TimeSpan(start, end, yearly=yearly)


def _whole_month(year: str | None, month_of_year: int) -> TimeSpan:
    return _months(int(year or _ANY_YEAR), month_of_year, 1, yearly=year is None)


def _whole_year(year: int) -> TimeSpan:
    return _months(year, 1, 12, yearly=False)


def _season(name: str) -> TimeSpan:
    return _months(_ANY_YEAR, SEASONS[name.lower()], 3, yearly=True)


def _quarter(match: re.Match[str], now: datetime) -> TimeSpan:
    return _months(int(match[2] or _ANY_YEAR), 3 * int(match[1]) - 2, 3, yearly=match[2] is None)


def _decade(match: re.Match[str], now: datetime) -> TimeSpan:
    return _months(int(match[1]) * 10, 1, 120, yearly=False)


def _year(which: str, now: datetime) -> str:
    return str(local(now).year - (which.lower() == "last"))


def _iso(match: re.Match[str], now: datetime) -> TimeSpan:
    return _day(match[1], int(match[2]), match[3]) if match[3] else _whole_month(match[1], int(match[2]))


def _named_day(match: re.Match[str], now: datetime) -> TimeSpan:
    back = {"day": 2, "yesterday": 1, "today": 0, "tonight": 0, "this": 0}[match[1].lower().split()[0]]
    start = _midnight(now) - timedelta(days=back)
    return TimeSpan(start, start + timedelta(days=1))


def _last(match: re.Match[str], now: datetime) -> TimeSpan:
    which, unit = match[1].lower(), match[2].lower()
    today, back = _midnight(now), 0 if which == "this" else 1
    if unit in WEEKDAYS:
        if not back and not _PAST.search(match.string[: match.start()]):
            raise ValueError(match[0])
        return _past_weekday(unit, now)
    if unit in SEASONS:
        return _season(unit)
    if unit == "night":
        return TimeSpan(today - timedelta(days=back), today - timedelta(days=back - 1))
    return _calendar_unit(unit, back, now)


def _calendar_unit(unit: str, back: int, now: datetime) -> TimeSpan:
    """Return the week, weekend, month or year so many units back; 0 is the current one."""
    today = _midnight(now)
    if unit.lower().startswith("week"):
        start = today - timedelta(days=today.weekday() + 7 * back)
        days = 5 if unit.lower() == "weekend" else 0
        return TimeSpan(start + timedelta(days=days), start + timedelta(days=7))
    if unit.lower() == "month":
        whole = today.year * 12 + today.month - 1 - back
        return _months(whole // 12, whole % 12 + 1, 1, yearly=False)
    return _whole_year(today.year - back)


def _ago(match: re.Match[str], now: datetime) -> TimeSpan:
    length = _LENGTHS[match[2].lower()]
    if length < timedelta(days=1):
        middle = now - number_of_words(match[1]) * length
        return TimeSpan(middle - length / 2, middle + length / 2)
    middle = _midnight(now) - number_of_words(match[1]) * length
    if "since" in match[0].lower():
        return TimeSpan(middle, middle + timedelta(days=1))
    return TimeSpan(middle - length / 2, middle + length / 2 + timedelta(days=1))


def _rolling(match: re.Match[str], now: datetime) -> TimeSpan:
    """Return the span of that length up to now: whole days, except for hours and minutes."""
    length = (
        number_of_words(match[1] or ("a few" if "few" in match[0].lower() else "a"))
        * _LENGTHS[match[2].lower()]
    )
    start = now - length
    if _LENGTHS[match[2].lower()] >= timedelta(days=1):
        start = _midnight(now) - length
    return TimeSpan(start, now + timedelta(minutes=1))


def _past_weekday(name: str, now: datetime) -> TimeSpan:
    """Return the last such weekday before today."""
    today = _midnight(now)
    start = today - timedelta(days=(today.weekday() - weekday_number(name)) % 7 or 7)
    return TimeSpan(start, start + timedelta(days=1))


def _weekday(match: re.Match[str], now: datetime) -> TimeSpan:
    """Return the last such weekday, if the question is about the past or "since" it, or raise ValueError.

    "May I deploy on Friday?" is about any Friday, and names no date.
    """
    said, before = match[0].lower(), match.string[: match.start()]
    since = re.match(r"\W*(?:ever )?since\b", said)
    after = match.string[match.end() :]
    told = _PAST.search(before) and (said != match[1].lower() or not re.search(r"\w", after))
    if not (since or told):
        raise ValueError(said)
    span = _past_weekday(match[1], now)
    today = span.start + timedelta(days=7)
    # Said on a Monday, "since Monday" is since this morning.
    return TimeSpan(today, today + timedelta(days=1)) if since and today <= now else span
