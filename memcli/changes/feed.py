"""Change feed: stream the recorded changes of memories from a given number on, while somebody listens.

A server notifies of writes (`Store.listening`); a file is polled, and read only if `Store.revision` has
changed. Keyed values and links have no history, and are not part of the feed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any, Protocol

from memcli.changes.space_history import events_in_space
from memcli.errors import StoreUnreachable
from memcli.messages import message
from memcli.model import Event
from memcli.scope import Scope
from memcli.storage.batches import in_batches
from memcli.times import to_iso

# How many lines of history are read and reported at once.
_BATCH = 256
# Seconds between two polls of a file; and of a server, in case a notification was lost.
_LOOK, _LOOK_ANYWAY = 0.1, 2.0


class Wait(Protocol):
    """The waiting of a watch, interruptible; see `memcli.system.waiting`."""

    def __call__(self, seconds: float, descriptor: int | None = None) -> bool:
        """Wait for some seconds, or until a descriptor is readable; return False to end the watch."""


def last_number(scope: Scope) -> int:
    """Return the number of the newest recorded change; 0 if there is none."""
    newest = next(scope.store.history(newest_first=True), None)
    return newest.number if newest else 0


class Watch:
    """The changes of a space, or of all, with a number above `after`, which advances as they are reported.

    A change is reported as JSON types. `number` counts the changes of the store, `version` those of the
    memory so far. Of an erased memory nothing more is known: `kind`, `version` and, across spaces, `space`
    are None.
    """

    def __init__(self, scope: Scope, after: int, *, all_spaces: bool = False) -> None:
        self.after = after
        self.is_replaced = False
        self._scope = scope
        self._all_spaces = all_spaces

    def told(self, since: datetime | None = None) -> Iterator[dict[str, Any]]:
        """Yield the changes recorded by now, in order; with `since` those that happened from then on."""
        for batch in in_batches(self._scope.store.history(after=self.after), _BATCH):
            some = [event for event in batch if since is None or event.at >= since]
            yield from self._records(some if self._all_spaces else list(events_in_space(self._scope, some)))
            self.after = batch[-1].number

    def follow(
        self, wait: Wait, notify: Callable[[str], None] = lambda line: None
    ) -> Iterator[dict[str, Any]]:
        """Yield the changes from now on, until `wait` ends it or another file replaces the store.

        A lost server is retried until it is back; `notify` is called once when it is lost.
        """
        store, seen, is_lost = self._scope.store, None, False
        place = store.place()
        look = _LOOK if store.path else _LOOK_ANYWAY
        with store.listening() as listener:
            while not self.is_replaced:
                try:
                    if listener or is_lost or store.revision() != seen:
                        seen = store.revision()
                        yield from self.told()
                    is_lost = False
                    if not wait(look, listener.fileno() if listener else None):
                        return
                    if listener:
                        listener.drain()
                    self.is_replaced = store.place() != place
                except StoreUnreachable as error:
                    if not is_lost:
                        notify(message(error, "; waiting until it is back"))
                    is_lost = True
                    if not wait(look):
                        return

    def _records(self, events: list[Event]) -> Iterator[dict[str, Any]]:
        store = self._scope.store
        here = {each.id: each for each in store.get(sorted({event.memory for event in events}))}
        numbers = {each: [event.number for event in store.history(each)] for each in here}
        unknown = None if self._all_spaces else self._scope.space
        for event in events:
            memory = here.get(event.memory)
            changed = {**(event.before or {}), **(event.after or {})}
            yield {
                "number": event.number,
                "id": event.memory,
                "kind": memory.kind if memory else None,
                "action": event.action,
                "space": changed.get("space", memory.space if memory else unknown),
                "at": to_iso(event.at),
                "version": sum(each <= event.number for each in numbers[event.memory]) if memory else None,
                "change": event.change,
                "actor": event.actor,
            }
