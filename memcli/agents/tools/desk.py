"""Desk: carries out an agent's calls, one at a time, each on a store that it opens and closes."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import ExitStack
from typing import TypeVar

from memcli.agents.tools.replies import Reply, complain
from memcli.agents.tools.tool import Arguments, Tool
from memcli.changes.forgetting.resumption import opened_to_work
from memcli.config.config import Config
from memcli.config.location import Location
from memcli.config.settings import environment_variable
from memcli.errors import NotFound
from memcli.memories import Memories

T = TypeVar("T")


class NoStore(NotFound):
    """There is no store yet: nothing was ever remembered."""


class Desk:
    """A client's desk: its origin, and the store and space that it works in (None: the configured ones).

    Without an `origin` it is the owner's, or that of the environment. `who` is the program's name on stderr.
    """

    def __init__(
        self, origin: str | None, *, who: str = "mem", db: Location | None = None, space: str | None = None
    ) -> None:
        self.origin = origin
        self._who = who
        self._db = db
        self._space = space

    def complain(self, line: str) -> None:
        """Write a line to the log; the client does not see it."""
        complain(self._who, line)

    def call(self, tool: Tool, arguments: Arguments) -> Reply:
        """Return a tool's answer to arguments that it has read. Raises MemcliError."""
        try:
            return self.carry_out(lambda memories: tool.run(memories, arguments), create=tool.creates)
        except NoStore as error:
            if tool.nothing is None:
                raise
            # For the client it is like an empty store; the log says so, in case the owner named a wrong
            # store.
            self.complain(str(error))
            return Reply(tool.nothing)

    def carry_out(self, work: Callable[[Memories], T], *, create: bool = False) -> T:
        """Return what `work` returns for the store, which is closed afterwards.

        Settings are read anew each time, as by a command. Raises NoStore if there is none and none may be
        created, and what `work` raises.
        """
        own = {} if self.origin is None else {environment_variable("origin"): self.origin}
        config = Config({**os.environ, **own})
        opening = opened_to_work(
            self._db, space=self._space, config=config, notify=self.complain, create=create
        )
        with ExitStack() as stack:
            try:
                memories = stack.enter_context(opening)
            except NotFound as error:
                raise NoStore(error.what, **error.told) from error
            return work(memories)
