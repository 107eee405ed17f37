"""Past validity: a memory that is no longer valid is taken, and its writer told."""

from __future__ import annotations

from datetime import datetime

from memcli import times
from memcli.write_policy.decision import Case
from memcli.write_policy.grounds import Grounds


def note_past(case: Case, grounds: Grounds) -> Case:
    """Note a validity that is over already: a question about the present does not find it."""
    remark = past_remark(case.memory.valid_until, grounds.now)
    return case.noting(remark) if remark else case


def past_remark(valid_until: datetime | None, now: datetime) -> str:
    """Return the remark on an end of validity that has passed; empty if it has not."""
    if valid_until is None or valid_until > now:
        return ""
    day = times.local_day(valid_until)
    return f"true no longer since {day}: found by a question about that time, or with --at {day}"
