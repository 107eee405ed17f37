"""Settled writes: a write that says that two memories both hold closes the questions about them."""

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
    """Decide on a draft and write it; close the questions between it and those said to hold beside it.

    Raises what `admit` raises.
    """

    def close(decisions: Sequence[Decision]) -> None:
        close_settled_questions(memories, decisions)

    [decision] = admit_drafts(memories, memories.model, [draft], options, dry_run=dry_run, then=close)
    return decision


def close_settled_questions(memories: Memories, decisions: Sequence[Decision]) -> None:
    """Close the questions between each kept memory and those said to hold beside it.

    The caller's transaction writes this, too.
    """
    settled = [
        each for each in decisions if each.both_hold and each.action in ("take", "supersede", "reinforce")
    ]
    if not settled:
        return
    from memcli.changes.open_questions import note_both_hold

    for each in settled:
        note_both_hold(memories.in_space(each.memory.space), each.memory, each.both_hold)
