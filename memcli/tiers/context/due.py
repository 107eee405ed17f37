"""What falls due, and what was promised: read from the words of a memory and from its times."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from functools import cache

from memcli.model import Memory, speaker_of

WITHIN = timedelta(days=7)
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_TOLD = re.compile(r"\b(?:was|were|had|did|met|went|said|told|came|saw|got|made|\w{3,}ed)\b", re.IGNORECASE)
_UNITS = {"day": 1, "week": 7, "month": 30}
# Tags by which its owner says that a promise is kept.
DONE = ("done", "closed", "cancelled")


def due_at(memory: Memory, now: datetime) -> datetime | None:
    """When within the next seven days a memory falls due, or None.

    Its validity ends then, it happens then, or its text names a day then, read
    from when it was said ("by Friday", "tomorrow", "in 3 days", "on 2026-05-03",
    "on May 3").
    """
    ahead = [each for each in (memory.valid_until, memory.happened_at) if each and each > now]
    for instant in (*ahead, *_named(memory.text, memory.happened_at)):
        if now - timedelta(days=1) < instant <= now + WITHIN:
            return instant
    return None


def promised(memory: Memory) -> bool:
    """Whether a memory says that something is still to be done, and does not say that it was."""
    by_others = speaker_of(memory) in ("assistant", "system", "tool") or memory.source == "imported"
    return (
        not by_others
        and "resolved_by" not in memory.data
        and not set(DONE) & set(memory.tags)
        and (
            bool({"todo", "promise"} & set(memory.tags))
            or _promises().search(memory.text.replace("\u2019", "'")) is not None
        )
    )


@cache
def _promises() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:i|we)(?:'ll| will| shall| promised?| owe| need to| have to| agreed to| committed to)\b"
        r"(?! (?:not|never)\b)"
        r"|\b(?:promised|agreed|committed) to\b|\bto-?do\b|\bremind (?:me|us)\b|\bdon't forget\b"
        r"|\bich (?:werde|muss|habe versprochen)\b|\bje (?:dois|vais)\b|\btengo que\b",
        re.IGNORECASE,
    )


@cache
def _days() -> re.Pattern[str]:
    return re.compile(
        rf"\b(?:(?P<today>today|tonight)|(?P<tomorrow>tomorrow)|(?P<week>next week)"
        rf"|(?P<how>by|on|next|this|until|due|before) (?P<day>{'|'.join(_DAYS)})"
        r"|in (?P<count>\d{1,2}|an?|two|three) (?P<unit>day|week|month)s?"
        r"|(?P<year>20\d\d)-(?P<month>\d\d)-(?P<date>\d\d)"
        rf"|(?P<name>{'|'.join(_MONTHS)})[a-z]*\.? (?P<nth>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,? (?P<in>20\d\d))?"
        rf"|(?P<nth2>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<name2>{'|'.join(_MONTHS)})[a-z]*\.?"
        r"(?:,? (?P<in2>20\d\d))?)",
        re.IGNORECASE,
    )


def _named(text: str, said: datetime) -> list[datetime]:
    """The days that a text names, at noon, from when it was said."""
    noon = said.replace(hour=12, minute=0, second=0, microsecond=0)
    found = []
    told = _TOLD.search(text) is not None
    for match in _days().finditer(text):
        # "On Monday we discussed it" tells of the Monday before.
        if told and (match["how"] or "").lower() in ("on", "this"):
            continue
        try:
            found.append(_day(match, noon))
        except ValueError:  # the 31st of June
            continue
    return found


def _day(match: re.Match[str], noon: datetime) -> datetime:  # noqa: PLR0911 - one return a form
    if match["today"] or match["tomorrow"]:
        return noon + timedelta(days=int(match["tomorrow"] is not None))
    if match["week"]:
        return noon + timedelta(days=7 - noon.weekday())
    if day := match["day"]:
        ahead = (_DAYS.index(day.lower()) - noon.weekday()) % 7 or 7
        return noon + timedelta(days=ahead)
    if count := match["count"]:
        words = {"a": 1, "an": 1, "two": 2, "three": 3}
        number = words[count.lower()] if count.lower() in words else int(count)
        return noon + timedelta(days=number * _UNITS[match["unit"].lower()])
    if match["year"]:
        return noon.replace(year=int(match["year"]), month=int(match["month"]), day=int(match["date"]))
    month = _MONTHS.index((match["name"] or match["name2"]).lower()) + 1
    day_of_month = int(match["nth"] or match["nth2"])
    if year := match["in"] or match["in2"]:
        return noon.replace(year=int(year), month=month, day=day_of_month)
    this_year = noon.replace(month=month, day=day_of_month)
    return this_year if this_year >= noon - timedelta(days=1) else this_year.replace(year=noon.year + 1)
