"""Contradiction rule: take a memory that may contradict a stored one, and note that for the writer."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memcli.messages import Command, message
from memcli.model import UPDATE_OF, is_past, is_statement
from memcli.write_policy.decision import Case, quoted
from memcli.write_policy.rule_context import RuleContext

if TYPE_CHECKING:
    from memcli.write_policy.related.lookup import RelatedMemories


def note_contradiction(case: Case, grounds: RuleContext, related: RelatedMemories) -> Case:
    """Note the stored memory that most likely no longer holds beside this one."""
    if grounds.options.carried or not is_statement(case.memory) or is_past(case.memory, grounds.now):
        return case
    # One such memory is enough for the owner to look at the case.
    beside = {each.id for each in case.told.both_hold}
    doubted = related.updates(grounds.settings.judge_update, beside)
    if doubted is None:
        return case
    from memcli.judgement.pairs import told_update

    old, likely = doubted.memory, related.updated(doubted)
    objection = told_update(case.memory.text, old.text, likely)
    case = case.judging(f"{UPDATE_OF}{old.id}", likely)
    note = message(
        f"may contradict {quoted(old)} ({objection}): ",
        Command("remember", f"--replaces {old.id} TEXT (or --both-hold, --same-as)", bare=True),
    )
    return replace(case, contradicts=(old.id,)).noting(note)
