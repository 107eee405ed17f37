"""Where calls are carried out: one at a time, each on a store that it opens and closes."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TypeVar

from memcli.agents.mcp.replies import complain
from memcli.config.config import Config
from memcli.config.settings import environment_variable
from memcli.errors import NotFound, StoreUnusable
from memcli.location import Location
from memcli.memories import Memories, open_memories
from memcli.model import EVERYWHERE
from memcli.storage import areas

T = TypeVar("T")


class NoStore(NotFound):
    """Nothing was ever remembered: there is no store yet."""


class Desk:
    """A client's place: its origin, and the store and space that it works in (None: the configured ones)."""

    def __init__(self, name: str, *, db: Location | None = None, space: str | None = None) -> None:
        self.origin = f"mcp:{name}"
        self._db = db
        self._space = space

    def carry_out(self, work: Callable[[Memories], T], *, create: bool = False) -> T:
        """What `work` gives back for the store, which is closed again by then.

        Settings are read anew each time, as a command does. Raises NoStore where there is
        none and none is to be made, and what `work` raises.
        """
        config = Config({**os.environ, environment_variable("origin"): self.origin})
        location = self._db or config["db"]
        try:
            memories = open_memories(
                location, space=self._space, config=config, create=create, notify=complain
            )
        except NotFound as error:
            raise NoStore(str(error)) from error
        with memories:
            if any(memories.store.states((EVERYWHERE,), areas.ERASURE.name)):
                _finish_erasure(memories)
            return work(memories)


def _finish_erasure(memories: Memories) -> None:
    """What an erasure left to do is tried again before anything else, as by every command."""
    from memcli.changes.forgetting.unfinished import finish_erasure

    try:
        finish_erasure(memories)
    except StoreUnusable as error:
        complain(str(error))
