"""Settlement of a write by an agent: what it wrote says the same as a memory, replaces it, or both hold.

Of memories from untrusted origins an agent settles everything. Of the owner's memories it settles nothing:
its own text is kept or dropped as it says, and the question remains for the owner.
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
    """Drop a text that, as an agent says, repeats an owner's memory; return what to tell it, or None.

    What had been kept for it is ended, merged into the owner's memory. This does not confirm that: repetition
    by an agent is no proof. Its words are put on the memory's record. Raises Refused for a text that may not
    come in at all.
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
    """Return the draft without owner's memories among those it holds beside, and a line on each of these."""
    beside = {each: _in_force(memories, each) for each in draft.both_hold}
    owners = {each: memory for each, memory in beside.items() if _is_its_owners(memories, memory)}
    left = [f"Whether it holds beside {each.id} is for its owner to say." for each in owners.values()]
    return replace(draft, both_hold=tuple(each for each in beside if each not in owners)), left


def _in_force(memories: Memories, fragment: str) -> Memory:
    return require_in_force(memories.store, memories.find(fragment))


def _is_its_owners(memories: Memories, memory: Memory) -> bool:
    return memories.is_untrusted and memory.trusted


def _keep_words(memories: Memories, draft: Draft, owners: Memory) -> None:
    """Put a draft's words on the record of an owner's memory, once. Raises Refused, NotFound."""
    new = new_memories(memories, [replace(draft, same_as=None, both_hold=(), supersedes=None)]).memories[0]
    # Only the rules on what must never come in are applied.
    case = Gate(memories, WriteOptions(carried=True), memories.now()).examine(new)
    if case.verdict:
        case.verdict.check()
    line = repetition(owners.id, case.memory.text, memories.change(REPEAT), memories.origin, memories.now())
    with memories.store.writing():
        # Looked up again: words on the record of a memory erased meanwhile would outlive it.
        owners = _in_force(memories, owners.id)
        if is_reworded(owners, case.memory.text) and not is_on_record(memories.store, line):
            check_flood(memories, LINES, said_again_by(memories.store, line.actor))
            memories.store.put_history([line])


def _kept_for(memories: Memories, draft: Draft, owners: Memory) -> Memory | None:
    """Return the untrusted memory that was kept for a text; None if there is none."""
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
