"""The spans of time ahead that a question names, by the forms in which texts name days."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from memcli.text.dates import ahead_words as words
from memcli.text.dates.ahead_forms import Mention, any_of, counts, may_name_day, mentions
from memcli.text.dates.ahead_reading import day_of, is_exact, is_next, last_before
from memcli.text.dates.time_span import TimeSpan
from memcli.text.expressions import expression
from memcli.text.words import fold_case
from memcli.times import zoned

_DAY, _WEEK, _NOON = timedelta(days=1), timedelta(days=7), timedelta(hours=12)
_SUNDAY = 6
# "By Friday" asks for all up to it, "before Friday" not for what is on it, "from Monday to Wednesday" and
# "between …" for what lies between.
_UNTIL = expression(rf"\b(?:{words.UNTIL})(?: (?:{words.BETWEEN}))*\s*$")
_BEFORE = expression(rf"\b(?:{words.BEFORE})(?: (?:{words.BETWEEN}))*\s*$")
_TO = expression(rf"\s*(?:{words.TO})\s*(?:(?:{words.BETWEEN})\s+)*")
_AND = expression(rf"\s*(?:{words.AND})\s*(?:(?:{words.BETWEEN})\s+)*")
_FROM = expression(rf"\b(?:{words.FROM})(?: (?:{words.BETWEEN}))*\s*$")
_WITHIN = expression(rf"(?:{words.WITHIN})\b")
# What may stand before the name of a day without saying more: "am Freitag", "the end of the month".
_LEADING = expression(rf"(?:\b(?:{words.ON}|{words.BETWEEN})\b|[^\w-])*")
# The groups of the forms that hold what is named, without what leads to it.
_NAMING = (
    "after", "today", "tomorrow", "week", "this_week", "this_month", "next_month", "month_end", "week_end",
    "count", "weeks", "year", "name", "nth2", "one", "day", "in_month", "weekend", "nth3",
)  # fmt: skip


class _Named(NamedTuple):
    """Days that a question names, from the first to the last, and where they stand in it."""

    first: datetime
    last: datetime
    start: int
    end: int
    until: bool = False
    """All up to them is asked for."""


def spans_ahead(folded: str, now: datetime) -> tuple[str, list[TimeSpan]]:
    """A folded question without the days that it names as ahead when asked `now`, and these.

    A weekday alone is the next one, as in a text that is told `now`. What may be two days is none.
    """
    if not may_name_day(folded, told_due=True):
        return folded, []
    found, rest = _found(folded, zoned(now).replace(hour=12, minute=0, second=0, microsecond=0))
    return rest, _spans(found)


def span_named(text: str, now: datetime, *, ahead: bool) -> TimeSpan | None:
    """The span that a text is the name of, and says nothing else: "next friday", "am 5. Mai", "fin de mes".

    A weekday that does not say which, and a day or a month without its year, is the last one, or with
    `ahead` the next. All up to a day is named by "by Friday" only `ahead`.
    """
    noon = zoned(now).replace(hour=12, minute=0, second=0, microsecond=0)
    for lead in ("", "in "):
        folded = fold_case(lead + text.strip()).replace("’", "'")
        found, rest = _found(folded, noon)
        if len(found) == 1 and _LEADING.fullmatch(rest):
            [span] = _spans(found)
            return span if ahead else _gone_by(mentions(folded), span, now)
    return None


def _gone_by(named: Sequence[Mention], span: TimeSpan, now: datetime) -> TimeSpan | None:
    """A span as it was last, where its name does not say which of many it is; None where it may be any."""
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
    # The 17th may be of any month.
    return None if match["nth3"] else span._replace(yearly=yearly).latest(now)


def _midnight(day: datetime) -> datetime:
    return zoned(day.replace(hour=0, tzinfo=None))


def _found(folded: str, noon: datetime) -> tuple[list[_Named], str]:
    """What a folded text names, and what is left of it."""
    found, rest = list(_rolling(folded, noon)) or _named(folded, noon), folded
    for each in reversed(found):
        rest = f"{rest[: each.start]} {rest[each.end :]}"
    return found, rest


def _spans(found: Sequence[_Named]) -> list[TimeSpan]:
    return [TimeSpan(_midnight(each.first), _midnight(each.last + _DAY)) for each in found]


def _named(folded: str, noon: datetime) -> list[_Named]:
    found: list[_Named] = []
    for mention in mentions(folded):
        try:
            named = _read(mention, folded, noon)
        except (ValueError, OverflowError):  # the 31st of June, or 3/4
            continue
        if found and (whole := _range(found[-1], named, folded)):
            found[-1] = whole
        else:
            found.append(named)
    return [each._replace(first=noon, last=max(each.last, noon)) if each.until else each for each in found]


def _range(one: _Named, other: _Named, folded: str) -> _Named | None:
    """All from the one to the other, where the words beside them say so."""
    between, leads = folded[one.end : other.start], _FROM.search(folded[: one.start])
    up_to = (other.until and not between.strip()) or _TO.fullmatch(between)
    if not (up_to or (leads and _AND.fullmatch(between))):
        return None
    last = other.last if other.last >= one.first else other.last + _WEEK
    return _Named(one.first, last, leads.start() if leads else one.start, other.end)


def _read(mention: Mention, folded: str, noon: datetime) -> _Named:
    """The days of one mention. Raises ValueError or OverflowError for what names none."""
    first, last = _days(mention, noon)
    forms = [each for each in mention if each]
    core = min(each.start(name) for each in forms for name in _NAMING if each[name])
    until = _UNTIL.search(folded[:core])
    if _BEFORE.search(folded[:core]):
        first = last = last_before(mention, first)
    start = min(mention.start, until.start()) if until else mention.start
    return _Named(first, last, start, max(each.end() for each in forms), until=until is not None)


def _days(mention: Mention, noon: datetime) -> tuple[datetime, datetime]:
    match, day = mention.match, day_of(mention, noon)
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
        # Asked on a Sunday, it is this one.
        is_sunday = noon.weekday() == _SUNDAY and not (match["which"] or "").endswith("next")
        days = (noon - _DAY, noon) if is_sunday else (day, day + _DAY)
    elif match["this_month"] or match["next_month"] or (match["in_month"] and not match["part"]):
        days = (day.replace(day=1), day.replace(day=monthrange(day.year, day.month)[1]))
    return days


def _rolling(folded: str, noon: datetime) -> Iterator[_Named]:
    """The next 3 days, "les deux prochaines semaines": from today on."""
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
