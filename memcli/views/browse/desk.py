"""Desk: runs the screen's access to the store, one task at a time, opening and closing it each time."""

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
# The longest wait for a busy store, in seconds; then the person at the screen is told, and may try again.
_PATIENCE = 3.0


class Desk:
    """A store (None: the configured one) and the current space in it, `space`, which can be changed.

    `notify` gets a line if something takes long or falls back.
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
        """Return what `work` returns for the store, which is closed again by then; settings are read anew.

        None if it is not `wanted` any more when its turn comes. Raises NotFound if there is no store, and
        what `work` raises.
        """
        with self._turn:
            return self._done(work) if wanted() else None

    def check(self) -> None:
        """Raise NotFound or StoreUnusable unless the store opens and the space holds something."""
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
