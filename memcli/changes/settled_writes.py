"""Writes whose writer says which memories hold beside each other: no question about those stays open."""

from __future__ import annotations

from collections.abc import Sequence

from memcli.memories import Memories
from memcli.write_policy.admission import admit_drafts
from memcli.write_policy.decision import Decision
from memcli.write_policy.drafts import Draft
from memcli.write_policy.settings import WriteOptions


def write_draft(
    memories: Memories, draft: Draft, options: WriteOptions | None = None, *, dry_run: bool = False
) -> Decision:
    """Decide on a draft and carry that out, with it on record what it is said to hold beside.

    Raises what a write raises (`admit`).
    """

    def close(decisions: Sequence[Decision]) -> None:
        close_settled_questions(memories, decisions)

    [decision] = admit_drafts(memories, memories.model, [draft], options, dry_run=dry_run, then=close)
    return decision


def close_settled_questions(memories: Memories, decisions: Sequence[Decision]) -> None:
    """Close the questions about what was kept and what it is said to hold beside; a part of that write."""
    settled = [
        each for each in decisions if each.both_hold and each.action in ("take", "supersede", "reinforce")
    ]
    if not settled:
        return
    from memcli.changes.open_questions import note_both_hold

    for each in settled:
        note_both_hold(memories.in_space(each.memory.space), each.memory, each.both_hold)
