"""Open questions: pairs that only their owner can decide on. `mem audit` shows them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from memcli.memories import Memories, batched
from memcli.model import Filter, Memory, State

AREA = "consolidation"
_PREFIX = "question:"
# Settled ones that one transaction drops.
_DROPPED_AT_ONCE = 64


class Question(NamedTuple):
    """Two memories, both in force, and what is asked about them: `contradiction` or `duplicate`."""

    asked: str
    older: Memory
    newer: Memory


def ask(memories: Memories, ids: Sequence[str], asked: str) -> bool:
    """Put a question; whether it is a new one. One that was closed by its owner is not put again."""
    now = memories.now()
    key = _PREFIX + "+".join(sorted(ids))
    value = {"asked": asked, "ids": list(ids)}
    return memories.store.put_state(
        State(memories.space, AREA, key, value, 1, now, now, None), expected_version=0
    )


def open_questions(memories: Memories) -> Iterator[Question]:
    """The questions both of whose memories are still in force, oldest first."""
    for state in memories.store.states((memories.space,), AREA):
        if state.key.startswith(_PREFIX):
            pair = [each for each in memories.store.get(state.value["ids"]) if each.ended_at is None]
            if len(pair) == 2:
                yield Question(state.value["asked"], pair[0], pair[1])


def drop_settled(memories: Memories) -> int:
    """Forget the questions that nobody has to decide on any more; how many."""
    store = memories.store
    asked = {
        state.key: state.value["ids"]
        for state in store.states((memories.space,), AREA)
        if state.key.startswith(_PREFIX)
    }
    # There may be thousands, so their memories are not read: only whether they are in force.
    refs = store.references(list({memory: None for pair in asked.values() for memory in pair}))
    standing = store.among(list(refs.values()), Filter(spaces=(memories.space,)))
    settled = [key for key, pair in asked.items() if not all(refs.get(each) in standing for each in pair)]
    for some in batched(settled, _DROPPED_AT_ONCE):
        with store.writing():
            for key in some:
                store.drop_state(memories.space, AREA, key)
    return len(settled)
