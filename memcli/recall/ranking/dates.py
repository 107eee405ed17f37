"""Dates in a question: taken out of what is searched for, and turned into a preference.

"What did Ann say in May 2023?" is about Ann, and about a span of time.
Relative ones ("last week", "two days ago") count from the instant of asking.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import NamedTuple

_MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_NUMBERS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

_MAY_NAME_A_DATE = re.compile(
    r"\d|day|night|week|month|year|\b(?:ago|morning|evening|afternoon|jan|feb|mar|apr|may|june|july"
    r"|aug|sep|oct|nov|dec)",
    re.IGNORECASE,
)
_LEAD_IN = r"(?:(?:on|of|in|by|around|since|during|early|late|mid|the)\s+)*"
_MONTH = rf"(?:{'|'.join(_MONTHS)})"
_ANY_MONTH = rf"(?:{'|'.join(_MONTHS)}|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.?"
_YEAR = r"((?:19|20)\d\d)"
_NTH = r"(\d{1,2})(?:st|nd|rd|th)?"
_COUNT = rf"(\d{{1,3}}|an?|a couple of|a few|{'|'.join(_NUMBERS)})"

# People tell what happened after it happened: a statement is the likelier, the sooner
# after the span it was made. Days in which the preference falls to 1/e.
_AFTERWARDS = 7.0
_BEFOREHAND = 2.0


class Span(NamedTuple):
    """From `start` up to, not including, `end`.

    A yearly one comes round every year; outside a sharp one nothing counts.
    `sure` (0 to 1) is what a match is worth.
    """

    start: datetime
    end: datetime
    yearly: bool = False
    sharp: bool = False
    sure: float = 1.0


def cut_dates(question: str, now: datetime) -> tuple[str, list[Span]]:
    """The question without its dates, and the spans that they name."""
    spans: list[Span] = []
    if not _MAY_NAME_A_DATE.search(question):
        return question, spans
    for pattern, to_span in _patterns():

        def take(match: re.Match[str], to_span: _ToSpan = to_span) -> str:
            try:
                spans.append(to_span(match, now))
            except (ValueError, OverflowError):  # 31 February is no date
                return match[0]
            return " "

        question = pattern.sub(take, question)
    tidy = re.sub(r"\s+([?.!,])", r"\1", re.sub(r"\s{2,}", " ", question)).strip()
    return tidy, spans


def date_match(when: datetime, spans: Sequence[Span]) -> float:
    """How well an instant fits the best of the spans, 0 to 1: 1 inside, less outside by days."""
    best = 0.0
    for span in spans:
        if span.sharp and not span.start <= when < span.end:
            continue
        off = _days_outside(when, span)
        decay = _AFTERWARDS if off > 0 else _BEFOREHAND
        best = max(best, span.sure * math.exp(-abs(off) / decay))
    return best


_ToSpan = Callable[[re.Match[str], datetime], Span]


def _days_outside(when: datetime, span: Span) -> float:
    """Days by which `when` lies after (> 0) or before (< 0) the span; 0 inside."""
    offsets = []
    for year in (when.year - 1, when.year, when.year + 1) if span.yearly else (span.start.year,):
        try:
            start = span.start.replace(year=year)
        except ValueError:  # 29 February
            continue
        end = start + (span.end - span.start)
        if start <= when < end:
            return 0.0
        gap = when - end if when >= end else when - start
        offsets.append(gap / timedelta(days=1))
    return min(offsets, key=abs, default=math.inf)


def _month_number(name: str) -> int:
    return next(n for n, month in enumerate(_MONTHS, 1) if month.startswith(name.lower()[:3]))


def _day(year: str | None, month: int, day: str) -> Span:
    # 2024 had a 29 February, so that a yearly one can be told from a wrong date.
    start = datetime(int(year or 2024), month, int(day), tzinfo=UTC)
    return Span(start, start + timedelta(days=1), yearly=year is None)


def _whole_month(year: str | None, month: int) -> Span:
    start = datetime(int(year or 2024), month, 1, tzinfo=UTC)
    return Span(start, (start + timedelta(days=31)).replace(day=1), yearly=year is None)


def _whole_year(year: int) -> Span:
    return Span(datetime(year, 1, 1, tzinfo=UTC), datetime(year + 1, 1, 1, tzinfo=UTC))


def _iso(match: re.Match[str], now: datetime) -> Span:
    return _day(match[1], int(match[2]), match[3]) if match[3] else _whole_month(match[1], int(match[2]))


def _midnight(now: datetime) -> datetime:
    return now.astimezone().replace(hour=0, minute=0, second=0, microsecond=0)


def _named_day(match: re.Match[str], now: datetime) -> Span:
    back = {"yesterday": 1, "today": 0, "tonight": 0, "this": 0}[match[1].lower().split()[0]]
    start = _midnight(now) - timedelta(days=back)
    return Span(start, start + timedelta(days=1))


def _last(match: re.Match[str], now: datetime) -> Span:
    which, unit = match[1].lower(), match[2].lower()
    today = _midnight(now)
    back = 0 if which == "this" else 1
    if unit in _DAYS:
        days = (today.weekday() - _DAYS.index(unit)) % 7 or 7
        start = today - timedelta(days=days)
        return Span(start, start + timedelta(days=1))
    if unit == "night":
        return Span(today - timedelta(days=back), today - timedelta(days=back - 1))
    if unit in ("week", "weekend"):
        start = today - timedelta(days=today.weekday() + 7 * back)
        return Span(start + timedelta(days=5) if unit == "weekend" else start, start + timedelta(days=7))
    if unit == "month":
        first = today.replace(day=1)
        start = (first - timedelta(days=1)).replace(day=1) if back else first
        return _whole_month(str(start.year), start.month)
    return _whole_year(today.year - back)


def _ago(match: re.Match[str], now: datetime) -> Span:
    count, unit = match[1].lower(), match[2].lower()
    number = {"a": 1, "an": 1, "a couple of": 2, "a few": 3}.get(count) or (
        _NUMBERS.index(count) + 1 if count in _NUMBERS else int(count)
    )
    length = timedelta(days={"day": 1, "week": 7, "month": 30, "year": 365}[unit])
    middle = _midnight(now) - number * length
    return Span(middle - length / 2, middle + length / 2 + timedelta(days=1))


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], _ToSpan], ...]:
    """Most specific first: what one has taken, the next does not see. Compiled where needed: 10 ms."""
    return (
        (
            _compiled(rf"\b{_LEAD_IN}{_NTH}\s+(?:of\s+)?({_ANY_MONTH})(?:,?\s+{_YEAR})?\b"),
            lambda match, now: _day(match[3], _month_number(match[2]), match[1]),
        ),
        (
            _compiled(rf"\b{_LEAD_IN}({_ANY_MONTH})\s+{_NTH}(?:,?\s+{_YEAR})?\b(?!\d)"),
            lambda match, now: _day(match[3], _month_number(match[1]), match[2]),
        ),
        (
            _compiled(rf"\b{_LEAD_IN}(?:month\s+)?({_ANY_MONTH}),?\s+(?:of\s+)?{_YEAR}\b"),
            lambda match, now: _whole_month(match[2], _month_number(match[1])),
        ),
        (_compiled(rf"\b(?:(?:on|in)\s+)?{_YEAR}-(\d\d)(?:-(\d\d))?\b"), _iso),
        (
            _compiled(rf"\b(?:in|during|since|by|of|early|late|mid|last|this)\s+({_MONTH})\b"),
            lambda match, now: _whole_month(None, _month_number(match[1])),
        ),
        (
            _compiled(
                rf"\b(?:in|during|since|by|of|year|(?:the\s+)?(?:summer|winter|spring|fall|autumn)(?:\s+of)?)\s+{_YEAR}\b"
            ),
            lambda match, now: _whole_year(int(match[1])),
        ),
        (_compiled(r"\b(yesterday|today|tonight|this (?:morning|afternoon|evening))\b"), _named_day),
        (_compiled(rf"\b(last|this) (night|week(?:end)?|month|year|{'|'.join(_DAYS)})\b"), _last),
        (_compiled(rf"\b{_COUNT}\s+(day|week|month|year)s? ago\b"), _ago),
    )
