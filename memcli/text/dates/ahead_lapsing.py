"""Until when what a text says is so, by its own words: "is on call this week", "ist bis Freitag krank".

What changes for good on a day ("starts this week", "zieht am Freitag um") is so ever after, and what was is
no less true later. Whether a text tells of what was, or of what is to be done, whoever asks has to know.
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
# What goes on for longer, and has no year, may be so every year: "closed from October to March".
_LONGEST = timedelta(days=45)
_DAY = timedelta(days=1)


def lapses(text: str, said: datetime) -> datetime | None:
    """The first instant at which what a text says, told then, is so no longer; None where it may last."""
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
    """The last days of the weeks and months that are named as those that are on."""
    found = []
    for each in stretches(folded):
        match = each.mentions[0].match
        if each.last is None and (match["this_week"] or match["this_month"]):
            found.append(ends_of(each, noon)[1])
    return found


def _is_near(mention: Mention) -> bool:
    """Whether a day is named by how near it is: "today", "on Friday". A date may come round every year."""
    match = mention.match
    return bool(match["today"] or match["tomorrow"] or (match["day"] and not is_exact(mention)))
