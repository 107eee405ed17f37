"""What consolidation reads from the record: what is news to a step, and where its owner overruled it."""

from __future__ import annotations

from collections.abc import Container
from datetime import datetime

from memcli.changes.past_changes import UNDO
from memcli.changes.values_before import values_before
from memcli.consolidation.proposals import ORIGIN
from memcli.model import Event, Memory
from memcli.named_tuple import NamedTuple
from memcli.origins import is_through
from memcli.scope import Scope

# What a change of this name brings is no news: nothing was said, or the owner took something back.
_NO_NEWS = frozenset(
    {
        "end",
        "expire",
        "purge",
        "erase",
        "touch",
        "confirm",
        "repeat",
        "doubt",
        "fold",
        "relate",
        "resolve",
        "rollback",
        UNDO,
    }
)
# What consolidation signs with: folding does it by its own name.
_OURS = (ORIGIN, "folding")


class News(NamedTuple):
    """Memories that came or changed, oldest change first, each with the number of its line of history."""

    numbers: list[tuple[int, str]]
    read_to: int


def news_since(scope: Scope, after: int, own: Container[str]) -> News:
    """What came or changed since line `after` of history, but by consolidation's `own` actions."""
    found: dict[str, int] = {}
    newest = after
    for event in scope.store.history(newest_first=True):
        if event.number <= after:
            break
        newest = max(newest, event.number)
        if event.action in _NO_NEWS or (is_through(event.actor, ORIGIN) and event.action in own):
            continue
        found[event.memory] = event.number
    return News(sorted((number, memory) for memory, number in found.items()), newest)


def erased_since(scope: Scope, after: int) -> bool:
    """Whether anything was erased for good since line `after` of history."""
    for event in scope.store.history(newest_first=True):
        if event.number <= after:
            break
        if event.action == "erase":
            return True
    return False


def undone_since(scope: Scope, after: int) -> set[str]:
    """The changes that were taken back since line `after` of history, and are not done again."""
    undos = {(note.at, note.change): note.undoes for note in values_before(scope.store) if note.undoes}
    for event in scope.store.history(newest_first=True):
        if event.number <= after:
            break
        if event.undoes and event.change:
            undos[event.at, event.change] = event.undoes
    undone = set[str]()
    for (_, change), undoes in sorted(undos.items(), reverse=True):
        if undoes and change not in undone:
            undone.add(undoes)
    return undone


def brought_back(scope: Scope, memory: Memory, since: datetime | None = None) -> bool:
    """Whether its owner brought this memory back after consolidation had ended it: then it stays.

    With `since` only what was brought back from then on counts.
    """
    ended, back = False, None
    for event in scope.store.history(memory.id):
        if _is_ours(event) and (event.after or {}).get("ended_at"):
            ended = True
        elif ended and "ended_at" in (event.after or {}) and not (event.after or {})["ended_at"]:
            back = event.at
    return back is not None and (since is None or back >= since)


def ended_by_owner(scope: Scope, memory: Memory) -> bool:
    """Whether it was the owner, or a program on the owner's behalf, who ended a memory."""
    by_owner = False
    for event in scope.store.history(memory.id):
        if (event.after or {}).get("ended_at"):
            by_owner = not _is_ours(event)
    return by_owner


def _is_ours(event: Event) -> bool:
    return any(is_through(event.actor, door) for door in _OURS)
