"""Trust rules: refuse policies from untrusted origins, and hold unverified inferences."""

from __future__ import annotations

from memcli.model import KNOWLEDGE
from memcli.write_policy.decision import Case
from memcli.write_policy.rule_context import RuleContext


def refuse_untrusted_policy(case: Case, grounds: RuleContext) -> Case:
    """Refuse a policy that does not come from its owner; nothing overrides that."""
    if case.memory.kind == "policy" and not case.memory.trusted:
        return case.decided(
            "refuse",
            "untrusted-policy",
            "a policy comes from its owner, and this text from an untrusted place",
        )
    return case


def hold_unverified(case: Case, grounds: RuleContext) -> Case:
    """Hold what was inferred with too little confidence, or from an untrusted source."""
    memory = case.memory
    if memory.source != "inferred" or memory.kind not in KNOWLEDGE or case.overrides:
        return case
    if grounds.options.approved:
        return case
    floor = grounds.settings.inferred_floor
    if memory.confidence < floor:
        reason = f"inferred, and its confidence {memory.confidence:g} is below {floor:g}"
        return grounds.decided(case, "hold", "unverified", reason)
    if not memory.trusted:
        return grounds.decided(case, "hold", "unverified", "inferred from an untrusted source")
    return case
