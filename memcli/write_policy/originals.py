"""Originals: the stored texts that memcli may have printed, by which echoes in incoming text are found."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cached_property

from memcli.model import Filter, Memory, memory_from_record
from memcli.prompt import formats
from memcli.prompt.matching import says
from memcli.storage import Store, areas


class StoredOriginals:
    """The originals of one space (see `memcli.prompt.matching`); each sort is read once, when needed."""

    def __init__(self, store: Store, space: str) -> None:
        self._store = store
        self._space = space

    def memory(self, tail: str) -> Memory | None:
        """Return the memory, stored or held, whose id ends so; None if none or several do."""
        found = self._store.get(self._store.find_ids(tail, 2, (self._space,)))
        if not found:
            found = [memory for memory in self._held if memory.id.endswith(tail)]
        return found[0] if len(found) == 1 else None

    def texts(self) -> Collection[str]:
        """Return the texts of episodes and links, and the descriptions of blocks, tasks and procedures."""
        return self._texts

    def holds(self, printed: str) -> bool:
        """True if a memory, in force or ended, says exactly what was printed; reads every memory."""
        every = self._store.select(Filter(spaces=(self._space,), live=False))
        return any(says(memory, printed) for memory in every)

    def labels(self) -> Collection[str]:
        """Return the blocks in their printed form."""
        return self._labels

    @cached_property
    def _held(self) -> list[Memory]:
        states = self._store.states((self._space,), areas.HELD.name)
        return [memory_from_record(state.value["memory"]) for state in states]

    @cached_property
    def _texts(self) -> list[str]:
        turns = self._store.select(Filter(spaces=(self._space,), kinds=("episode",), live=False))
        links = self._store.links((self._space,))
        return [
            *(turn.text for turn in turns),
            *(f"{link.subject} {link.relation} {link.object}" for link in links),
            *self._listed(),
        ]

    def _listed(self) -> Iterator[str]:
        for state in self._store.states((self._space,), areas.BLOCK.name):
            yield str(state.value.get("description") or state.value["versions"][-1]["text"] or "")
        for state in self._store.states((self._space,), areas.TASK.name):
            yield str(state.value.get("goal", ""))
        for memory in self._store.select(Filter(spaces=(self._space,), kinds=("procedure",), live=False)):
            yield str(memory.data.get("description") or memory.text)

    @cached_property
    def _labels(self) -> list[str]:
        states = self._store.states((self._space,), areas.BLOCK.name)
        return [
            formats.LABELLED.format(label=state.key, text=state.value["versions"][-1]["text"])
            for state in states
        ]
