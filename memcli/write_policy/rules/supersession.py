"""What is to replace another memory does, unless it is trusted less."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memcli.write_policy.decision import Case, quoted
from memcli.write_policy.grounds import Grounds
from memcli.write_policy.rules.duplicates import word_for_word

if TYPE_CHECKING:
    from memcli.write_policy.related import RelatedMemories


def supersede(case: Case, grounds: Grounds, related: RelatedMemories) -> Case:
    """Supersede as asked; hold what an untrusted door would put in the place of something trusted.

    Where it was kept before (mostly by the write whose reply named the other), what was kept replaces it.
    """
    old = case.told.replaces
    if old is None:
        return case
    owner_said = grounds.options.approved or not grounds.is_untrusted(case.memory)
    if not owner_said and not grounds.is_own(old.untrusted_origin):
        whose = "trusted" if old.trusted else f"of {old.origin}"
        reason = f"it would replace {old.id}, which is {whose}, and {case.memory.origin} is not"
        # The reason waits with it, and may outlive what it would quote.
        case = case.noting(f"it would replace {quoted(old)}")
        return case.decided("hold", "untrusted-correction", reason, old.id)
    known = word_for_word(case, grounds, related, besides=old)
    if known is None or (known.kind != case.memory.kind and not case.kind_is_open):
        return case.decided(
            "supersede", "supersede", f"supersedes {quoted(old)}, which stays on record", old.id
        )
    tags = tuple(sorted({*known.tags, *case.memory.tags}))
    again = replace(known, tags=tags, updated_at=grounds.now)
    return replace(case, memory=again).decided(
        "supersede", "supersede", f"known already; it supersedes {quoted(old)}, which stays on record", old.id
    )
