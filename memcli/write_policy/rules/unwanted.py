"""Unwanted memories: refuse what was rejected or erased; hold or note what was forgotten softly."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from memcli import times
from memcli.messages import Command, message
from memcli.model import Memory, is_statement
from memcli.write_policy.decision import Case
from memcli.write_policy.rule_context import RuleContext

if TYPE_CHECKING:
    from memcli.write_policy.related.lookup import RelatedMemories

REJECTED = "rejected"
_IMPORT = "import:"


def refuse_rejected(case: Case, grounds: RuleContext) -> Case:
    """Refuse a program's conclusion that the owner rejected before; a statement by a person is let in."""
    if not grounds.is_inferred(case.memory) or grounds.options.approved:
        return case
    at = grounds.reader.rejection_of(case.memory)
    if at is None:
        return case
    reason = message(
        f"its owner rejected this on {times.local_time(at)[:10]} (", Command("review list --rejected"), ")"
    )
    return grounds.decided(case, "refuse", REJECTED, reason)


def refuse_forgotten(case: Case, grounds: RuleContext) -> Case:
    """Refuse an erased text; from an import also a text that quotes it or names an erased entity.

    What somebody says today may name anybody, but a file may be older than the erasure.
    """
    memory, reader = case.memory, grounds.reader
    if reader.was_forgotten(memory.text):
        return grounds.decided(case, "refuse", "forgotten", "this text was forgotten for good")
    imported = grounds.options.carried or memory.source == "imported" or memory.origin.startswith(_IMPORT)
    if imported and reader.quotes_forgotten(_texts_of(memory)):
        return grounds.decided(case, "refuse", "forgotten", "it quotes or names what was forgotten for good")
    return case


def tell_forgotten(case: Case, grounds: RuleContext, related: RelatedMemories) -> Case:
    """Note that a memory was forgotten softly before; hold it for the owner unless the owner states it."""
    memory, options = case.memory, grounds.options
    if options.carried or not is_statement(memory):
        return case
    old = related.forgotten and grounds.reader.unchanged(related.forgotten)
    if old is None:
        return case
    said = f"you forgot this on {times.local_day(old.ended_at or old.updated_at)} ({old.id})"
    if options.approved or (memory.trusted and memory.source == "explicit"):
        return case.noting(f"{said}; it is kept anew")
    return grounds.decided(case, "hold", "forgotten-before", said)


def _texts_of(memory: Memory) -> Iterator[str]:
    from memcli.text.secrets.redaction import keyed_texts_of_value

    yield from (memory.text, *memory.tags, memory.session or "", memory.ended_why or "")
    yield from keyed_texts_of_value(memory.data)
