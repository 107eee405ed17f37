"""Warnings on stderr about what a store or a copy of it lacks, in one line each."""

from __future__ import annotations

from collections.abc import Sequence

from memcli.commands.terminal import output
from memcli.commands.terminal.store import some_names
from memcli.memories import Memories
from memcli.messages import Command, message
from memcli.text import printable

# At most so many are named; `--json` has all.
_NAMED = 8


def tell_left_out(addresses: Sequence[str]) -> None:
    """Say on stderr which memories, links and keyed values are left out, if any; not what they said."""
    if addresses:
        named = ", ".join(map(printable.one_line, addresses[:_NAMED]))
        more = f" and {len(addresses) - _NAMED:,} more" if len(addresses) > _NAMED else ""
        output.to_stderr(f"left out, as it was forgotten for good, or quotes or leads to that: {named}{more}")


def tell_damaged(
    memories: Memories, spaces: tuple[str, ...] | None, *, history: bool = False, vectors: bool = False
) -> bool:
    """Say which exported rows are damaged; return True if any is, or could not be read."""
    found = list(memories.store.damaged(spaces, history=history, vectors=vectors))
    if found:
        told = f"damaged, and exported as far as it can be read: {some_names(found)}"
        output.to_stderr(message(f"{told}; run ", Command("doctor")))
    return bool(found or memories.store.left_out)
