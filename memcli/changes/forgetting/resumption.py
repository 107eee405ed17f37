"""An erasure that was cut off is finished by the next one who opens the store, before anything else.

Whether there is one is asked at every opening: only where there is, what finishes it is imported.
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
    """A store as `open_memories` opens it, closed again at the end; an erasure that was cut off comes first.

    Raises NotFound, StoreUnusable where it cannot be opened; `notify` is told what is left of an erasure.
    """
    with open_memories(
        location, space=space, config=config, create=create, notify=notify, force=force
    ) as memories:
        resume_erasure(memories, notify)
        yield memories


def resume_erasure(scope: Scope, tell: Callable[[str], None]) -> None:
    """Finish an erasure that was cut off, if there is one; `tell` is told what is left of it, and why."""
    if not is_erasure_cut_off(scope.store):
        return
    from memcli.changes.forgetting.unfinished import finish_erasure

    try:
        finish_erasure(scope)
    except StoreUnusable as error:
        tell(error.in_passing())
