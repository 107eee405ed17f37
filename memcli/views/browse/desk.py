"""Where the screen's work is carried out: one thing at a time, each on a store that it opens and closes."""

from __future__ import annotations

import os
from collections.abc import Callable
from threading import Lock
from typing import TypeVar

from memcli.changes.forgetting.resumption import opened_to_work
from memcli.config.config import Config
from memcli.config.location import Location
from memcli.config.settings import environment_variable
from memcli.memories import Memories
from memcli.model import DEFAULT_SPACE

T = TypeVar("T")
# Who sits at a screen is told after so many seconds that the store is busy, and may try again; seconds.
_PATIENCE = 3.0


class Desk:
    """A store (None: the configured one) and the space at hand in it, whose name `space` can be changed.

    `notify` gets a line where something takes long or falls back.
    """

    def __init__(
        self,
        db: Location | None = None,
        space: str | None = None,
        *,
        force: bool = False,
        notify: Callable[[str], None] = lambda line: None,
    ) -> None:
        self.space = space
        self.notify = notify
        self._db = db
        self._force = force
        self._turn = Lock()

    def carry_out(
        self, work: Callable[[Memories], T], *, wanted: Callable[[], bool] = lambda: True
    ) -> T | None:
        """What `work` gives back for the store, which is closed again by then; settings are read anew.

        None where it is not `wanted` any more when its turn has come. Raises NotFound
        where there is no store, and what `work` raises.
        """
        with self._turn:
            return self._done(work) if wanted() else None

    def check(self) -> None:
        """See that the store opens, and that the space holds something. Raises NotFound, StoreUnusable."""
        self.carry_out(self._require_space)

    def _done(self, work: Callable[[Memories], T]) -> T:
        config = Config()
        if config["busy_timeout"] > _PATIENCE:
            config = Config({**os.environ, environment_variable("busy_timeout"): str(_PATIENCE)})
        with opened_to_work(
            self._db, space=self.space, config=config, notify=self.notify, force=self._force
        ) as memories:
            return work(memories)

    def _require_space(self, memories: Memories) -> None:
        from memcli.storage.lookup import is_in_use, unknown_space

        if self.space not in (None, DEFAULT_SPACE) and not is_in_use(memories.store, memories.space):
            raise unknown_space(memories.store, memories.space)
