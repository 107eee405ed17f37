"""Open questions: pairs that only their owner can decide on. `mem audit` shows them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from memcli.memories import Memories
from memcli.model import Memory, State

AREA = "consolidation"
_PREFIX = "question:"


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
            found = memories.store.get(state.value["ids"])
            pair = [each for each in found if each.ended_at is None and each.space == memories.space]
            if len(pair) == 2:
                yield Question(state.value["asked"], pair[0], pair[1])


def drop_settled(memories: Memories) -> int:
    """Forget the questions that nobody has to decide on any more; how many."""
    standing = {
        _PREFIX + "+".join(sorted((each.older.id, each.newer.id))) for each in open_questions(memories)
    }
    known = [state.key for state in memories.store.states((memories.space,), AREA)]
    settled = [key for key in known if key.startswith(_PREFIX) and key not in standing]
    with memories.store.writing():
        return sum(memories.store.drop_state(memories.space, AREA, key) for key in settled)
