"""Replaced entries: where a list of due dates or promises puts what a newer memory may have replaced.

The judgement was made, and told to the owner, when the newer memory was written; nothing is judged anew.
Nothing is left out of a list: the older memory stands directly below the newer, which is added to the list if
only the older was in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from memcli.model import Memory, judged_updates
from memcli.recall.ranking.replacement import is_told, may_replace


def told_updates(some: Iterable[Memory], both_hold: Callable[[str, str], bool]) -> dict[str, Memory]:
    """Return, by the id of each memory that may have been updated, the newest memory that updates it.

    Pairs for which `both_hold` is true are left out.
    """
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
    """Yield the listed memories, each with the id of the newest memory that may update it, or None.

    That newest memory stands directly above them: at its own place in the list, or, if it was not listed,
    where the first of the older ones stood. `updates` is what `told_updates` returns.
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
    """Return the last of the memories that update one, one after the other; itself if none does."""
    # Every update is later than what it updates, so this ends.
    while newer := updates.get(memory.id):
        memory = newer
    return memory


def _told(memory: Memory) -> tuple[datetime, str]:
    return memory.happened_at, memory.id
