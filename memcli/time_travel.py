"""The store as it stood on a day: what it knew then, whatever has been learned since."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from itertools import islice

from memcli import ids, times
from memcli.errors import NotFound
from memcli.memories import Memories
from memcli.model import Filter


@contextmanager
def as_of(memories: Memories, at: datetime) -> Iterator[str | None]:
    """Inside, the store answers as it stood at an instant, and the clock stands still there.

    Gives a line that says why the answers may be incomplete, or None.
    Raises NotFound for an instant before the store began.
    """
    began = _began(memories)
    if began is None or at < began:
        since = f"began on {times.local(began)}" if began else "is empty"
        raise NotFound(f"{memories.store.location} {since}; nothing was known on {times.local(at)}")
    gone = sum(
        event.action in ("erase", "purge") and event.at > at and ids.instant(event.memory) <= at
        for event in memories.store.history()
    )
    present, memories.now = memories.now, lambda: at
    try:
        with memories.store.as_of(at):
            yield f"incomplete: {gone} memories of that time were erased since" if gone else None
    finally:
        memories.now = present


def _began(memories: Memories) -> datetime | None:
    """When the store learned the first thing, be it erased since: an id tells when it was made."""
    known = [ids.instant(event.memory) for event in memories.store.history()]
    known += [event.at for event in islice(memories.store.history(), 1)]
    everything = memories.store.select(Filter(spaces=None, live=False), order="oldest", limit=1)
    return min([*known, *(memory.created_at for memory in everything)], default=None)
