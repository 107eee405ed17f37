"""Passing statements: what sounds temporary or undecided is kept as an episode that expires."""

from __future__ import annotations

from dataclasses import replace

from memcli.model import KNOWLEDGE, is_past
from memcli.text.task_items import TO_DO, is_over
from memcli.write_policy.decision import Case
from memcli.write_policy.rule_context import RuleContext


def keep_passing(case: Case, grounds: RuleContext) -> Case:
    """Keep a statement whose words sound passing or undecided for a time only."""
    if case.memory.kind not in KNOWLEDGE or case.overrides or is_past(case.memory, grounds.now):
        return case
    # A memory that its owner tagged as a task ends when it is done.
    if not (TO_DO.isdisjoint(case.memory.tags) or is_over(case.memory.tags)):
        return case
    from memcli.text.english.hedges import speculative_phrase, transient_phrase

    if phrase := transient_phrase(case.memory.text):
        rule, why = "transient", f"{phrase!r} sounds passing"
    elif phrase := speculative_phrase(case.memory.text):
        rule, why = "speculative", f"{phrase!r} sounds undecided"
    else:
        return case
    if grounds.options.force:
        return case.overriding(rule, why)
    return keep_for_a_time(case, grounds, why, rule=rule)


def keep_for_a_time(case: Case, grounds: RuleContext, why: str, *, rule: str) -> Case:
    """Turn a memory into an episode that expires: at its own end, else after `transient_ttl`."""
    memory = case.memory
    until = memory.expires_at or memory.valid_until or grounds.now + grounds.settings.transient_ttl
    kept = replace(memory, kind="episode", expires_at=until)
    note = f"{why}: kept as an episode until {until:%Y-%m-%d}, not as a {memory.kind}"
    case = replace(case, memory=kept, passing=True).recording(f"{note} (rule {rule})")
    return case.noting(note if grounds.is_untrusted(memory) else f"{note} (--force keeps it)")
