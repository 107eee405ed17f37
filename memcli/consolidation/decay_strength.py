"""Decay strength of a memory: exponential forgetting, slowed by every use.

    strength = confidence · 2^(−Δ / h),   h = half-life of its kind · (1 + log2(1 + n))

Δ is the time since it was last used or confirmed (else since it was learned), n counts uses once and
confirmations twice; h grows eightfold at most. The form is half-life regression (Settles & Meeder, "A
Trainable Spaced Repetition Model for Language Learning", ACL 2016, after Ebbinghaus 1885): recall halves
every h, and h grows with repetition. Computed from the recorded times whenever it is needed and never
stored, so it does not matter how often consolidation runs.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime, timedelta
from math import log2

from memcli.model import Memory, Source
from memcli.times import from_iso

# The sources that decay: conclusions do, what the owner said or imported does not.
FADING: tuple[Source, ...] = ("inferred", "learned")
# The kinds that never decay, whatever their source: rules.
LASTING = ("constraint", "policy")
_MOST = 8.0
# The key, in the data of a distilled fact, of the time when the last of its evidence came in.
TOLD_AT = "told_at"


def learned_at(memory: Memory) -> datetime:
    """Return when a memory was learned; a distilled fact is as old as its evidence, not as the run."""
    told = memory.data.get(TOLD_AT)
    with suppress(ValueError):
        return from_iso(told) if isinstance(told, str) else memory.created_at
    return memory.created_at


def last_needed(memory: Memory) -> datetime:
    """Return when it was last used or confirmed; when it was learned, if never."""
    known = (learned_at(memory), memory.accessed_at, memory.confirmed_at)
    return max(instant for instant in known if instant)


def is_fading(memory: Memory) -> bool:
    """True if a memory decays at all."""
    return memory.source in FADING and memory.kind not in LASTING


def strength_at(memory: Memory, now: datetime, half_life: timedelta) -> float:
    """Return its strength at an instant, 0 to 1; for a memory that does not decay, its confidence."""
    if not is_fading(memory):
        return memory.confidence
    needed = memory.access_count + 2 * memory.confirm_count
    slowed = half_life * min(1 + log2(1 + needed), _MOST)
    idle = max(now - last_needed(memory), timedelta())
    return float(memory.confidence * 0.5 ** (idle / slowed))
