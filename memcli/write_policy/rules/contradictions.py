"""What may contradict something that is there is taken, and its owner told."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memcli.model import KNOWLEDGE, is_past
from memcli.write_policy.decision import Case
from memcli.write_policy.grounds import Grounds

if TYPE_CHECKING:
    from memcli.write_policy.related import RelatedMemories


def note_contradiction(case: Case, grounds: Grounds, related: RelatedMemories) -> Case:
    """Note the memory that most likely cannot be true beside this one."""
    if grounds.options.carried or case.memory.kind not in KNOWLEDGE or is_past(case.memory, grounds.now):
        return case
    # What claims another value of the same thing is surest. One is enough to make its owner
    # look; the nearest is the likeliest.
    doubted = related.rival or next(
        ((near.memory, near.objection) for near in related.nearest if near.objection), None
    )
    if doubted is None:
        return case
    old, objection = doubted
    note = f"may contradict {old.id} ({objection}): mem correct {old.id} …"
    return replace(case, contradicts=(old.id,)).noting(note)
