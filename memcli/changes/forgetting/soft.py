"""Forgetting softly: out of every recall, and restorable."""

from __future__ import annotations

from collections.abc import Sequence, Set

from memcli.doors import LINK, Deed
from memcli.graph.links import amended_link, untrusted_origin
from memcli.memories import Memories
from memcli.model import Memory
from memcli.scope import Scope


def forget_memories(memories: Memories, chosen: Sequence[Memory], reason: str) -> list[Memory]:
    """End memories softly: out of every recall, restorable; as they are then. Raises Refused.

    The summary of a session tells no turn that is forgotten.
    """
    memories.check_change(chosen, "forgetting", Deed.END)
    ids = [memory.id for memory in chosen]
    whole = memories
    if not memories.shared_change:
        whole = memories.as_one_change(memories.change_id(), memories.origin)
    with memories.store.writing():
        emptied: list[str] = []
        if any(memory.kind == "episode" and memory.session for memory in chosen):
            # Little of what is forgotten was said in a session.
            from memcli.changes.forgetting.told_by_summary import forget_folded_turns

            emptied = forget_folded_turns(whole, memories.store.get(ids), reason)
        whole.end([*ids, *emptied], reason)
        return memories.store.get(ids)


def end_links(scope: Scope, chosen: Set[str], reason: str) -> int:
    """End links by id, as unlinked; linking again revives them. Returns how many. Raises Refused."""
    with scope.store.writing():
        now = scope.now()
        live = [link for link in scope.store.links((scope.space,)) if link.id in chosen and not link.ended_at]
        for link in live:
            scope.require(LINK, Deed.END, "ending a link", own=scope.is_own(untrusted_origin(link)))
        return scope.store.put_links(
            amended_link(link, now, "unlink", reason=reason, ended_at=now) for link in live
        )
