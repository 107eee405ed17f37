"""Calendar words in English, defined once: months, weekdays, numbers, and the lengths of units."""

from __future__ import annotations

import re
from functools import cache

from memcli.text.expressions import holds

MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
# Abbreviations of three letters; September has one of four as well.
SHORT_MONTHS = tuple(month[:3] for month in MONTHS)
# From zero on, and the tens from twenty on.
NUMBERS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
# From "second" on, because "first" is mostly an adverb of time.
ORDINALS = ("second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
# Said instead of a number.
COUNTS = {"a": 1, "an": 1, "a couple of": 2, "a few": 3}
# Days in each unit, as people count.
DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}

# The first month of each season, which lasts three: the meteorological seasons of the northern hemisphere.
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}

# Patterns: a weekday; a month in full; a month in full or abbreviated.
WEEKDAY_PATTERN = "|".join(WEEKDAYS)
MONTH_PATTERN = "|".join(MONTHS)
ANY_MONTH = "|".join((*MONTHS, *SHORT_MONTHS)).replace("|sep|", "|sept?|")


def mentions_date(text: str) -> bool:
    """True if a text may name a date: a cheap test that most texts fail."""
    # The pattern is compiled only if the text holds one of its parts.
    held = any(map(str.isdigit, text)) or holds(text, (*_PARTS, *_BEGINNINGS, *SEASONS))
    return held and _mention().search(text) is not None


_PARTS = ("day", "night", "week", "month", "year", "hour", "minute")
_BEGINNINGS = (
    "ago", "morning", "evening", "afternoon",
    # "July" in full, so that "Julie" does not match.
    *(month if len(month) <= 4 else month[:3] for month in MONTHS),
)  # fmt: skip


@cache
def _mention() -> re.Pattern[str]:
    return re.compile(
        rf"\d|{'|'.join(_PARTS)}|\b(?:{'|'.join((*_BEGINNINGS, *SEASONS))})",
        re.IGNORECASE,
    )


def month_number(name: str) -> int:
    """Return the number of a month, 1 to 12, by at least three letters of its name, in any case."""
    return SHORT_MONTHS.index(name.lower()[:3]) + 1


def weekday_number(name: str) -> int:
    """Return the number of a weekday by its name, in any case; Monday is 0."""
    return WEEKDAYS.index(name.lower())


def number_of_words(said: str) -> int:
    """Return the value of a number in digits, as a word up to nineteen, or as "a few". Raises ValueError."""
    lowered = said.lower()
    return COUNTS.get(lowered) or (NUMBERS.index(lowered) if lowered in NUMBERS else int(lowered))
