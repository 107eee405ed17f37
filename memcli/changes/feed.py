"""Changes as they come: what is on record of memories, from a number on, for as long as somebody listens.

A server says when something was written (`Store.listening`); a file is looked at, and read only where
`Store.revision` is another one. Keyed values and links have no record, and are not told of.
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

# So many lines of history are told at once.
_BATCH = 256
# Seconds between two looks at a file; and at a server, lest a word of it was lost.
_LOOK, _LOOK_ANYWAY = 0.1, 2.0


class Wait(Protocol):
    """How a watch waits: see `memcli.system.waiting`."""

    def __call__(self, seconds: float, descriptor: int | None = None) -> bool:
        """Wait so long, or until a descriptor can be read; whether anybody still wants to know."""


def last_number(scope: Scope) -> int:
    """The number of the newest change on record; 0 where there is none."""
    newest = next(scope.store.history(newest_first=True), None)
    return newest.number if newest else 0


class Watch:
    """The changes of a space, or of all, with a number after `after`, which moves on as they are told.

    A change is told as JSON types. `number` counts those of the store, `version` those of the memory so far.
    Of what is erased no more is known than that: `kind` and `version`, and across spaces `space`, are None.
    """

    def __init__(self, scope: Scope, after: int, *, all_spaces: bool = False) -> None:
        self.after = after
        self.is_replaced = False
        self._scope = scope
        self._all_spaces = all_spaces

    def told(self, since: datetime | None = None) -> Iterator[dict[str, Any]]:
        """The changes on record by now, in order; with `since` those that happened from then on."""
        for batch in in_batches(self._scope.store.history(after=self.after), _BATCH):
            some = [event for event in batch if since is None or event.at >= since]
            yield from self._records(some if self._all_spaces else list(events_in_space(self._scope, some)))
            self.after = batch[-1].number

    def follow(
        self, wait: Wait, notify: Callable[[str], None] = lambda line: None
    ) -> Iterator[dict[str, Any]]:
        """The changes that come from now on, until `wait` ends it or another file is in the store's place.

        A server that is gone is looked for until it is back; `notify` hears once that it is gone.
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
