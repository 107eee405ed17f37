"""Date rules: note a weekday that does not match the date beside it, and a validity that is over."""

from __future__ import annotations

from datetime import datetime

from memcli import times
from memcli.messages import Command, message
from memcli.text.dates.ahead_other_weekday import other_weekday
from memcli.text.dates.calendar import WEEKDAYS
from memcli.write_policy.decision import Case
from memcli.write_policy.rule_context import RuleContext


def note_other_weekday(case: Case, grounds: RuleContext) -> Case:
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


def note_past(case: Case, grounds: RuleContext) -> Case:
    """Note a validity that is over already: a question about the present does not find it."""
    remark = past_remark(case.memory.valid_until, grounds.now)
    return case.noting(remark) if remark else case


def past_remark(valid_until: datetime | None, now: datetime) -> str:
    """Return the remark on an end of validity that has passed; empty if it has not."""
    if valid_until is None or valid_until > now:
        return ""
    day = times.local_day(valid_until)
    return f"true no longer since {day}: found by a question about that time, or with --at {day}"
