"""What falls due, and what was promised: read from the words of a memory and from its times."""

from __future__ import annotations

from datetime import datetime, timedelta

from memcli.model import Memory, speaker_of
from memcli.text.dates.ahead import days_ahead
from memcli.text.kinds import is_promise

DUE_WITHIN = timedelta(days=7)
# From here on nine of ten are promises: by cross-validation over authors, `python -m benchmarks.judges`.
_LIKELY = 0.5
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


def _promises(text: str) -> bool:
    """Whether a judge holds it for a promise, by its words: in languages whose forms nobody wrote, too."""
    # Numpy, where no form has decided.
    from memcli.judgement.statements import StatementJudgement

    return StatementJudgement(text).promise >= _LIKELY


def is_open_promise(memory: Memory) -> bool:
    """Whether a memory says that something is still to be done, and does not say that it was."""
    by_others = speaker_of(memory) in ("assistant", "system", "tool") or memory.source == "imported"
    return (
        not by_others
        and "resolved_by" not in memory.data
        and not set(DONE) & set(memory.tags)
        and (
            bool({"todo", "promise"} & set(memory.tags)) or is_promise(memory.text) or _promises(memory.text)
        )
    )
