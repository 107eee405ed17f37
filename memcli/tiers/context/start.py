"""What an agent should know at the start of a session, without being asked anything."""

from __future__ import annotations

from collections.abc import Sequence

from memcli.memories import Memories
from memcli.model import KNOWLEDGE, Memory
from memcli.prompt.tiers import TIERS, Tier, tier_of
from memcli.tiers.context.due import due_at, promised
from memcli.tiers.context.gathering import Piece, along, note, remembered
from memcli.tiers.policies.policies import Policies
from memcli.write_policy.review import held

# The strongest of each that come along.
_PREFERENCES = 10
_WARNINGS = 5
_PROMISES = 10
# So many of the newest memories are looked over for what falls due and what was promised.
_LOOKED_OVER = 5000


# What a context has; the others answer a question.
TOLD: tuple[Tier, ...] = (
    "blocks", "task", "policies", "constraints", "warnings", "due", "promised", "open",
    "preferences", "session",
)  # fmt: skip


def context(memories: Memories, tiers: Sequence[Tier] = TOLD) -> list[Piece]:
    """What there is in each tier, in the order of the tiers; the session's latest turns last."""
    found: list[Piece] = [piece for piece in along(memories, tiers) if piece.tier != "session"]
    newest = list(memories.store.select(memories.within(), limit=_LOOKED_OVER))
    now = memories.now()
    due = sorted((when, each.id, each) for each in newest if (when := due_at(each, now)))
    open_promises = [each for each in newest if each.kind in (*KNOWLEDGE, "episode") and promised(each)]
    open_promises = open_promises[:_PROMISES]
    preferences = sorted((each for each in newest if each.kind == "preference"), key=strength, reverse=True)
    by_tier: dict[Tier, Sequence[Memory]] = {
        "policies": [policy.memory for policy in Policies(memories).live()],
        "warnings": [each for each in newest if tier_of(each) == "warnings"][:_WARNINGS],
        "due": [each for _, _, each in due],
        "promised": open_promises,
        "preferences": preferences[:_PREFERENCES],
    }
    for tier in TIERS:
        if tier in tiers and tier in by_tier:
            known = {piece.id for piece in found}
            found += remembered(tier, [each for each in by_tier[tier] if each.id not in known])
    if "open" in tiers:
        waiting = sum(1 for _ in held(memories))
        found += [note("open", f"{waiting} wait for review (`mem review list`)")] if waiting else []
    return [*found, *along(memories, [tier for tier in tiers if tier == "session"], found)]


def strength(memory: Memory) -> tuple[float, int, str]:
    """How firmly something is held: how sure and important it is, then how often it was confirmed."""
    return (memory.confidence * memory.importance, memory.confirm_count, memory.id)
