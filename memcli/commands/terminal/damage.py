"""Damage, reported in one line: rows read from a store that are not as memcli wrote them."""

from __future__ import annotations

from memcli.commands.terminal import output
from memcli.commands.terminal.store import some_names
from memcli.memories import Memories
from memcli.messages import Command, message


def tell_damaged(
    memories: Memories, spaces: tuple[str, ...] | None, *, history: bool = False, vectors: bool = False
) -> bool:
    """Say which exported rows are damaged; return True if any is, or could not be read."""
    found = list(memories.store.damaged(spaces, history=history, vectors=vectors))
    if found:
        told = f"damaged, and exported as far as it can be read: {some_names(found)}"
        output.to_stderr(message(f"{told}; run ", Command("doctor")))
    return bool(found or memories.store.left_out)
