"""Lapsing: until when a text is true by its own words ("is on call this week", "ist bis Freitag krank").

What changes for good on a day ("starts this week", "zieht am Freitag um") stays true, and so does what is
told of the past. Whether a text tells of the past, or of something to be done, is for the caller to check.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from memcli.text.dates import ahead_words as words
from memcli.text.dates.ahead import days_ahead, weekdays_every_week
from memcli.text.dates.ahead_forms import Mention, may_name_day
from memcli.text.dates.ahead_names import with_days_named
from memcli.text.dates.ahead_reading import is_exact
from memcli.text.dates.ahead_stretches import ends_of, stretches
from memcli.text.expressions import expression
from memcli.times import local

_CHANGES = expression(rf"\b(?:{words.FOR_GOOD})")
_IS_SO = expression(
    rf"\b(?:is|are|am|{words.LASTS}|est|sont|es|esta|estan|sono|e|is|zijn|ben)\b|['’](?:s|re|m)\b"
)
# A longer period without a year may recur every year: "closed from October to March".
_LONGEST = timedelta(days=45)
_DAY = timedelta(days=1)


def lapses(text: str, said: datetime) -> datetime | None:
    """Return the first instant at which a text, told at `said`, is no longer true; None if it may last."""
    folded = with_days_named(text)
    if not may_name_day(folded, told_due=True) or _CHANGES.search(folded) or weekdays_every_week(text):
        return None
    noon = local(said).replace(hour=12, minute=0, second=0, microsecond=0)
    ends = [*_ends_of_periods(folded, noon)]
    named = days_ahead(text, said, told_due=True)
    if any(day.weekly or (day.by and not day.lasting) for day in named):
        return None
    ends += [day.end for day in named if day.lasting or (day.last and day.last - day.at <= _LONGEST)]
    is_so = _IS_SO.search(folded) is not None
    if is_so and named and all(map(_is_near, (each for one in stretches(folded) for each in one.mentions))):
        ends += [day.end for day in named]
    if not ends:
        return None
    last = max([*ends, *(day.end for day in named)])
    return (last + _DAY).replace(hour=0)


def _ends_of_periods(folded: str, noon: datetime) -> list[datetime]:
    """Return the last days of the current weeks and months that are named ("this week")."""
    found = []
    for each in stretches(folded):
        match = each.mentions[0].match
        if each.last is None and (match["this_week"] or match["this_month"]):
            found.append(ends_of(each, noon)[1])
    return found


def _is_near(mention: Mention) -> bool:
    """True if a day is named relative to now: "today", "on Friday". A date may recur every year."""
    match = mention.match
    return bool(match["today"] or match["tomorrow"] or (match["day"] and not is_exact(mention)))
