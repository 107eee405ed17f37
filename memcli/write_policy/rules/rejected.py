"""Rejected memories: what the owner rejected in review is refused when a program concludes it again."""

from __future__ import annotations

from memcli import times
from memcli.messages import Command, message
from memcli.write_policy.decision import Case
from memcli.write_policy.grounds import Grounds

RULE = "rejected"


def refuse_rejected(case: Case, grounds: Grounds) -> Case:
    """Refuse a program's conclusion that the owner rejected before; a statement by a person is let in."""
    if not grounds.is_inferred(case.memory) or grounds.options.approved:
        return case
    at = grounds.reader.rejection_of(case.memory)
    if at is None:
        return case
    reason = message(
        f"its owner rejected this on {times.local_time(at)[:10]} (", Command("review list --rejected"), ")"
    )
    return grounds.decided(case, "refuse", RULE, reason)
