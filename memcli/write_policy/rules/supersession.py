"""What is to replace another memory does, unless it is trusted less."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcli.write_policy.decision import Case
from memcli.write_policy.grounds import Grounds

if TYPE_CHECKING:
    from memcli.write_policy.related import RelatedMemories


def supersede(case: Case, grounds: Grounds, related: RelatedMemories) -> Case:
    """Supersede as asked; hold what an untrusted door would put in the place of something trusted."""
    old = case.supersedes
    if old is None:
        return case
    if old.trusted and grounds.is_untrusted(case.memory) and not grounds.options.approved:
        reason = f"it would replace {old.id}, which is trusted, and {case.memory.origin} is not"
        return case.decided("hold", "untrusted-correction", reason, old.id)
    return case.decided("supersede", "supersede", "replaces it, as asked", old.id)
