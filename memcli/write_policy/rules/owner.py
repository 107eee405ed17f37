"""Owner rules applied: never, always, review, temporarily; in this order."""

from __future__ import annotations

from dataclasses import replace

from memcli.messages import Command, message
from memcli.model import is_record
from memcli.write_policy import owner_rules
from memcli.write_policy.decision import Case
from memcli.write_policy.rule_context import RuleContext
from memcli.write_policy.rules.passing import keep_for_a_time


def apply_owner_rules(case: Case, grounds: RuleContext) -> Case:
    """Apply the first fitting rule of each effect."""
    inferred = grounds.is_inferred(case.memory)
    fitting = [rule for rule in grounds.reader.owner_rules() if rule.fits(case.memory, inferred=inferred)]
    effects = {rule.effect: rule for rule in reversed(fitting)}
    never = effects.get("never")
    if never and never.topic and is_record(case.memory):
        kept = replace(case.memory, text=owner_rules.without_topic(never.topic, case.memory.text))
        return replace(case, memory=kept).noting(f"left out: {never.topic} details")
    if never:
        reason = message(
            f"your rule {never.name!r} says never: {_subject(never)} (", Command("rule list"), ")"
        )
        return grounds.decided(case, "refuse", f"rule:{never.name}", reason)
    if "always" in effects:
        return replace(case, overrides=(*case.overrides, f"rule:{effects['always'].name}"))
    if (rule := effects.get("review")) and not (is_record(case.memory) or grounds.options.approved):
        who = _whose(case) if rule.inferred else ""
        reason = message(
            f"your rule {rule.name!r} lets it wait: {_subject(rule)}{who} (", Command("rule list"), ")"
        )
        held = grounds.decided(case, "hold", f"rule:{rule.name}", reason)
        if held.verdict:
            return held
    if rule := effects.get("temporarily"):
        return keep_for_a_time(
            case, grounds, f"your rule {rule.name!r} says: only for a time", rule=f"rule:{rule.name}"
        )
    return case


def _whose(case: Case) -> str:
    """Return why a rule about programs' conclusions applies: it was inferred, or its origin is untrusted."""
    if case.memory.source in ("inferred", "learned"):
        return ", and a program inferred it"
    return f", and {case.memory.origin}, an untrusted origin, states it"


def _subject(rule: owner_rules.OwnerRule) -> str:
    return rule.why or (f"private {rule.topic} details" if rule.topic else rule.describe())
