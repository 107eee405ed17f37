"""The calendar in English, once: months, weekdays, numbers as words, and how long what is counted is."""

from __future__ import annotations

import re
from functools import cache

from memcli.text.expressions import holds

MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
# By its first letters a month is known; September has four of them as well.
SHORT_MONTHS = tuple(month[:3] for month in MONTHS)
# From zero on, and the tens from twenty on.
NUMBERS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
# From the second on: "first" says more often when than which.
ORDINALS = ("second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
# Said instead of a number.
COUNTS = {"a": 1, "an": 1, "a couple of": 2, "a few": 3}
# Days in each unit, as people count.
DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}

# The month in which each begins, three months long: the meteorological seasons of the northern
# half of the Earth.
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}

# For patterns: a weekday; a month by its whole name, or by that or its first letters.
WEEKDAY_PATTERN = "|".join(WEEKDAYS)
MONTH_PATTERN = "|".join(MONTHS)
ANY_MONTH = "|".join((*MONTHS, *SHORT_MONTHS)).replace("|sep|", "|sept?|")


def mentions_date(text: str) -> bool:
    """Whether a text may name a date: most do not, and are looked at no closer."""
    # An expression that nothing of it stands in the text need not be compiled.
    held = any(map(str.isdigit, text)) or holds(text, (*_PARTS, *_BEGINNINGS, *SEASONS))
    return held and _mention().search(text) is not None


_PARTS = ("day", "night", "week", "month", "year", "hour", "minute")
_BEGINNINGS = (
    "ago", "morning", "evening", "afternoon",
    # Julie is none.
    *(month if len(month) <= 4 else month[:3] for month in MONTHS),
)  # fmt: skip


@cache
def _mention() -> re.Pattern[str]:
    return re.compile(
        rf"\d|{'|'.join(_PARTS)}|\b(?:{'|'.join((*_BEGINNINGS, *SEASONS))})",
        re.IGNORECASE,
    )


def month_number(name: str) -> int:
    """The number of a month, 1 to 12, by three letters of its name or more, in any case."""
    return SHORT_MONTHS.index(name.lower()[:3]) + 1


def weekday_number(name: str) -> int:
    """The number of a weekday by its name, in any case; Monday is 0."""
    return WEEKDAYS.index(name.lower())


def number_of_words(said: str) -> int:
    """What a number in digits, as a word up to nineteen, or as "a few" counts. Raises ValueError."""
    lowered = said.lower()
    return COUNTS.get(lowered) or (NUMBERS.index(lowered) if lowered in NUMBERS else int(lowered))
