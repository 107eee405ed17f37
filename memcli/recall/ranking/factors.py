"""Factors: the worth of a memory itself, whatever is asked; mild, bounded, added in units of cosine.

The bounds are set so that no factor outweighs a clear difference in meaning (0.1 is about the distance
between a good answer and a fair one). Recency and use are smallest, since by themselves they cost recall:
newest first spoils the order among similar memories, and freshness is decided at writing.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from math import log2

from memcli.model import Memory, outcome_counts

# Confidence weighs most: 0.1 less at confidence 0.
CONFIDENCE = 0.10
# Plus or minus 0.03 around the default importance of 0.5.
IMPORTANCE = 0.06
# Halves every 30 days (Ebbinghaus' curve as spaced-repetition tools approximate it).
RECENCY = 0.02
HALF_LIFE = timedelta(days=30)
# One hundredth each time that the count of uses doubles, three at most.
USE = 0.01
MOST_DOUBLINGS = 3.0
# A memory tagged for the current task.
TASK_BONUS = 0.10
# Plus or minus up to this for a procedure that reliably works or fails; 0 for an untried one.
SUCCESS = 0.05


def factors(memory: Memory, now: datetime, tasks: Sequence[str] = ()) -> dict[str, float]:
    """Return the factors of one memory by name; their sum is added to its signals."""
    age = max(now - memory.happened_at, timedelta())
    return {
        "confidence": -CONFIDENCE * (1 - memory.confidence),
        "importance": IMPORTANCE * (memory.importance - 0.5),
        "recency": RECENCY * 0.5 ** (age / HALF_LIFE),
        "use": USE * min(log2(1 + memory.access_count), MOST_DOUBLINGS),
        "task": TASK_BONUS if tasks and not set(tasks).isdisjoint(memory.tags) else 0.0,
        "success": SUCCESS * _success(memory) if memory.kind == "procedure" else 0.0,
    }


def _success(procedure: Memory) -> float:
    # Most answers hold no procedure.
    from memcli.recall.ranking.success import success_factor

    return success_factor(*outcome_counts(procedure.data))
