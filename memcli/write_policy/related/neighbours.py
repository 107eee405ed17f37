"""Neighbours: the stored memories closest to a new one, returned to the writer, who may judge better."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from memcli.write_policy.decision import Neighbour, Relation
from memcli.write_policy.related.lookup import FAR, NEAR_ENOUGH, RelatedMemories, RelatedMemory

# How many are named: more are rarely read, and each costs the caller tokens.
MAX_NEIGHBOURS = 3
# A relation is named if it is likelier than all others together.
_LIKELIER = 0.5


def neighbours(related: RelatedMemories, settled: Collection[str]) -> tuple[Neighbour, ...]:
    """Return likely repetitions and updated memories first, then the nearest; without the ids `settled`."""
    found = sorted(_neighbours(related, settled), key=lambda each: each[0])
    return tuple(each for _, each in found[:MAX_NEIGHBOURS])


def _neighbours(
    related: RelatedMemories, settled: Collection[str]
) -> Iterator[tuple[tuple[int, float], Neighbour]]:
    seen = set(settled)
    for near in related.nearest:
        # A judgement on two texts that have nothing in common is noise.
        if near.memory.id in seen or near.cosine < FAR:
            continue
        seen.add(near.memory.id)
        each = _related(near, related.updated(near))
        if each.relation in ("same", "replaces"):
            yield (0, -(1.0 if each.likely is None else each.likely)), each
        elif near.cosine >= NEAR_ENOUGH:
            yield (1, -near.cosine), each


def _related(near: RelatedMemory, update: float) -> Neighbour:
    """Return the relation to one memory, given the probability of an `update`; word comparison goes first."""
    same = near.judgement.same
    answers: dict[Relation, float] = {
        "same": same, "replaces": update, "both_hold": max(0.0, 1 - same - update),
    }  # fmt: skip
    relation = max(answers, key=lambda each: answers[each])
    likely = answers[relation]
    if near.verdict == "same" and relation != "same":
        return Neighbour(near.memory.id, "same", None)
    return Neighbour(near.memory.id, relation if likely > _LIKELIER else "near", likely)
