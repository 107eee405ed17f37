"""SurvivingSuccessor erasures: a memory erased on one machine, and corrected on another that did not know.

The correction is a memory of its own and stays, so the owner is told.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from memcli.changes.forgetting.targets import removal_command
from memcli.memories import Memories
from memcli.model import Event, Memory
from memcli.named_tuple import NamedTuple
from memcli.storage import Store


class SurvivingSuccessor(NamedTuple):
    """An erased memory's id, the memory that still stands in its place, and the command that erases it."""

    memory: str
    stands: Memory
    command: str


def news_of_successors(store: Store, events: list[Event]) -> dict[str, str]:
    """Map memories that replaced another to the id of that one, by history lines that are not here yet."""
    told = {each.memory: former for each in events if (former := _former(each))}
    return {key: former for key, former in told.items() if former not in map(_former, store.history(key))}


def _former(event: Event) -> str | None:
    """Return the id of the memory that this line's memory replaced, if the line says so."""
    former = (event.after or {}).get("supersedes")
    return former if isinstance(former, str) else None


def outlived(memories: Memories, successors: Mapping[str, str]) -> Iterator[SurvivingSuccessor]:
    """Yield the successors (by id, with what they replaced) whose former memory is erased here."""
    told: set[str] = set()
    for successor, former in sorted(successors.items()):
        if not has_erased(memories.store, former):
            continue
        for each in memories.store.get([successor]):
            stands = memories.current_version(each)
            if stands.ended_at is None and stands.id not in told:
                told.add(stands.id)
                yield SurvivingSuccessor(
                    former, stands, removal_command(memories.in_space(stands.space), [stands.id])
                )


def has_erased(store: Store, memory: str) -> bool:
    """True if the history records an erasure of this id."""
    return any(event.action == "erase" for event in store.history(memory))
