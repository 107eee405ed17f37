"""What is said again makes what is there surer, or lets it stand for longer."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from memcli.model import Memory

# What one confirmation, or repetition by somebody else, adds to confidence.
CONFIRM_STEP = 0.1


def confirmed_memory(known: Memory, now: datetime) -> Memory:
    """A memory, believed more: confidence +0.1, at most 1; the time is noted."""
    return replace(
        known,
        confidence=min(1.0, round(known.confidence + CONFIRM_STEP, 6)),
        confirm_count=known.confirm_count + 1,
        confirmed_at=now,
        updated_at=now,
    )


def reinforced_memory(known: Memory, again: Memory, now: datetime) -> Memory:
    """What waits or passes, said once more: the surer of both, to the later end, with the tags of both.

    That it is repeated does not verify it, so its confidence does not grow by
    that. What is trusted stands as it was where an untrusted source says it again; what
    is not becomes its owner's who says it.
    """
    if known.trusted and not again.trusted:
        return known
    return replace(
        known,
        confidence=max(known.confidence, again.confidence),
        trusted=known.trusted or again.trusted,
        importance=max(known.importance, again.importance),
        tags=tuple(sorted({*known.tags, *again.tags})),
        expires_at=later_end(known, again),
        confirm_count=known.confirm_count + 1,
        confirmed_at=now,
        updated_at=now,
    )


def later_end(known: Memory, again: Memory) -> datetime | None:
    """When a memory expires that was said again: at the later time of both, never where one does not."""
    return known.expires_at and again.expires_at and max(known.expires_at, again.expires_at)
