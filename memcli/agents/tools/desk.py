"""Where calls are carried out: one at a time, each on a store that it opens and closes."""

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
    """Nothing was ever remembered: there is no store yet."""


class Desk:
    """A client's place: its origin, and the store and space that it works in (None: the configured ones).

    Without an `origin` it is its owner's, or whoever's the environment says. `who` is the program
    that speaks on stderr.
    """

    def __init__(
        self, origin: str | None, *, who: str = "mem", db: Location | None = None, space: str | None = None
    ) -> None:
        self.origin = origin
        self._who = who
        self._db = db
        self._space = space

    def complain(self, line: str) -> None:
        """Tell whoever reads the log; never the client."""
        complain(self._who, line)

    def call(self, tool: Tool, arguments: Arguments) -> Reply:
        """What a tool answers to arguments that it has read. Raises MemcliError."""
        try:
            return self.carry_out(lambda memories: tool.run(memories, arguments), create=tool.creates)
        except NoStore as error:
            if tool.nothing is None:
                raise
            # The client goes on as with an empty store; its owner may have named another than was meant.
            self.complain(str(error))
            return Reply(tool.nothing)

    def carry_out(self, work: Callable[[Memories], T], *, create: bool = False) -> T:
        """What `work` gives back for the store, which is closed again by then.

        Settings are read anew each time, as a command does. Raises NoStore where there is
        none and none is to be made, and what `work` raises.
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
