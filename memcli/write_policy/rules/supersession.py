"""Supersession rule: end the memory that a new one replaces, unless the new one is trusted less."""

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
    """Add to a held case which memory it would replace."""
    old, held = case.told.replaces, case.verdict
    if old is None or held is None or held.action != "hold":
        return case
    case = replace(case, verdict=replace(held, reason=f"{held.reason}; {_replacement(old)}", other=old.id))
    return _naming_the_older(case, old)


def _replacement(old: Memory) -> str:
    whose = "trusted" if old.trusted else f"of {old.origin}"
    return f"it would replace {old.id}, which is {whose}"


def _naming_the_older(case: Case, old: Memory) -> Case:
    """Return the decided case with a quotation of what it would replace, which the held reason keeps."""
    note = f"it would replace {quoted(old)}"
    assert case.verdict  # noqa: S101 - just decided
    return replace(case, verdict=replace(case.verdict, notes=(*case.verdict.notes, note))).noting(note)


def supersede(case: Case, grounds: RuleContext, related: RelatedMemories) -> Case:
    """Supersede the memory that the writer named; hold it if an untrusted origin would replace a trusted one.

    If the new text is stored already (mostly by the write whose reply named the other), that memory
    supersedes it instead of a new row.
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
    # The judges' findings from when it was stored stay recorded.
    judged = known.data.get("judged")
    judged = {**(judged if isinstance(judged, dict) else {}), **case.judged}
    return replace(case, memory=again, judged=judged).decided(
        "supersede", "supersede", f"known already; it supersedes {quoted(old)}, which stays on record", old.id
    )
