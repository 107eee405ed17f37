"""Session limit: how many memories an untrusted origin may write in one session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcli.model import STATED, Memory, speaker_of
from memcli.text.counting import counted
from memcli.write_policy.decision import Case
from memcli.write_policy.flood import RULE, beginning_of_day
from memcli.write_policy.rule_context import RuleContext

if TYPE_CHECKING:
    from memcli.write_policy.related.lookup import RelatedMemories


def limit_session(case: Case, grounds: RuleContext, related: RelatedMemories) -> Case:
    """Refuse a memory beyond the limit. Asked last: what it lets pass is written, and counts for the next.

    It applies to untrusted origins only: a loop that the owner wrote is not a flood.
    """
    memory, options = case.memory, grounds.options
    if options.approved or options.carried or not _counts(memory) or not grounds.is_untrusted(memory):
        return case
    today = beginning_of_day(grounds.now)
    written = grounds.reader.written(memory, today, lambda each: _counts(each) and grounds.is_untrusted(each))
    limit = grounds.settings.session_writes
    if limit and written >= limit and not case.overrides:
        # Without a session, the writes of the day are counted.
        session = memory.session or f"of {memory.origin} today"
        number = counted(limit, "memory", "memories")
        reason = f"session {session} has written {number}, its limit (session_writes)"
        case = grounds.decided(case, "refuse", RULE, reason)
    if not case.verdict:
        grounds.reader.note_written(memory)
    return case


def _counts(memory: Memory) -> bool:
    """True if a memory counts against its session: all but turns and the owner's imports."""
    return memory.kind in STATED and not speaker_of(memory) and not memory.origin.startswith("import:")
