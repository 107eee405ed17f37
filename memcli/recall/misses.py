"""Misses: why a memory that comes near is not a hit, told by the filter that excludes it."""

from __future__ import annotations

from memcli import ids, times
from memcli.model import REPLACED, Filter, Memory
from memcli.recall.results import MissReason
from memcli.storage.conditions import true_span


def miss_reason(memory: Memory, where: Filter) -> MissReason | None:
    """Return the reason for which a filter excludes a memory; None if it admits it."""
    if where.spaces is not None and memory.space not in where.spaces:
        return MissReason("other space", memory.space)
    if where.live and memory.ended_at and not (where.past_only and true_span(memory)):
        if memory.ended_as in REPLACED and memory.replaced_by:
            return MissReason("superseded", f"by {ids.short_id(memory.replaced_by)}")
        return MissReason("forgotten", memory.ended_why or "")
    if where.live and where.at and memory.expires_at and memory.expires_at <= where.at:
        return MissReason("expired", times.local_time(memory.expires_at))
    lapsed = where.live and not where.past_only
    if lapsed and where.at and memory.valid_until and memory.valid_until <= where.at:
        return MissReason("no longer true", f"until {times.local_time(memory.valid_until)}")
    failed = _failed(memory, where)
    return MissReason("filtered", ", ".join(failed)) if failed else None


def _failed(memory: Memory, where: Filter) -> list[str]:
    """Return each filter that a memory does not pass, as the option's name and the memory's value."""
    begins = memory.valid_from or memory.happened_at
    # If it has a beginning and no end, it goes on.
    ends = memory.valid_until or (None if memory.valid_from else memory.happened_at)
    since, until = true_span(memory) or (memory.ended_at, memory.ended_at)
    checks = (
        (
            "at",
            not (where.past_only and where.past)
            or ((not since or since <= where.past[1]) and (not until or until >= where.past[0])),
            " to ".join(times.local_time(each) if each else "open" for each in (since, until)),
        ),
        ("kind", not where.kinds or memory.kind in where.kinds, memory.kind),
        ("tag", set(where.tags) <= set(memory.tags), " ".join(memory.tags) or "none"),
        ("session", not where.sessions or memory.session in where.sessions, memory.session or "none"),
        ("source", not where.sources or memory.source in where.sources, memory.source),
        ("since", not (where.since and ends) or ends >= where.since, times.local_time(ends or begins)),
        ("until", not where.until or begins <= where.until, times.local_time(begins)),
        (
            "created-since",
            not where.created_since or memory.created_at >= where.created_since,
            times.local_time(memory.created_at),
        ),
        ("min-confidence", memory.confidence >= where.min_confidence, f"{memory.confidence:g}"),
        ("min-importance", memory.importance >= where.min_importance, f"{memory.importance:g}"),
        (
            "trusted-only",
            where.trusted in (None, memory.trusted),
            "trusted" if memory.trusted else "untrusted",
        ),
    )
    return [f"{name}: {has}" for name, passes, has in checks if not passes]
