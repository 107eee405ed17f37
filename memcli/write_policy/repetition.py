"""What is said twice before it is knowledge: held for review, or passing."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from memcli.model import Memory, State, memory_from_record
from memcli.text.comparison.duplicates import compare


def waiting(memory: Memory, state: State) -> Memory | None:
    """The memory that waits under a keyed value, if it is of the kind and says the same as `memory`.

    Without vectors: the same text, whatever its case, spacing and punctuation.
    """
    known = memory_from_record(state.value["memory"])
    same = known.kind == memory.kind and compare(memory.text, known.text, None).verdict == "same"
    return known if same else None


def said_again(known: Memory, again: Memory, now: datetime) -> Memory:
    """What waits or passes, said once more: the surer of both, to the later end, with the tags of both.

    That it is repeated does not verify it, so its confidence does not grow by
    that; nor does an untrusted source make it more trusted than it was.
    """
    expires = known.expires_at and again.expires_at and max(known.expires_at, again.expires_at)
    return replace(
        known,
        confidence=max(known.confidence, again.confidence)
        if again.trusted or not known.trusted
        else known.confidence,
        importance=max(known.importance, again.importance),
        tags=tuple(sorted({*known.tags, *again.tags})),
        expires_at=expires,
        confirm_count=known.confirm_count + 1,
        confirmed_at=now,
        updated_at=now,
    )
