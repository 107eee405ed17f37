"""Carrying an erasure to its end, whatever happens in between.

The rows go in one transaction, together with a note of what is still to be
cleaned. Only when all is clean the note goes; where a process was killed before,
the next command finds it and finishes.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from memcli.errors import StoreBusy
from memcli.model import EVERYWHERE, State
from memcli.scope import Scope
from memcli.storage import Erasure, Store, areas
from memcli.system.locks import hold_lock

_KEY = "erasure"


@contextmanager
def erasure_lock(scope: Scope, *, patience: float) -> Iterator[None]:
    """Erase as the only process that does; StoreBusy where another is at it for `patience` seconds."""
    busy = f"{scope.store.location}: another process is erasing"
    with hold_lock(_lock_file(scope), busy=busy, patience=patience):
        yield


def is_unfinished(scope: Scope) -> bool:
    """Whether an erasure was cut off before the files were clean."""
    return any(scope.store.states((EVERYWHERE,), areas.ERASURE.name))


def record_unfinished(scope: Scope, erasure: Erasure) -> None:
    """Note, in the transaction that erases, what has still to go from backups; what was noted stays.

    Of what is rewritten only which: what it says by now the store says.
    """
    asked: dict[str, Any] = {
        "ids": list(erasure.ids), "states": [list(each) for each in erasure.states],
        "spaces": list(erasure.spaces), "events": [event.number for event in erasure.events],
        "links": [link.id for link in erasure.links], "memories": [each.id for each in erasure.memories],
    }  # fmt: skip
    for before in scope.store.states((EVERYWHERE,), areas.ERASURE.name, _KEY):
        asked = {name: [*value, *(before.value or {}).get(name, ())] for name, value in asked.items()}
    now = scope.now()
    scope.store.put_state(State(EVERYWHERE, areas.ERASURE.name, _KEY, asked, 1, now, now))


def _unfinished(store: Store, asked: dict[str, Any]) -> Erasure:
    events, links = set(asked.get("events", ())), set(asked.get("links", ()))
    return Erasure(
        ids=asked.get("ids", ()),
        states=[(space, area, key) for space, area, key in asked.get("states", ())],
        spaces=asked.get("spaces", ()),
        events=[each for each in store.history() if each.number in events] if events else [],
        links=[each for each in store.links() if each.id in links] if links else [],
        memories=store.get(asked.get("memories", ())),
    )


def clear_unfinished(scope: Scope) -> None:
    """All is clean: drop the note, and what it said from the log."""
    scope.store.drop_state(EVERYWHERE, areas.ERASURE.name, _KEY)
    scope.store.scrub()


def finish_erasure(scope: Scope) -> bool:
    """Finish an erasure that was cut off; False where there is none, or it is somebody else's.

    Raises StoreBusy where a reader holds on to an older state, StoreUnusable.
    """
    store = scope.store
    if not store.writable:
        return False
    try:
        with erasure_lock(scope, patience=0):
            state = next(store.states((EVERYWHERE,), areas.ERASURE.name, _KEY), None)
            if state is None:
                return False
            store.erase_from_backups(_unfinished(store, state.value or {}))
            store.scrub(thoroughly=True)
            clear_unfinished(scope)
    except StoreBusy:
        if is_being_erased(scope):
            return False
        raise
    return True


def is_being_erased(scope: Scope) -> bool:
    """Whether another process is erasing now."""
    from memcli.system.locks import is_locked

    return is_locked(_lock_file(scope))


def _lock_file(scope: Scope) -> Path:
    return Path(f"{scope.store.location}.erasing")
