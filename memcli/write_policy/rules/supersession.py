"""What is to replace another memory does, unless it is trusted less."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memcli.model import Memory
from memcli.write_policy.decision import Case, quoted
from memcli.write_policy.rule_context import RuleContext
from memcli.write_policy.rules.duplicates import word_for_word

if TYPE_CHECKING:
    from memcli.write_policy.related.lookup import RelatedMemories


def tell_replacement(case: Case) -> Case:
    """Say of what waits, whatever it waits for, what it would replace."""
    old, held = case.told.replaces, case.verdict
    if old is None or held is None or held.action != "hold":
        return case
    case = replace(case, verdict=replace(held, reason=f"{held.reason}; {_replacement(old)}", other=old.id))
    return _naming_the_older(case, old)


def _replacement(old: Memory) -> str:
    whose = "trusted" if old.trusted else f"of {old.origin}"
    return f"it would replace {old.id}, which is {whose}"


def _naming_the_older(case: Case, old: Memory) -> Case:
    """The decided case, with what it would replace quoted: the reason waits with it, and may outlive that."""
    note = f"it would replace {quoted(old)}"
    assert case.verdict  # noqa: S101 - just decided
    return replace(case, verdict=replace(case.verdict, notes=(*case.verdict.notes, note))).noting(note)


def supersede(case: Case, grounds: RuleContext, related: RelatedMemories) -> Case:
    """Supersede as asked; hold what an untrusted door would put in the place of something trusted.

    Where it was kept before (mostly by the write whose reply named the other), what was kept replaces it.
    """
    old = case.told.replaces
    if old is None:
        return case
    owner_said = grounds.options.approved or not grounds.is_untrusted(case.memory)
    if not owner_said and not grounds.is_own(old.untrusted_origin):
        reason = f"{_replacement(old)}, and {case.memory.origin} is not"
        return _naming_the_older(case.decided("hold", "untrusted-correction", reason, old.id), old)
    known = word_for_word(case, grounds, related, besides=old)
    if known is None or (known.kind != case.memory.kind and not case.kind_is_open):
        return case.decided(
            "supersede", "supersede", f"supersedes {quoted(old)}, which stays on record", old.id
        )
    tags = tuple(sorted({*known.tags, *case.memory.tags}))
    again = replace(known, tags=tags, updated_at=grounds.now)
    # What judges said of it when it was kept stays on record.
    judged = known.data.get("judged")
    judged = {**(judged if isinstance(judged, dict) else {}), **case.judged}
    return replace(case, memory=again, judged=judged).decided(
        "supersede", "supersede", f"known already; it supersedes {quoted(old)}, which stays on record", old.id
    )
