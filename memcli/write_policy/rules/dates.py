"""Date rule: note a date that does not fall on the weekday named beside it, and which of the two counts."""

from __future__ import annotations

from memcli.messages import Command, message
from memcli.text.dates.ahead_other_weekday import other_weekday
from memcli.text.dates.calendar import WEEKDAYS
from memcli.write_policy.decision import Case
from memcli.write_policy.grounds import Grounds


def note_other_weekday(case: Case, grounds: Grounds) -> Case:
    """Note the real weekday of a date in the text that names another one."""
    found = other_weekday(case.memory.text, case.memory.happened_at)
    if found is None:
        return case
    falls, said = (WEEKDAYS[day].capitalize() for day in (found.date.weekday(), found.weekday))
    counts = "the date counts" if found.taken == found.date else f"taken for {found.taken:%Y-%m-%d}"
    return case.noting(
        message(
            f"{found.date:%Y-%m-%d} is a {falls}, not a {said}: {counts} (", Command("correct"), " mends it)"
        )
    )
