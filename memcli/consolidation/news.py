"""News for the steps, read from the history, and the owner's decisions against earlier consolidations."""

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

# Actions that bring no news: nothing new was said, or the owner took something back.
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
# The actors of consolidation: folding has its own name.
_OURS = (ORIGIN, "folding")


class News(NamedTuple):
    """Memories that came or changed, oldest change first, each with the number of its history line."""

    numbers: list[tuple[int, str]]
    read_to: int


def news_since(scope: Scope, after: int, own: Container[str]) -> News:
    """Return what came or changed since history line `after`, except by consolidation's `own` actions."""
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
    """True if anything was erased for good since history line `after`."""
    for event in scope.store.history(newest_first=True):
        if event.number <= after:
            break
        if event.action == "erase":
            return True
    return False


def undone_since(scope: Scope, after: int) -> set[str]:
    """Return the changes that were undone since history line `after`, and not redone."""
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
    """True if the owner restored this memory after consolidation had ended it: then it stays.

    With `since` only a restoration from then on counts.
    """
    ended, back = False, None
    for event in scope.store.history(memory.id):
        if _is_ours(event) and (event.after or {}).get("ended_at"):
            ended = True
        elif ended and "ended_at" in (event.after or {}) and not (event.after or {})["ended_at"]:
            back = event.at
    return back is not None and (since is None or back >= since)


def ended_by_owner(scope: Scope, memory: Memory) -> bool:
    """True if the owner, or a program on the owner's behalf, ended a memory."""
    by_owner = False
    for event in scope.store.history(memory.id):
        if (event.after or {}).get("ended_at"):
            by_owner = not _is_ours(event)
    return by_owner


def _is_ours(event: Event) -> bool:
    return any(is_through(event.actor, door) for door in _OURS)
