"""Repetitions: how a memory that is stated again gains confidence, or lasts longer."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from memcli.model import Memory

# The confidence that one confirmation, or repetition by somebody else, adds.
CONFIRM_STEP = 0.1


def confirmed_memory(known: Memory, now: datetime) -> Memory:
    """Return a memory confirmed once more: confidence +0.1, at most 1, with the time of confirmation."""
    return replace(
        known,
        confidence=min(1.0, round(known.confidence + CONFIRM_STEP, 6)),
        confirm_count=known.confirm_count + 1,
        confirmed_at=now,
        updated_at=now,
    )


def reinforced_memory(known: Memory, again: Memory, now: datetime) -> Memory:
    """Return a held or expiring memory stated again: the higher confidence, the later end, the tags of both.

    A repetition does not verify it, so confidence does not grow by it. A trusted memory stays as it is if
    an untrusted source repeats it; an untrusted one becomes trusted if its owner does.
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
    """Return the later expiry of the two; None (never) if either has none."""
    return known.expires_at and again.expires_at and max(known.expires_at, again.expires_at)
