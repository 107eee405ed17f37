"""The store as it stood on a day: what it knew then, whatever has been learned since."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime

from memcli import ids, times
from memcli.changes.space_history import events_in_space
from memcli.errors import NotFound
from memcli.graph.links import link_as_of
from memcli.memories import Memories
from memcli.model import Event, Filter
from memcli.scope import Scope
from memcli.storage.scratch import as_it_stood
from memcli.text.counting import counted


@contextmanager
def store_as_of(
    memories: Memories, at: datetime, *, all_spaces: bool = False
) -> Iterator[tuple[Memories, str | None]]:
    """Inside, the store answers as it stood at an instant, and the clock stands still there.

    Gives the memories of then, and a line that says why the answers about the
    space (or with `all_spaces` about all) may be incomplete, or None. Raises
    NotFound for an instant before it began.
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
    with as_it_stood(memories.store, at, None if all_spaces else (memories.space,)) as past:
        links = [(link, link_as_of(link, at)) for link in past.links()]
        past.put_links(then for link, then in links if then and then != link)
        then = memories.at(at).on(past)
        yield then, _incomplete(gone)


def _incomplete(gone: int) -> str | None:
    if not gone:
        return None
    were = "was" if gone == 1 else "were"
    return f"incomplete: {counted(gone, 'memory', 'memories')} of that time {were} erased since"


def _began(scope: Scope, events: Sequence[Event], *, all_spaces: bool) -> datetime | None:
    """When the first thing was learned, be it erased since: an id tells when it was made."""
    known = [instant for event in events for instant in (ids.instant_of_id(event.memory), event.at)]
    where = Filter(spaces=None if all_spaces else (scope.space,), live=False)
    first = scope.store.select(where, order="oldest", limit=1)
    return min([*known, *(memory.created_at for memory in first)], default=None)
