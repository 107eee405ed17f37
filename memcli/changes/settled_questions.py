"""Settled questions: closed by a write that says that two memories both hold."""

from __future__ import annotations

from collections.abc import Sequence

from memcli.memories import Memories
from memcli.write_policy.decision import Decision


def close_settled_questions(memories: Memories, decisions: Sequence[Decision]) -> None:
    """Close the questions between each kept memory and those said to hold beside it, in one transaction."""
    settled = [
        each for each in decisions if each.both_hold and each.action in ("take", "supersede", "reinforce")
    ]
    if not settled:
        return
    from memcli.changes.open_questions import note_both_hold

    with memories.store.writing():
        for each in settled:
            note_both_hold(memories.in_space(each.memory.space), each.memory, each.both_hold)
