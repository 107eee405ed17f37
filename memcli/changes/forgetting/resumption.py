"""Resumption: an interrupted erasure is finished by the next command that opens the store.

This is checked at every opening, so the code that finishes it is imported only if needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from memcli.config.config import Config
from memcli.config.location import Location
from memcli.errors import StoreUnusable
from memcli.memories import Memories, open_memories
from memcli.scope import Scope
from memcli.storage.states import is_erasure_cut_off


@contextmanager
def opened_to_work(
    location: Location | None,
    *,
    space: str | None,
    config: Config,
    notify: Callable[[str], None],
    create: bool = False,
    force: bool = False,
) -> Iterator[Memories]:
    """Open a store as `open_memories` does and close it at the end; an interrupted erasure is resumed first.

    Raises NotFound; StoreUnusable if it cannot be opened. `notify` is called with what is left of an erasure.
    """
    with open_memories(
        location, space=space, config=config, create=create, notify=notify, force=force
    ) as memories:
        resume_erasure(memories, notify)
        yield memories


def resume_erasure(scope: Scope, tell: Callable[[str], None]) -> None:
    """Finish an interrupted erasure, if there is one; `tell` is called with what is left of it, and why."""
    if not is_erasure_cut_off(scope.store):
        return
    from memcli.changes.forgetting.unfinished import finish_erasure

    try:
        finish_erasure(scope)
    except StoreUnusable as error:
        tell(error.in_passing())
