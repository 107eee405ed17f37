"""Other weekday: a date that contradicts the weekday beside it ("Thursday 4 December", a Friday)."""

from __future__ import annotations

from datetime import datetime

from memcli.named_tuple import NamedTuple
from memcli.text.dates.ahead_forms import Mention, may_name_weekday, mentions, weekday_of
from memcli.text.dates.ahead_names import with_days_named
from memcli.text.dates.ahead_reading import day_of
from memcli.text.dates.ahead_told import tells_of_past
from memcli.times import local

# The groups of dates, which have a weekday of their own.
_DATES = ("name", "nth2", "year", "one")


class OtherWeekday(NamedTuple):
    """A date ahead that, when it comes next, does not fall on the weekday beside it."""

    date: datetime
    weekday: int
    """The weekday in the text; Monday is 0."""
    taken: datetime
    """How the two are resolved: the date, or that of a later year that fits."""


def other_weekday(text: str, said: datetime) -> OtherWeekday | None:
    """Return the first date in a text that contradicts its weekday; None without one, or in past tense."""
    folded = with_days_named(text)
    # Tested first, because compiling the forms of days takes longer than all else that a note is asked.
    if not may_name_weekday(folded) or tells_of_past(text):
        return None
    noon = local(said).replace(hour=12, minute=0, second=0, microsecond=0)
    for both in mentions(folded):
        if both.beside is None or not both.match["day"] or not any(both.beside[name] for name in _DATES):
            continue
        try:
            date, taken = day_of(Mention(both.beside), noon), day_of(both, noon)
        except (ValueError, OverflowError):  # the 31st of June
            continue
        weekday = weekday_of(both.match["day"])
        # A day that is over fell on it: what was noted late is no slip.
        if date >= noon and date.weekday() != weekday and taken >= noon:
            return OtherWeekday(date, weekday, taken)
    return None
