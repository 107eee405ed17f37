"""What was erased on one machine and corrected on another, which did not know: the correction is a memory of
its own and stays, so its owner is told of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from memcli.changes.forgetting.targets import removal_command
from memcli.memories import Memories
from memcli.model import Event, Memory
from memcli.named_tuple import NamedTuple
from memcli.storage import Store


class SurvivingSuccessor(NamedTuple):
    """An erased memory, by its id, what stands in its place, and the command that erases that as well."""

    memory: str
    stands: Memory
    command: str


def news_of_successors(store: Store, events: list[Event]) -> dict[str, str]:
    """By the ids of memories that took another's place the ids of these, by lines that are not on record."""
    told = {each.memory: former for each in events if (former := _former(each))}
    return {key: former for key, former in told.items() if former not in map(_former, store.history(key))}


def _former(event: Event) -> str | None:
    """The id of the memory that the one of this line took the place of, where the line says so."""
    former = (event.after or {}).get("supersedes")
    return former if isinstance(former, str) else None


def outlived(memories: Memories, successors: Mapping[str, str]) -> Iterator[SurvivingSuccessor]:
    """Of what took the place of others (by id theirs) that whose former memory is erased here by now."""
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
    """Whether a memory of this id is on record as erased."""
    return any(event.action == "erase" for event in store.history(memory))
