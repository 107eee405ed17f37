"""What falls due, and what was promised: read from the words of a memory and from its times."""

from __future__ import annotations

from datetime import datetime, timedelta

from memcli.judgement.notes import PROMISE
from memcli.model import Memory, judged_likely, speaker_of
from memcli.text.dates.ahead import days_ahead
from memcli.text.kinds import is_promise

DUE_WITHIN = timedelta(days=7)
# Tags by which its owner says that a promise is kept.
DONE = ("done", "closed", "cancelled")


def due_at(memory: Memory, now: datetime) -> datetime | None:
    """When within the next seven days a memory falls due, or None.

    Its validity ends then, it happens then, or its text names a day then, read
    from when it was said ("by Friday", "tomorrow", "in 3 days", "on 2026-05-03",
    "on May 3").
    """
    ahead = [each for each in (memory.valid_until, memory.happened_at) if each and each > now]
    for instant in (*ahead, *days_ahead(memory.text, memory.happened_at)):
        if now - timedelta(days=1) < instant <= now + DUE_WITHIN:
            return instant
    return None


def is_open_promise(memory: Memory) -> bool:
    """Whether a memory says that something is still to be done, and does not say that it was."""
    by_others = speaker_of(memory) in ("assistant", "system", "tool") or memory.source == "imported"
    return (
        not by_others
        and "resolved_by" not in memory.data
        and not set(DONE) & set(memory.tags)
        and (
            bool({"todo", "promise"} & set(memory.tags))
            # Judged when it was written: in languages whose forms nobody wrote, too.
            or judged_likely(memory, PROMISE) > 0
            or is_promise(memory.text)
        )
    )
