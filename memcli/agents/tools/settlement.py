"""An agent settles what the policy asks of what it wrote: the same, replaced, or both hold.

Of what came in through untrusted doors it settles all. Of what is its owner's it settles nothing:
its own text is kept or let go as it says, and the question stays its owner's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memcli.memories import Memories
from memcli.model import Memory
from memcli.storage.lookup import require_in_force
from memcli.write_policy.admission import admit_drafts
from memcli.write_policy.drafts import Draft, new_memories
from memcli.write_policy.flood import check_flood
from memcli.write_policy.gate import Gate
from memcli.write_policy.said_again import (
    LINES,
    REPEAT,
    is_on_record,
    is_reworded,
    repetition,
    said_again_by,
)
from memcli.write_policy.settings import WriteOptions


def drop_repetition(memories: Memories, draft: Draft) -> str | None:
    """Let go of what an agent says an owner's memory says already; what to tell it, None where it is not so.

    What had been kept for it is ended, merged into the owner's. That is not confirmed: what an agent
    hears again and again is no proof. Its words stand on the owner's record. Raises Refused for what may
    not come in at all.
    """
    owners = _in_force(memories, draft.same_as or "")
    if not _is_its_owners(memories, owners):
        return None
    _keep_words(memories, draft, owners)
    kept = _kept_for(memories, replace(draft, same_as=None, both_hold=()), owners)
    said = [f"The same as {owners.id}, as you say: nothing new is kept, and that stays as it is."]
    if kept:
        memories.end([kept.id], f"merged into {owners.id}", "merged", owners.id)
        said.append(f"{kept.id}, which was kept for it, is ended.")
    return " ".join(said)


def without_owners_memories(memories: Memories, draft: Draft) -> tuple[Draft, Sequence[str]]:
    """The draft without those of its owner that it is said to hold beside; and what to say of each."""
    beside = {each: _in_force(memories, each) for each in draft.both_hold}
    owners = {each: memory for each, memory in beside.items() if _is_its_owners(memories, memory)}
    left = [f"Whether it holds beside {each.id} is for its owner to say." for each in owners.values()]
    return replace(draft, both_hold=tuple(each for each in beside if each not in owners)), left


def _in_force(memories: Memories, fragment: str) -> Memory:
    return require_in_force(memories.store, memories.find(fragment))


def _is_its_owners(memories: Memories, memory: Memory) -> bool:
    return memories.is_untrusted and memory.trusted


def _keep_words(memories: Memories, draft: Draft, owners: Memory) -> None:
    """Put a draft's words on its owner's record, once. Raises Refused, or NotFound where that is gone."""
    new = new_memories(memories, [replace(draft, same_as=None, both_hold=(), supersedes=None)]).memories[0]
    # Only what must never come in is looked at.
    case = Gate(memories, WriteOptions(carried=True), memories.now()).examine(new)
    if case.verdict:
        case.verdict.check()
    line = repetition(owners.id, case.memory.text, memories.change(REPEAT), memories.origin, memories.now())
    with memories.store.writing():
        # Words on the record of what was erased meanwhile would outlive it.
        owners = _in_force(memories, owners.id)
        if is_reworded(owners, case.memory.text) and not is_on_record(memories.store, line):
            check_flood(memories, LINES, said_again_by(memories.store, line.actor))
            memories.store.put_history([line])


def _kept_for(memories: Memories, draft: Draft, owners: Memory) -> Memory | None:
    """The untrusted memory that was kept for a text; None where none was."""
    [decision] = admit_drafts(memories, memories.model, [draft], dry_run=True)
    found = dict.fromkeys([decision.memory.id, *(each.id for each in decision.near)])
    return next(
        (
            each
            for each in memories.store.get(list(found))
            if each.id != owners.id and not each.trusted and not each.ended_at
            if each.text.strip() == draft.text.strip()
        ),
        None,
    )
