"""Soft forgetting: end memories so that no recall returns them, but they can be restored."""

from __future__ import annotations

from collections.abc import Sequence, Set

from memcli.changes.values_before import note_change, noting
from memcli.doors import LINK, Deed
from memcli.graph.links import amended_link, evidence_of, recorded_changes, untrusted_origin
from memcli.memories import Memories
from memcli.model import Link, Memory
from memcli.scope import Scope
from memcli.storage import areas
from memcli.write_policy.review import drop_held


def forget_memories(memories: Memories, chosen: Sequence[Memory], reason: str) -> list[Memory]:
    """End memories softly and return them as ended. Raises Refused.

    Forgotten turns are also taken out of the summary of their session.
    """
    memories.check_change(chosen, "forgetting", Deed.END)
    ids = [memory.id for memory in chosen]
    whole = memories
    if not memories.shared_change:
        whole = memories.as_one_change(memories.change_id(), memories.origin)
    with memories.store.writing():
        emptied: list[str] = []
        if any(memory.kind == "episode" and memory.session for memory in chosen):
            # Imported only if needed: forgotten memories are seldom turns of a session.
            from memcli.changes.forgetting.told_by_summary import forget_folded_turns

            emptied = forget_folded_turns(whole, memories.store.get(ids), reason)
        whole.end([*ids, *emptied], reason)
        return memories.store.get(ids)


def forget_held(scope: Scope) -> None:
    """Drop all that waits for review in the space, and all rejected; a part of the change of `scope`."""
    states = scope.store.states((scope.space,), areas.HELD.name)
    names = [(state.space, state.area, state.key) for state in states]
    with noting(scope, scope.change("end"), names):
        drop_held(scope)


def end_links(scope: Scope, chosen: Set[str], reason: str) -> list[Link]:
    """End links by id, as unlinking does; return those that were live, as ended. Raises Refused.

    It is a part of the scope's change: undoing it brings them back, as does restoring the memories
    forgotten with them, or linking again.
    """
    with scope.store.writing():
        now, change = scope.now(), scope.change("end", reason)
        live = [link for link in scope.store.links((scope.space,)) if link.id in chosen and not link.ended_at]
        for link in live:
            scope.require(LINK, Deed.END, "ending a link", own=scope.is_own(untrusted_origin(link)))
        ended = [
            amended_link(link, now, "unlink", reason=reason, within=change.id, ended_at=now) for link in live
        ]
        scope.store.put_links(ended)
        if ended:
            # Noted separately, since the change may have touched no memory.
            note_change(scope, change, scope.space, now)
    return ended


def links_ended_with(scope: Scope, some: Sequence[Memory]) -> list[Link]:
    """Return the links that were ended in the changes that ended these memories, and not changed since.

    Links whose evidence is all forgotten and not among these memories are left out.
    """
    changes = set[str | None]()
    for memory in some:
        lines = [event.change for event in scope.store.history(memory.id) if _ends(event.after)]
        changes |= set(lines[-1:])
    if not changes - {None}:
        return []
    back = {memory.id for memory in some}
    found = []
    for link in scope.store.links((scope.space,)):
        last = recorded_changes(link)[-1:]
        if link.ended_at and last and last[0].get("change") in changes - {None}:
            told = evidence_of(link)
            if not told or back & set(told) or any(not each.ended_at for each in scope.store.get(told)):
                found.append(link)
    return found


def _ends(after: dict[str, object] | None) -> bool:
    return bool((after or {}).get("ended_at"))
