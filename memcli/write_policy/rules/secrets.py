"""Secrets rule: no secret comes in, whether in the text, in the data beside it, or in a name."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from memcli.model import is_record
from memcli.write_policy.decision import Case
from memcli.write_policy.rule_context import RuleContext

if TYPE_CHECKING:
    from memcli.text.secrets.scan import Secret


def refuse_secret(case: Case, grounds: RuleContext) -> Case:
    """Refuse a text with a secret; with --redact, and for every record, take the secret out instead."""
    from memcli.text.secrets import redaction

    case = _secret_name(case, grounds)
    if case.verdict:
        return case
    memory = case.memory
    texts = filter(None, (memory.text, memory.ended_why))
    found = [each for text in texts for each in redaction.secrets_in_text(text)]
    found += redaction.secrets_in_value(memory.data)
    if not found:
        return case
    names = ", ".join(dict.fromkeys(each.name for each in found))
    clean = replace(
        memory,
        text=redaction.without_secrets_in(memory.text),
        ended_why=memory.ended_why and redaction.without_secrets_in(memory.ended_why),
        data=redaction.without_secrets(memory.data),
    )
    without = replace(case, memory=clean)
    rule = f"secret:{found[0].rule}"
    reason = f"it holds a secret ({names})"
    forced = grounds.decided(case, "refuse", rule, reason)
    if forced.verdict is None:
        return forced
    if grounds.options.redact or is_record(memory):
        return without.noting(f"redacted: {names}").recording(f"redacted: {names}")
    return without.decided("refuse", rule, reason, by_hand="--redact keeps the rest")


def _secret_name(case: Case, grounds: RuleContext) -> Case:
    """Refuse a memory if a name (tag, session, space, origin) is a secret: a name cannot be redacted."""
    memory = case.memory
    names = (*memory.tags, memory.session or "", memory.space, memory.origin)
    labels = [found for name in names for found in _secrets_in_name(name)]
    if not labels or grounds.options.force:
        return case
    reason = f"a name (tag, session, space or origin) holds a secret ({labels[0].name})"
    safe = replace(memory, tags=(), session=None, space="", origin="", text="", data={})
    return replace(case, memory=safe).decided("refuse", f"secret:{labels[0].rule}", reason)


# Memories written together share a space, an origin and a few tags, so the cache can be small.
@lru_cache(maxsize=256)
def _secrets_in_name(name: str) -> tuple[Secret, ...]:
    from memcli.text.secrets import redaction

    # Rules that go by how random a text looks are left out: session names often are random.
    return tuple(each for each in redaction.secrets_in_text(name) if each.rule not in redaction.BY_LOOK)
