"""What was forgotten for good is not taken again."""

from __future__ import annotations

from memcli.write_policy.decision import Case
from memcli.write_policy.grounds import Grounds


def refuse_forgotten(case: Case, grounds: Grounds) -> Case:
    """Refuse a text that was erased once."""
    if not grounds.reader.was_forgotten(case.memory.text):
        return case
    return grounds.decided(case, "refuse", "forgotten", "this text was forgotten for good")
