"""Sections of a context: its tiers, each under a heading, in one order; and the tier of a memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

from memcli.model import Kind, Memory, speaker_of

Tier = Literal[
    "blocks", "pinned", "task", "policies", "constraints", "warnings", "due", "promised", "open",
    "procedures", "preferences", "facts", "outcomes", "graph", "session", "episodes",
]  # fmt: skip
# All tiers, in the order in which they are printed.
TIERS: tuple[Tier, ...] = get_args(Tier)

HEADINGS: dict[Tier, str] = {
    "blocks": "Blocks:",
    "pinned": "Pinned:",
    "task": "Task at hand:",
    "policies": "Policies:",
    "constraints": "Constraints:",
    "warnings": "Warnings (what failed before):",
    "due": "Overdue, or due within 7 days:",
    "promised": "Promised, not yet done:",
    "open": "Open questions:",
    "procedures": "Procedures:",
    "preferences": "Preferences:",
    "facts": "Facts:",
    "outcomes": "Outcomes:",
    "graph": "Relations:",
    "session": "This session:",
    "episodes": "Episodes:",
}
_OF_KIND: dict[Kind, Tier] = {
    "policy": "policies", "constraint": "constraints", "procedure": "procedures", "preference": "preferences",
    "fact": "facts", "outcome": "outcomes", "episode": "episodes",
}  # fmt: skip
_KINDS: dict[Tier, tuple[Kind, ...]] = {
    **{tier: (kind,) for kind, tier in _OF_KIND.items()},
    "warnings": ("outcome", "episode"),
}
# The tag of an outcome that was a failure: `mem task end --failed` gives it.
FAILED_TAG = "failed"
# The owner's tag for a memory that is part of every context.
PINNED_TAG = "pinned"


def tier_of(memory: Memory) -> Tier:
    """Return the tier of a memory: by its kind, except that a failure is a warning until it is resolved."""
    failed = memory.kind == "outcome" and FAILED_TAG in memory.tags
    unresolved = speaker_of(memory) == "error" and "resolved_by" not in memory.data
    return "warnings" if failed or unresolved else _OF_KIND[memory.kind]


def chosen_tiers(names: str | None, among: tuple[Tier, ...] = TIERS) -> tuple[Tier, ...]:
    """Return the tiers named in a comma-separated list, in order; all if None. Raises BadInput."""
    if names is None:
        return among
    from memcli.text.checks import check_choice

    wanted = {check_choice("tier", name.strip(), among) for name in names.split(",")}
    return tuple(tier for tier in among if tier in wanted)


def kinds_of_tiers(tiers: Sequence[Tier]) -> tuple[str, ...]:
    """Return the kinds of memories in these tiers; empty for all kinds."""
    if set(tiers) >= _KINDS.keys():
        return ()
    return tuple(dict.fromkeys(kind for tier in tiers for kind in _KINDS.get(tier, ()))) or ("none",)
