"""Memories corrected twice: on two machines that did not know of each other; both corrections stand."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from memcli.model import Memory
from memcli.named_tuple import NamedTuple
from memcli.storage import Store
from memcli.storage.lookup import current_versions


class CorrectedTwice(NamedTuple):
    """A memory, by its id, and the several memories that replace it."""

    memory: str
    stand: tuple[Memory, ...]


def corrected_twice(store: Store, replaced: Mapping[str, Collection[str]]) -> Iterator[CorrectedTwice]:
    """Yield the memories (given with what replaced each) for which several different texts are in force."""
    for memory, by in sorted(replaced.items()):
        latest = current_versions(store, store.get(sorted(by)))
        stand = {each.text: each for each in latest if each.ended_at is None}
        if len(stand) > 1:
            yield CorrectedTwice(memory, tuple(stand.values()))
