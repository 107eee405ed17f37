"""The owner's own rules of writing, applied: never, always, temporarily; in this order."""

from __future__ import annotations

from dataclasses import replace

from memcli.model import is_record
from memcli.write_policy import owner_rules
from memcli.write_policy.decision import Case
from memcli.write_policy.grounds import Grounds
from memcli.write_policy.rules.passing import keep_for_a_time


def apply_owner_rules(case: Case, grounds: Grounds) -> Case:
    """What the first fitting rule of each effect says."""
    fitting = [rule for rule in grounds.reader.owner_rules() if rule.fits(case.memory)]
    effects = {rule.effect: rule for rule in reversed(fitting)}
    never = effects.get("never")
    if never and never.topic and is_record(case.memory):
        kept = replace(case.memory, text=owner_rules.without_topic(never.topic, case.memory.text))
        return replace(case, memory=kept).noting(f"left out: {never.topic} details")
    if never:
        about = never.why or (f"private {never.topic} details" if never.topic else never.describe())
        reason = f"your rule {never.name!r} says never: {about} (`mem rule list`)"
        return grounds.decided(case, "refuse", f"rule:{never.name}", reason)
    if "always" in effects:
        return replace(case, overrides=(*case.overrides, f"rule:{effects['always'].name}"))
    if rule := effects.get("temporarily"):
        return keep_for_a_time(case, grounds, f"your rule {rule.name!r} says: only for a time")
    return case
