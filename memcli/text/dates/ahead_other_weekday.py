"""A date that does not fall on the weekday beside it: "Thursday 4 December" where that is a Friday."""

from __future__ import annotations

from datetime import datetime

from memcli.named_tuple import NamedTuple
from memcli.text.dates.ahead_forms import Mention, may_name_weekday, mentions, weekday_of
from memcli.text.dates.ahead_names import with_days_named
from memcli.text.dates.ahead_reading import day_of
from memcli.text.dates.ahead_told import tells_of_past
from memcli.times import local

# What is named by a date, and so has a weekday of its own.
_DATES = ("name", "nth2", "year", "one")


class OtherWeekday(NamedTuple):
    """A date ahead that does not fall on the weekday beside it when it comes next."""

    date: datetime
    weekday: int
    """The one that is said, Monday is 0."""
    taken: datetime
    """The day that is read: the date, or a later year's that fits."""


def other_weekday(text: str, said: datetime) -> OtherWeekday | None:
    """The first date of a text that contradicts the weekday beside it; of what is told to be over none."""
    folded = with_days_named(text)
    # To compile the forms of all days takes longer than all else that a note is asked.
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
