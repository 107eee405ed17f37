"""Where somebody works, and who: a store, a space in it, a clock, a source of ids, an origin.

What most of memcli needs of its surroundings, and no more: `Memories` adds the
model, writing and recall. Nothing here is assigned from outside; another space or
another instant is another scope, made by `in_space` and `at`.

Who comes in through an untrusted door (`untrusted_origins`) may read, and else what
`memcli.doors` says. This keeps honest programs in bounds and a record of the others: who
may write the file may write it by other means.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import copy
from datetime import datetime
from fnmatch import fnmatchcase
from typing import Any, Self

from memcli import ids, times
from memcli.config.config import Config
from memcli.doors import MEMORY, POLICY, UNDO, Deed, Door
from memcli.errors import Refused
from memcli.model import Change, Event, Filter, Memory
from memcli.storage import Store


class Scope:
    """A space of a store, as `origin` works in it. `now` and `new_id` are its clock and ids."""

    def __init__(
        self,
        store: Store,
        config: Config,
        *,
        space: str = "default",
        clock: times.Clock = times.now,
        new_id: Callable[[datetime], str] | None = None,
    ) -> None:
        self.store = store
        self.config = config
        self.space = space
        self.now = clock
        self.new_id = new_id or ids.id_source()
        self._one_change: tuple[str, str] | None = None

    def in_space(self, space: str) -> Self:
        """The same in another space of the store."""
        return self._with(space=space)

    def at(self, instant: datetime) -> Self:
        """The same with a clock that stands still at an instant."""
        return self._with(now=lambda: instant)

    def as_one_change(self, change_id: str, actor: str) -> Self:
        """The same, where all that is changed is one change of this id, by `actor`: it is undone whole."""
        return self._with(_one_change=(change_id, actor))

    def _with(self, **fields: Any) -> Self:
        other = copy(self)
        vars(other).update(fields)
        return other

    # Looking

    def within(self, **filters: Any) -> Filter:
        """A filter on the space at hand, live memories only."""
        return Filter(**{"spaces": (self.space,), "at": self.now(), **filters})

    def find(self, fragment: str, where: Filter | None = None) -> Memory:
        """The memory of this space (or the spaces of `where`) that an id, or part of one, means.

        Raises NotFound; BadInput where several fit, with the candidates.
        """
        from memcli.storage.lookup import find_memory

        return find_memory(self.store, fragment, where or self.within())

    def current_version(self, memory: Memory) -> Memory:
        """The memory that is in force where one was corrected or merged, as it is now; else itself."""
        from memcli.storage.lookup import current_version

        return current_version(self.store, memory)

    # On record

    @property
    def origin(self) -> str:
        """The door that whoever works here came in through."""
        return str(self.config["origin"])

    def change(self, action: str, reason: str | None = None) -> Change:
        """A change by whoever works here, with an id of its own; Refused for a secret in the reason."""
        if reason:
            from memcli.text.printable import without_escapes
            from memcli.text.secrets.redaction import refuse_secrets

            reason = without_escapes(reason)
            refuse_secrets(reason, "the reason")
        actor = self._one_change[1] if self._one_change else self.origin
        return Change(action, actor, reason, self.change_id())

    def change_id(self) -> str:
        """The id that the next change will have: the shared one, else a new one."""
        return self.shared_change or self.new_id(self.now())

    @property
    def shared_change(self) -> str | None:
        """The id of the one change that all that is done here belongs to; None without `as_one_change`."""
        return self._one_change[0] if self._one_change else None

    # Who may

    @property
    def is_untrusted(self) -> bool:
        """Whether whoever works here came in through an untrusted door."""
        return is_untrusted(self.origin, untrusted_origins(self.config))

    @property
    def untrusted_origin(self) -> str | None:
        """The origin that what is written here has to carry; None where it is the owner's."""
        return self.origin if self.is_untrusted else None

    def require(self, door: Door, deed: Deed, what: str, *, untrusted: bool = False) -> None:
        """Refuse whoever came in through an untrusted door what is not theirs to do, by the table of doors.

        `what` names it to people; `untrusted`: it came in through such a door, too.
        """
        require(self.config, door, deed, what, untrusted=untrusted)

    def check_change(self, some: Iterable[Memory], what: str, deed: Deed = Deed.CHANGE) -> None:
        """Raise Refused where one of these is not theirs to change; `what` says what is done."""
        if not self.is_untrusted:
            return
        for memory in some:
            door = POLICY if memory.kind == "policy" else MEMORY
            self.require(door, deed, f"{what} {memory.id}, a trusted memory", untrusted=not memory.trusted)

    def check_undo(self, events: Iterable[Event]) -> None:
        """Raise Refused where whoever works here would take back what somebody else did."""
        if not self.is_untrusted:
            return
        for event in events:
            if not UNDO.lets(Deed.END, untrusted=event.actor == self.origin):
                raise Refused(
                    f"the change {event.change or event.number} is by {event.actor}; "
                    f"{self.origin}, an untrusted origin, takes back only its own",
                    rule="untrusted-origin",
                )


def require(config: Config, door: Door, deed: Deed, what: str, *, untrusted: bool = False) -> None:
    """The same where no store is open."""
    origin = str(config["origin"])
    if is_untrusted(origin, untrusted_origins(config)) and not door.lets(deed, untrusted=untrusted):
        raise Refused(
            f"{what}: only its owner changes it, and {origin} is an untrusted origin", rule="untrusted-origin"
        )


def untrusted_origins(config: Config) -> tuple[str, ...]:
    """The patterns of doors that are untrusted, as configured."""
    return tuple(config["untrusted_origins"].split(","))


def is_untrusted(origin: str, patterns: Sequence[str]) -> bool:
    """Whether what comes in through a door is untrusted: its name fits one of the patterns (fnmatch).

    In any case of letters: who calls himself `MCP:x` is no better known.
    """
    name = origin.strip().casefold()
    return any(fnmatchcase(name, pattern.strip().casefold()) for pattern in patterns)
