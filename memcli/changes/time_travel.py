"""Time travel: the store as of an instant, with what it knew then and nothing learned since."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime

from memcli import ids, times
from memcli.changes.space_history import events_in_space
from memcli.changes.values_as_of import take_values_back
from memcli.errors import NotFound
from memcli.graph.links import link_as_of
from memcli.memories import Memories
from memcli.model import Event, Filter
from memcli.scope import Scope
from memcli.storage.scratch import as_it_stood
from memcli.text.counting import counted

# How many of the values that are left out are named.
_NAMED = 8


@contextmanager
def store_as_of(
    memories: Memories, at: datetime, *, all_spaces: bool = False, names_values: bool = False
) -> Iterator[tuple[Memories, str | None]]:
    """Inside the context, the store answers as of an instant, and the clock stands still there.

    Yields the memories of that time, and a line that says why answers about the space (or with `all_spaces`
    about all) may be incomplete, or None; with `names_values` it names blocks, tasks and rules that are
    left out because their text at that time is not recorded. Raises NotFound for an instant before the
    store began.
    """
    record = memories.store.history()
    events = list(record if all_spaces else events_in_space(memories, record))
    began = _began(memories, events, all_spaces=all_spaces)
    if began is None or at < began:
        since = f"began on {times.local_time(began)}" if began else "is empty"
        what = memories.store.location if all_spaces else f"the space {memories.space!r}"
        raise NotFound(f"{what} {since}; nothing was known on {times.local_time(at)}")
    gone = sum(
        event.action in ("erase", "purge") and event.at > at and ids.instant_of_id(event.memory) <= at
        for event in events
    )
    spaces = None if all_spaces else (memories.space,)
    with as_it_stood(memories.store, at, spaces) as past:
        left_out = take_values_back(past, at, spaces)
        links = [(link, link_as_of(link, at)) for link in past.links()]
        past.put_links(then for link, then in links if then and then != link)
        then = memories.at(at).on(past)
        yield then, _incomplete(gone, left_out if names_values else ())


def _incomplete(gone: int, left_out: Sequence[str]) -> str | None:
    why = []
    if gone:
        were = "was" if gone == 1 else "were"
        why.append(f"{counted(gone, 'memory', 'memories')} of that time {were} erased since")
    if left_out:
        named = ", ".join(left_out[:_NAMED]) + (", …" if len(left_out) > _NAMED else "")
        why.append(f"left out, for it has changed since and no record tells what it said: {named}")
    return f"incomplete: {'; '.join(why)}" if why else None


def _began(scope: Scope, events: Sequence[Event], *, all_spaces: bool) -> datetime | None:
    """Return when the first thing was learned, even if it was erased since: an id contains its time."""
    known = [instant for event in events for instant in (ids.instant_of_id(event.memory), event.at)]
    where = Filter(spaces=None if all_spaces else (scope.space,), live=False)
    first = scope.store.select(where, order="oldest", limit=1)
    return min([*known, *(memory.created_at for memory in first)], default=None)
