"""Deeds: the changes that the screen's keys make, each one recorded change, by the commands' functions.

Each takes the memories of the current space and returns a `Done`. Raises what those functions raise:
NotFound, BadInput, Refused, StoreUnusable, ModelUnusable.
"""

from __future__ import annotations

from memcli import ids
from memcli.changes import revision
from memcli.changes.forgetting.soft import forget_memories
from memcli.changes.past_changes import last_change, notes_of, waiting_of
from memcli.changes.review_answers import accept_waiting, close_waiting, reject_waiting
from memcli.changes.story import event_line
from memcli.changes.undo import undo_change
from memcli.memories import Memories
from memcli.named_tuple import NamedTuple
from memcli.text.printable import one_line
from memcli.views.browse.listings import Entry
from memcli.write_policy import review
from memcli.write_policy.decision import Decision
from memcli.write_policy.settings import WriteOptions

# Characters of a text quoted in a line about it.
_BEGINNING = 60
_DECIDED = {
    "take": "kept",
    "reinforce": "another says so already, and was confirmed",
    "supersede": "corrected; the old text stays on record",
    "hold": "held for review",
}


class Done(NamedTuple):
    """What was done, in a line; the id of its `change`; and the entry to show then (None: the same one)."""

    said: str
    change: str = ""
    key: str | None = None


class LastChange(NamedTuple):
    """The change that an undo would take back: its id or number, and lines that describe it."""

    key: str
    lines: list[str]


def confirm(memories: Memories, key: str) -> Done:
    """Raise the confidence of a memory."""
    whole = _one_change(memories)
    with memories.store.writing():
        after = revision.confirm_memory(whole, memories.find(key))
    return Done(f"confirmed: believed {after.confidence:.0%}", whole.change_id(), after.id)


def doubt(memories: Memories, key: str) -> Done:
    """Lower the confidence of a memory."""
    whole = _one_change(memories)
    with memories.store.writing():
        before = memories.current_version(memories.find(key))
        after = revision.doubt_memory(whole, before)
    if after == before:
        return Done("it has a confidence of 0 already; nothing was recorded")
    return Done(f"doubted: believed {after.confidence:.0%}", whole.change_id(), after.id)


def correct(memories: Memories, key: str, text: str, reason: str) -> Done:
    """Replace a memory's text, subject to the write policy."""
    whole = _one_change(memories)
    decision = revision.correct_memory(
        whole, memories.find(key), text, WriteOptions(reason=reason.strip() or None)
    )
    decision.check()
    shown = decision.other if decision.action == "reinforce" else decision.memory.id
    return Done(_decided(decision), whole.change_id(), None if decision.action == "hold" else shown)


def forget(memories: Memories, key: str, reason: str) -> Done:
    """Forget a memory, so that it can be restored."""
    whole = _one_change(memories)
    with memories.store.writing():
        [gone] = forget_memories(whole, [memories.find(key)], reason.strip() or "forgotten")
    return Done(f"forgotten: {_beginning(gone.text)}; u brings it back", whole.change_id())


def restore(memories: Memories, key: str) -> Done:
    """Restore an ended memory."""
    whole = _one_change(memories)
    with memories.store.writing():
        memory = memories.find(key)
        if not revision.is_over(memory, memories.now()):
            return Done("it is in force already")
        [(_, decision)], _ = revision.restore_memories(whole, [memory])
    said = _decided(decision) if decision.action == "reinforce" else f"restored: {_beginning(memory.text)}"
    return Done(said, whole.change_id(), decision.memory.id)


def undoable(memories: Memories) -> LastChange:
    """Return the change that an undo would take back. Raises NotFound."""
    key, events = last_change(memories)
    lines = [one_line(event_line(event)) for event in events]
    noted = (note for note in notes_of(memories, key) if not note.is_of_change)
    lines += [one_line(f"{note.action} {note.address}") for note in noted]
    if waiting := len(waiting_of(memories, key)):
        lines.append(f"{waiting} that {'waits' if waiting == 1 else 'wait'} for you")
    return LastChange(key, lines)


def undo(memories: Memories, key: str) -> Done:
    """Undo the change of that id or number."""
    undone = undo_change(memories, key)
    touched = [*(_beginning(each.text) for each in undone.memories), *map(one_line, undone.values)]
    touched += [f"link {ids.short_id(each.id)}" for each in undone.links]
    touched += [f"{len(undone.withdrawn)} withdrawn"] if undone.withdrawn else []
    touched += [f"{len(undone.waiting)} waiting again"] if undone.waiting else []
    if not touched:
        why = f": {one_line(undone.left[0])}" if undone.left else ""
        return Done(f"nothing was undone{why}")
    more = f" and {len(touched) - 1} more" if len(touched) > 1 else ""
    live = [each.id for each in undone.memories if each.ended_at is None]
    return Done(f"undone ({one_line(undone.action)}): {touched[0]}{more}", key=live[0] if live else None)


def accept(memories: Memories, entry: Entry) -> Done:
    """Accept a held memory or a proposed link; for a question, record that both memories hold."""
    whole = _one_change(memories)
    if entry.sort == "link":
        from memcli.graph import proposed_links

        with memories.store.writing():
            link = proposed_links.find_proposed_link(whole, entry.key)
            [made] = accept_waiting(whole, links=[link]).links
        return Done(f"{made.outcome}: {entry.text}", whole.change_id())
    if entry.sort == "question":
        close_waiting(whole, [memories.find(each) for each in entry.key.split()])
        return Done("both hold; the question is not put again", whole.change_id())
    with memories.store.writing():
        held = review.find_held(whole, entry.key)
        [decision] = accept_waiting(whole, [held]).decisions
    decision.check()
    return Done(f"accepted, {_decided(decision)}: {_beginning(held.memory.text)}", whole.change_id())


def reject(memories: Memories, entry: Entry) -> Done:
    """Reject what waits, so that it is not asked again."""
    if entry.sort == "question":
        return Done("a question is answered: a says that both hold; else forget or correct one of them")
    whole = _one_change(memories)
    with memories.store.writing():
        if entry.sort == "link":
            from memcli.graph import proposed_links

            reject_waiting(whole, links=[proposed_links.find_proposed_link(memories, entry.key)])
        else:
            reject_waiting(whole, [review.find_held(memories, entry.key)])
    said = f"rejected: {entry.text[:_BEGINNING]}; `mem review list --rejected` keeps it"
    return Done(said, whole.change_id())


def _one_change(memories: Memories) -> Memories:
    """Return the memories such that all that a key does is one change, whose id is known beforehand."""
    return memories.as_one_change(memories.change_id(), memories.origin)


def _decided(decision: Decision) -> str:
    said = _DECIDED[decision.action]
    return f"{said}: {one_line(decision.reason)}" if decision.action == "hold" else said


def _beginning(text: str) -> str:
    said = one_line(text[: 4 * _BEGINNING])
    return said if len(said) <= _BEGINNING else said[: _BEGINNING - 1] + "…"
