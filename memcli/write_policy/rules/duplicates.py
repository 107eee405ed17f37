"""What is there already is confirmed, not kept twice."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memcli.model import Memory, is_past, is_record, is_statement
from memcli.write_policy.decision import Case
from memcli.write_policy.grounds import Grounds
from memcli.write_policy.repetitions import confirmed_memory, reinforced_memory

if TYPE_CHECKING:
    from memcli.write_policy.related import RelatedMemories, RelatedMemory


def prolong_passing(case: Case, grounds: Grounds, related: RelatedMemories) -> Case:
    """A passing statement, said again before it has ended, is kept for longer."""
    if not case.passing or is_record(case.memory):
        return case
    known = related.passing
    if known is None or not _may_stand_for(known, case.memory):
        return case
    if known.trusted and not case.memory.trusted:
        return replace(case, memory=known, notes=()).decided(
            "reinforce", "duplicate", "known already; an untrusted source confirms nothing", known.id
        )
    again = reinforced_memory(known, case.memory, grounds.now)
    reason = f"known already; it is kept until {again.expires_at:%Y-%m-%d}"
    return replace(case, memory=again, notes=()).decided("reinforce", "duplicate", reason, again.id)


def confirm_duplicate(case: Case, grounds: Grounds, related: RelatedMemories) -> Case:
    """Knowledge that says the same as what is there, of the same kind, makes that surer."""
    # What was true says nothing of what is.
    if grounds.options.carried or not is_statement(case.memory) or is_past(case.memory, grounds.now):
        return case
    for near in related.nearest:
        if not _says_the_same(near, case, grounds) or not _may_stand_for(near.memory, case.memory):
            continue
        if near.verdict != "same":
            case = case.judging(f"same: {near.memory.id}", near.judgement.same)
        if grounds.options.force:
            return case.overriding("duplicate", f"known already ({near.memory.id})")
        if known := grounds.reader.unchanged(near.memory):
            return _repeated(case, grounds, known)
    return case


def _says_the_same(near: RelatedMemory, case: Case, grounds: Grounds) -> bool:
    """Whether a neighbour says it already: word for word, or a judge is sure and no word tells them apart."""
    # What its writer says to be of another kind is another thing.
    if near.memory.kind != case.memory.kind and not case.kind_is_open:
        return False
    if near.verdict == "same":
        return True
    # A wrong "same" loses what was said: words alone are not enough.
    alike = near.judged_by_model and near.judgement.same >= grounds.settings.judge_same
    return alike and near.verdict != "changed"


def _may_stand_for(known: Memory, new: Memory) -> bool:
    """Whether what is known may be confirmed by something new that means the same.

    What a trusted source says in other words vouches for no untrusted text: that
    would be trusted for what nobody trusted has said.
    """
    from memcli.text.comparison.duplicates import compare_texts

    return known.trusted or not new.trusted or compare_texts(new.text, known.text, None).verdict == "same"


def _repeated(case: Case, grounds: Grounds, known: Memory) -> Case:
    new = case.memory
    if known.trusted and not new.trusted:
        return replace(case, memory=known).decided(
            "reinforce", "duplicate", "known already; an untrusted source confirms nothing", known.id
        )
    surer = replace(
        confirmed_memory(known, grounds.now),
        importance=max(known.importance, new.importance),
        tags=tuple(sorted({*known.tags, *new.tags})),
        trusted=known.trusted or new.trusted,
    )
    return replace(case, memory=surer).decided(
        "reinforce", "duplicate", "known already; it is confirmed", known.id
    )
