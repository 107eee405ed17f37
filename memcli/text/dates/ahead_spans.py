"""Spans ahead that a question names, by the forms in which texts name days."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime, timedelta

from memcli.named_tuple import NamedTuple
from memcli.text.dates import ahead_words as words
from memcli.text.dates.ahead_forms import Mention, any_of, counts, may_name_day, mentions
from memcli.text.dates.ahead_names import with_days_named
from memcli.text.dates.ahead_reading import is_exact, is_next, last_before
from memcli.text.dates.ahead_stretches import Stretch, core_of, ends_of, stretches
from memcli.text.dates.time_span import TimeSpan
from memcli.text.expressions import expression
from memcli.times import zoned

_DAY, _WEEK, _NOON = timedelta(days=1), timedelta(days=7), timedelta(hours=12)
# "By Friday" includes that day, "before Friday" does not.
_UNTIL = expression(rf"\b(?:{words.UP_TO})(?: (?:{words.BETWEEN}))*\s*$")
_BEFORE = expression(rf"\b(?:{words.BEFORE})(?: (?:{words.BETWEEN}))*\s*$")
# "After Friday" excludes that day, "from Friday on" includes it.
_AFTER = expression(rf"\b(?:{words.AFTER})(?: (?:{words.BETWEEN}))*\s*$")
_AFTER_IN_DUTCH = expression(rf"\b{words.AFTER_IN_DUTCH}(?: (?:{words.BETWEEN}))*\s*$")
_IN_DUTCH = expression(rf"(?:{words.IN_DUTCH})")
_ONWARDS = expression(rf"\b(?:{words.ONWARDS})(?: (?:{words.BETWEEN}))*\s*$")
_FROM = expression(rf"\b(?:{words.FROM})(?: (?:{words.BETWEEN}))*\s*$")
_ONWARDS_BEHIND = expression(rf"\s*\b(?:{words.ONWARDS_BEHIND})\b")
# An open span ends here: nobody notes anything further ahead.
_FAR = timedelta(days=50 * 366)
_WITHIN = expression(rf"(?:{words.WITHIN})\b")
# What may stand before the name of a day and adds nothing: "am Freitag", "the end of the month".
_LEADING = expression(rf"(?:\b(?:{words.ON}|{words.BETWEEN})\b|[^\w-])*")


class _Named(NamedTuple):
    """Days that a question names, first and last, and where they stand in it."""

    first: datetime
    last: datetime
    start: int
    end: int
    is_open: bool = False
    """True if all time from the first day on is meant."""


def time_ahead(now: datetime) -> TimeSpan:
    """Return the span from the day of `now` on."""
    today = zoned(now).replace(hour=12, minute=0, second=0, microsecond=0)
    return TimeSpan(_midnight(today), _midnight(today + _FAR))


def spans_ahead(folded: str, now: datetime) -> tuple[str, list[TimeSpan]]:
    """Return a folded question without the days ahead that it names, asked at `now`, and their spans.

    A bare weekday is the next one, as in a text said at `now`. A date that may be two days is ignored, and so
    are all days if the calendar ends beside one (years 1 and 9999).
    """
    folded = with_days_named(folded)
    if not may_name_day(folded, told_due=True):
        return folded, []
    try:
        found, rest = _found(folded, zoned(now).replace(hour=12, minute=0, second=0, microsecond=0))
        return rest, _spans(found)
    except (OverflowError, ValueError):
        return folded, []


def span_named(text: str, now: datetime, *, ahead: bool) -> TimeSpan | None:
    """Return the span that a text names, if it says nothing else: "next friday", "am 5. Mai", "fin de mes".

    A bare weekday, and a day or month without a year, is the last one, or with `ahead` the next. "By Friday"
    means all time up to it only with `ahead`.
    """
    noon = zoned(now).replace(hour=12, minute=0, second=0, microsecond=0)
    for lead in ("", "in "):
        folded = with_days_named(lead + text.strip())
        found, rest = _found(folded, noon)
        if len(found) == 1 and not found[0].is_open and _LEADING.fullmatch(rest):
            [span] = _spans(found)
            return span if ahead else _gone_by(mentions(folded), span, now)
    return None


def _gone_by(named: Sequence[Mention], span: TimeSpan, now: datetime) -> TimeSpan | None:
    """Return a span at its last occurrence if its name does not say which; None if it may be any."""
    if len(named) != 1:
        return None
    match = named[0].match
    if is_exact(named[0]):
        return span
    if match["day"]:
        ahead = match["then"] or is_next(match)
        week_ago = TimeSpan(_midnight(span.start - _WEEK + _NOON), _midnight(span.end - _WEEK + _NOON))
        return span if ahead or span.end <= now else week_ago
    of_year = match["in"] or match["in2"] or match["dotted_year"] or match["slashed_year"]
    yearly = not of_year and any(match[name] for name in ("name", "nth2", "one", "in_month"))
    # "The 17th" may be of any month.
    return None if match["nth3"] else span._replace(yearly=yearly).latest(now)


def _midnight(day: datetime) -> datetime:
    return zoned(day.replace(hour=0, tzinfo=None))


def _found(folded: str, noon: datetime) -> tuple[list[_Named], str]:
    """Return what a folded text names, and the rest of the text."""
    found, rest = list(_rolling(folded, noon)) or _named(folded, noon), folded
    for each in reversed(found):
        rest = f"{rest[: each.start]} {rest[each.end :]}"
    return found, rest


def _spans(found: Sequence[_Named]) -> list[TimeSpan]:
    return [TimeSpan(_midnight(each.first), _midnight(each.last + _DAY)) for each in found]


def _named(folded: str, noon: datetime) -> list[_Named]:
    found: list[_Named] = []
    for stretch in stretches(folded):
        with suppress(ValueError, OverflowError):  # the 31st of June, or 3/4
            found.append(_read(stretch, folded, noon))
    return found


def _read(stretch: Stretch, folded: str, noon: datetime) -> _Named:
    """Return the days of one stretch. Raises ValueError or OverflowError if there are no such days."""
    first, last = ends_of(stretch, noon)
    mention = stretch.first
    if stretch.last is not None or isinstance(mention, int):
        first = first if isinstance(mention, int) else _days(mention, first, noon)[0]
        last = _days(stretch.last, last, noon)[1] if isinstance(stretch.last, Mention) else last
        return _Named(first, last, stretch.start, stretch.end)
    first, last = _days(mention, first, noon)
    core = core_of(mention)
    if until := _UNTIL.search(folded, 0, core):
        last = last_before(mention, first) if _BEFORE.search(folded, 0, core) else last
        return _Named(noon, max(last, noon), min(stretch.start, until.start()), stretch.end)
    if after := _after(folded, core):
        begins = last + _DAY
        return _Named(begins, begins + _FAR, min(stretch.start, after.start()), stretch.end, is_open=True)
    if onwards := _ONWARDS.search(folded, 0, core):
        return _Named(first, first + _FAR, min(stretch.start, onwards.start()), stretch.end, is_open=True)
    leads, behind = _FROM.search(folded, 0, core), _ONWARDS_BEHIND.match(folded, stretch.end)
    if leads and behind:
        return _Named(first, first + _FAR, min(stretch.start, leads.start()), behind.end(), is_open=True)
    return _Named(first, last, stretch.start, stretch.end)


def _after(folded: str, core: int) -> re.Match[str] | None:
    """Return the match before a day that says "after" it; None without one."""
    if after := _AFTER.search(folded, 0, core):
        return after
    return _AFTER_IN_DUTCH.search(folded, 0, core) if _IN_DUTCH.match(folded, core) else None


def _days(mention: Mention, day: datetime, noon: datetime) -> tuple[datetime, datetime]:
    """Return the first and last day of a mention: the `day`, or the week, weekend or month around it."""
    match = mention.match
    if mention.beside:
        return day, day
    in_weeks = match["count"] and words.COUNTED[match["unit"]] == _WEEK.days
    days = (day, day)
    if match["count"] and _WITHIN.match(match[0]):
        days = (noon, day)
    elif match["week"] or match["this_week"] or in_weeks:
        monday = day - day.weekday() * _DAY
        days = (monday, monday + _WEEK - _DAY)
    elif match["weekend"]:
        days = (day, day + _DAY)
    elif match["this_month"] or match["next_month"] or (match["in_month"] and not match["part"]):
        days = (day.replace(day=1), day.replace(day=monthrange(day.year, day.month)[1]))
    return days


def _rolling(folded: str, noon: datetime) -> Iterator[_Named]:
    """Yield spans that begin today: "the next 3 days", "les deux prochaines semaines"."""
    number = rf"\d{{1,2}}|{any_of(counts())}"
    form = (
        rf"\b(?:(?:{words.NEXT}) (?P<behind>{number})|(?P<before>{number}) (?:{words.NEXT_AFTER_COUNT}))"
        rf" (?P<unit>{any_of(words.COUNTED)})\b"
    )
    for match in re.finditer(form, folded):
        count = match["behind"] or match["before"]
        number_of = int(count) if count.isdecimal() else counts()[count]
        last = noon + number_of * words.COUNTED[match["unit"]] * _DAY
        yield _Named(noon, last, match.start(), match.end())
