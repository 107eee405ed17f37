"""What is due or promised and perhaps replaced: where the lists of such things put it.

A judge said so when the newer was written, as its owner was told then. On that nothing is left out: the older
stands directly below the newer, which comes along where only the older is listed. Nothing is judged anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from memcli.model import Memory, judged_updates
from memcli.recall.ranking.replacement import is_told, may_replace


def told_updates(some: Iterable[Memory], both_hold: Callable[[str, str], bool]) -> dict[str, Memory]:
    """By the id of each memory that others perhaps update, the newest of these; no pairs that `both_hold`."""
    known = {each.id: each for each in some}
    found: dict[str, Memory] = {}
    for newer in sorted(known.values(), key=_told):
        for old in judged_updates(newer):
            if (
                is_told(newer, old)
                and old in known
                and may_replace(newer, known[old])
                and not both_hold(old, newer.id)
            ):
                found[old] = newer
    return found


def below_the_newer(
    listed: Sequence[Memory], updates: Mapping[str, Memory]
) -> Iterator[tuple[Memory, str | None]]:
    """What is listed, and with what is perhaps updated the id of the newest that does (`told_updates`).

    That stands directly above it: at its own place in the list, else where the first of the older ones stood.
    """
    groups: dict[str, list[Memory]] = {}
    for each in listed:
        groups.setdefault(newest_of(each, updates).id, []).append(each)
    standing = {each.id for each in listed}
    for each in listed:
        newest = newest_of(each, updates)
        if newest.id in groups and (each is newest or newest.id not in standing):
            yield newest, None
            older = [other for other in groups.pop(newest.id) if other.id != newest.id]
            yield from ((other, newest.id) for other in sorted(older, key=_told, reverse=True))


def newest_of(memory: Memory, updates: Mapping[str, Memory]) -> Memory:
    """The last of those that update a memory, one after the other; itself where nothing does."""
    # Each is told later than the one before: this ends.
    while newer := updates.get(memory.id):
        memory = newer
    return memory


def _told(memory: Memory) -> tuple[datetime, str]:
    return memory.happened_at, memory.id
