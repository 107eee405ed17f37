"""The days ahead that a text names, from when it was said: "by Friday", "in 3 days", "on May 3"."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from functools import cache

from memcli.text.dates.calendar import (
    DAYS,
    SHORT_MONTHS,
    WEEKDAY_PATTERN,
    month_number,
    number_of_words,
    weekday_number,
)

# It tells what was: a weekday in it is the one before.
_TOLD = re.compile(r"\b(?:was|were|had|did|met|went|said|told|came|saw|got|made|\w{3,}ed)\b", re.IGNORECASE)


# What is so every time is a habit; the days of a habit are none that is ahead.
_HABIT = re.compile(
    r"\b(?:always|never|usually|normally|often|mostly|generally|every|each)\b[^.!?;:\n]{0,60}$", re.IGNORECASE
)
# The date above an entry, as in a journal or a summary: when the rest of its line was said.
_HEAD = re.compile(r"[\W_]{0,4}(20\d\d-\d\d-\d\d)(?![\d-])")


def days_ahead(text: str, said: datetime) -> list[datetime]:
    """The days that a text names, at noon, from when it was said.

    A line that begins with a day which was not ahead then is an entry of that day.
    """
    found, entry = [], ""
    for line in text.splitlines():
        if head := _head_of(line, said):
            found += _days_of(entry, said)
            found += _days_of(line[head.end() :], _on_day(said, head[1]))
            entry = ""
        else:
            entry += f"{line}\n"
    return found + _days_of(entry, said)


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


def _days_of(text: str, said: datetime) -> list[datetime]:
    noon = said.replace(hour=12, minute=0, second=0, microsecond=0)
    found = []
    told = _TOLD.search(text) is not None
    for match in _days().finditer(text):
        if match["day"] and _HABIT.search(text, 0, match.start()):
            continue
        # "On Monday we discussed it" tells of the Monday before.
        if told and (match["how"] or "").lower() in ("on", "this"):
            continue
        try:
            found.append(_day(match, noon))
        except ValueError:  # the 31st of June
            continue
    return found


@cache
def _days() -> re.Pattern[str]:
    months = "|".join(SHORT_MONTHS)
    return re.compile(
        rf"\b(?:(?P<today>today|tonight)|(?P<tomorrow>tomorrow)|(?P<week>next week)"
        rf"|(?P<how>by|on|next|this|until|due|before) (?P<day>{WEEKDAY_PATTERN})\b"
        r"(?! (?:mornings|afternoons|evenings|nights)\b)"
        r"|in (?P<count>\d{1,2}|an?|two|three) (?P<unit>day|week|month)s?"
        r"|(?P<year>20\d\d)-(?P<month>\d\d)-(?P<date>\d\d)"
        rf"|(?P<name>{months})[a-z]*\.? (?P<nth>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,? (?P<in>20\d\d))?"
        rf"|(?P<nth2>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<name2>{months})[a-z]*\.?(?:,? (?P<in2>20\d\d))?)",
        re.IGNORECASE,
    )


def _day(match: re.Match[str], noon: datetime) -> datetime:  # noqa: PLR0911 - one return a form
    if match["today"] or match["tomorrow"]:
        return noon + timedelta(days=int(match["tomorrow"] is not None))
    if match["week"]:
        return noon + timedelta(days=7 - noon.weekday())
    if day := match["day"]:
        return noon + timedelta(days=(weekday_number(day) - noon.weekday()) % 7 or 7)
    if count := match["count"]:
        return noon + timedelta(days=number_of_words(count) * DAYS[match["unit"].lower()])
    if match["year"]:
        return noon.replace(year=int(match["year"]), month=int(match["month"]), day=int(match["date"]))
    month_of_year = month_number(match["name"] or match["name2"])
    day_of_month = int(match["nth"] or match["nth2"])
    if year := match["in"] or match["in2"]:
        return noon.replace(year=int(year), month=month_of_year, day=day_of_month)
    this_year = noon.replace(month=month_of_year, day=day_of_month)
    return this_year if this_year >= noon - timedelta(days=1) else this_year.replace(year=noon.year + 1)
