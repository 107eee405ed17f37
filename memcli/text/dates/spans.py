"""Spans of time that a question names, and the question without them.

"What did Ann say in May 2023?" is about Ann, and about a span of time. Relative spans ("last week", "two days
ago") count from the instant of asking; "since Monday" and "before May" are open on one side.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta

from memcli.text.dates.calendar import DAYS, NUMBERS, WEEKDAYS, mentions_date, number_of_words
from memcli.text.dates.time_span import TimeSpan
from memcli.text.expressions import expression

# The start of open spans: a day inside the calendar's range, so that every time zone can be applied.
_BEGINNING = datetime(1, 1, 2, tzinfo=UTC)
_SINCE = expression(r"\W*(?:ever )?since\b", re.IGNORECASE)
_AFTER = expression(r"\W*after\b", re.IGNORECASE)
_BEFORE = expression(r"\W*(?:before|prior to|up until|up to|until|till)\b", re.IGNORECASE)
_RANGE = expression(r"\b(between|from)\s+(?=\S)", re.IGNORECASE)
_JOINED = expression(r"\s+(?:and|to|until|till|through)\s+", re.IGNORECASE)
# The most words of the beginning and of the end of a range: "the second weekend of May 2024"; "3 May 2024".
_LONGEST_BEGINNING, _LONGEST_END = 8, 3
# A distance from a date: "in the week before 3 May", "two days after Easter Monday", "the Sunday before".
_DISTANCE = expression(
    r"\b(?:(?:in|on|during|within|from)\s+)?"
    rf"(the|last|an?|a couple of|a few|\d{{1,3}}|{'|'.join(NUMBERS[1:13])})"
    rf"\s+(day|week|weekend|month|year|{'|'.join(WEEKDAYS)})s?\s+(before|prior to|after|following)\s+(?=\S)",
    re.IGNORECASE,
)

SpanReader = Callable[[re.Match[str], datetime], TimeSpan]


def cut_dates(question: str, now: datetime) -> tuple[str, list[TimeSpan]]:
    """Return the question without its dates, and the spans that they name."""
    if not mentions_date(question):
        return question, []
    # Imported here: the patterns take 10 ms to compile.
    from memcli.text.dates.forms import span_forms

    question, spans = _cut_ranges(question, now)
    question, away = _cut_distances(question, now)
    spans += away
    for pattern, read in span_forms():

        def take(match: re.Match[str], read: SpanReader = read) -> str:
            try:
                spans.append(_open_sided(match[0], read(match, now), now))
            except (ValueError, OverflowError):  # 31 February is no date
                return match[0]
            return " "

        question = pattern.sub(take, question)
    tidy = re.sub(r"\s+([?.!,])", r"\1", re.sub(r"\s{2,}", " ", question)).strip()
    return tidy, spans


def named_span(text: str, now: datetime) -> TimeSpan | None:
    """Return the span that is all a text names: "monday", "last week", "May 2024"; None if it says more."""
    for lead in ("", "in ", "since "):
        rest, spans = cut_dates(lead + text.strip(), now)
        if len(spans) == 1 and not rest.strip(" ."):
            [span] = spans
            if lead != "since ":
                return span
            # A bare weekday is only read after "since", which begins on it.
            return TimeSpan(span.start, span.start + timedelta(days=1))
    return None


def past_spans(spans: Sequence[TimeSpan], now: datetime) -> list[TimeSpan]:
    """Return the spans that have begun by `now`; those without a year at their latest occurrence."""
    return [each for each in (span.latest(now) for span in spans) if each.start <= now]


def lies_ahead(span: TimeSpan, now: datetime, *, past: bool) -> bool:
    """True if a span that a question names begins after `now`.

    A yearly span is the last one if the question is about the `past`, otherwise the nearest one.
    """
    last, coming = span.latest(now), span.coming(now)
    if not span.yearly or past:
        return last.start > now
    return coming.start > now and coming.start - now < now - last.end


def _open_sided(said: str, span: TimeSpan, now: datetime) -> TimeSpan:
    """Return the span that begins or ends with a given one, as the words before it say."""
    if _SINCE.match(said) or _AFTER.match(said):
        last = span.latest(now)
        start = last.start if _SINCE.match(said) else last.end
        # All of today is included, because memories of today are dated today.
        return TimeSpan(start, max(start, now) + timedelta(days=1))
    if _BEFORE.match(said):
        return TimeSpan(_BEGINNING, span.latest(now).start)
    return span


def _cut_ranges(question: str, now: datetime) -> tuple[str, list[TimeSpan]]:
    """Cut ranges out of a question ("between May and July", "from Monday to Wednesday").

    Return the rest of the question, and their spans.
    """
    spans: list[TimeSpan] = []
    place = 0
    while found := _RANGE.search(question, place):
        place = found.end()
        for joined in _JOINED.finditer(question, place):
            said = question[place : joined.start()]
            if len(said.split()) > _LONGEST_BEGINNING:
                break
            first = named_span(said, now)
            if first is None:
                continue
            for end, last in _named_from(question, joined.end(), now):
                if span := _between(first, last, now):
                    spans.append(span)
                    question = f"{question[: found.start()]} {question[end:]}"
                    place = found.start()
                    break
            break
    return question, spans


def _named_from(question: str, begin: int, now: datetime) -> Iterator[tuple[int, TimeSpan]]:
    """Yield the spans named by the words from a place on, with where each ends; the longest first."""
    words = list(re.finditer(r"[^\s,;?!]+", question[begin:]))[:_LONGEST_END]
    for word in reversed(words):
        if span := named_span(question[begin : begin + word.end()], now):
            yield begin + word.end(), span


def _cut_distances(question: str, now: datetime) -> tuple[str, list[TimeSpan]]:
    """Cut distances from a time out of a question ("the week before 3 May", "two days after Monday").

    Return the rest of the question, and the spans at that distance.
    """
    spans: list[TimeSpan] = []
    place = 0
    while found := _DISTANCE.search(question, place):
        place = found.end()
        for end, named in _named_from(question, found.end(), now):
            try:
                spans.append(_away_from(named.latest(now), found))
            except OverflowError:  # 900 years before 1 May 100
                continue
            question = f"{question[: found.start()]} {question[end:]}"
            place = found.start()
            break
    return question, spans


def _away_from(named: TimeSpan, found: re.Match[str]) -> TimeSpan:
    """Return the span at the distance from another that a match of `_DISTANCE` says."""
    count, unit, before = found[1].lower(), found[2].lower(), found[3].lower() in ("before", "prior to")
    if unit not in DAYS:
        first = WEEKDAYS.index("saturday" if unit == "weekend" else unit)
        long = 2 if unit == "weekend" else 1
        # From midnight on: the last such day that is over by then, or the first that comes.
        off = (named.start.weekday() - first) % 7 or 7 if before else (first - named.end.weekday()) % 7
        start = named.start - timedelta(days=max(off, long)) if before else named.end + timedelta(days=off)
        return TimeSpan(start, start + timedelta(days=long))
    length = timedelta(days=DAYS[unit])
    number = 1 if count in ("the", "last") else number_of_words(count)
    if number == 1:
        return (
            TimeSpan(named.start - length, named.start) if before else TimeSpan(named.end, named.end + length)
        )
    middle = named.start - number * length if before else named.end + (number - 1) * length
    return (
        TimeSpan(middle - length / 2, middle + length / 2)
        if unit != "day"
        else TimeSpan(middle, middle + length)
    )


def _between(first: TimeSpan, last: TimeSpan, now: datetime) -> TimeSpan | None:
    """Return the span from the beginning of one to the end of the other; None if it would be empty."""
    if first.yearly and not last.yearly:
        first = first.latest(last.end)
    last = last.latest(now)
    first = first.latest(last.end)
    return TimeSpan(first.start, last.end) if first.start < last.end else None
