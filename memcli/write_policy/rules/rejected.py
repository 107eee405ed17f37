"""What its owner rejected in review is not asked again, whoever concludes it once more."""

from __future__ import annotations

from memcli import times
from memcli.messages import Command, message
from memcli.write_policy.decision import Case
from memcli.write_policy.rule_context import RuleContext

RULE = "rejected"


def refuse_rejected(case: Case, grounds: RuleContext) -> Case:
    """Refuse what a program concludes and its owner rejected before; what somebody states is their word."""
    if not grounds.is_inferred(case.memory) or grounds.options.approved:
        return case
    at = grounds.reader.rejection_of(case.memory)
    if at is None:
        return case
    reason = message(
        f"its owner rejected this on {times.local_time(at)[:10]} (", Command("review list --rejected"), ")"
    )
    return grounds.decided(case, "refuse", RULE, reason)
