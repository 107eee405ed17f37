"""Closed questions: pairs of memories that seemed to contradict, and that the owner said both hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memcli.memory_data import merged_ids
from memcli.model import Memory, State
from memcli.storage import Store, areas

# How many earlier versions of a memory are searched for a question that was closed before a merge.
_BACK = 20


def question_states(store: Store, spaces: Sequence[str] | None, key: str | None = None) -> list[State]:
    """Return the stored questions of some spaces; malformed ones are left out."""
    return [state for state in store.states(spaces, areas.QUESTION.name, key) if _sound(state.value)]


def _sound(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("asked"), str)
        and isinstance(value.get("ids"), list)
        and all(isinstance(each, str) for each in value["ids"])
    )


class ClosedQuestions:
    """The pairs of some spaces (None: of all) of which their owner said that both hold.

    They are read once, when this is made.
    """

    def __init__(self, store: Store, spaces: Sequence[str] | None) -> None:
        self._store = store
        closed = [state for state in question_states(store, spaces) if state.value.get("closed")]
        self._pairs = [set(state.value["ids"]) for state in closed]
        self._lineages: dict[str, set[str]] = {}

    def holds(self, one: str, other: str) -> bool:
        """True if the owner said that both memories (by id), or those they were merged from, hold."""
        if not self._pairs:
            return False
        ours, theirs = self._lineage(one), self._lineage(other)
        return any(
            len(pair & ours) == 1 and len(pair & theirs) == 1 and pair <= ours | theirs
            for pair in self._pairs
        )

    def without_closed(self, some: Sequence[Memory]) -> list[Memory]:
        """Return the memories, in order, without each that forms a closed pair with one before it."""
        if not self._pairs:
            return list(some)
        named = set().union(*self._pairs)
        kept: list[Memory] = []
        # Few memories are named in any question: only these are compared.
        asked: list[str] = []
        for memory in some:
            if not named.isdisjoint(self._lineage(memory.id)):
                if any(self.holds(other, memory.id) for other in asked):
                    continue
                asked.append(memory.id)
            kept.append(memory)
        return kept

    def _lineage(self, memory_id: str) -> set[str]:
        # Cached, because one memory is compared with many.
        if memory_id not in self._lineages:
            self._lineages[memory_id] = _lineage(self._store, memory_id)
        return self._lineages[memory_id]


def _lineage(store: Store, memory_id: str) -> set[str]:
    """Return the ids of a memory and of all that it was merged from, transitively; about `_BACK` at most."""
    found, waiting = {memory_id}, [memory_id]
    while waiting and len(found) < _BACK:
        for memory in store.get([waiting.pop()]):
            for each in merged_ids(memory):
                if each not in found:
                    found.add(each)
                    waiting.append(each)
    return found
