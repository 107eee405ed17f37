"""The context of all work: a store, a space in it, a clock, a source of ids, the origin of who works there.

What most of memcli needs of its surroundings, and no more: `Memories` adds the
model, writing and recall. Nothing here is assigned from outside; another space or
another instant is another scope, made by `in_space` and `at`.

Who comes in through an untrusted door (`untrusted_origins`) may read, and else what
`memcli.doors` says. This keeps honest programs in bounds and a record of the others: who
may write the file may write it by other means.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import copy
from datetime import datetime
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Self

from memcli import ids, times
from memcli.config.config import Config
from memcli.errors import Refused
from memcli.model import Change, ChangeAction, Event, Filter, Memory
from memcli.origins import is_signed, signed
from memcli.storage import Store

if TYPE_CHECKING:
    from memcli.doors import Deed, Door


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
        """This scope in another space of the store."""
        return self._with(space=space)

    def at(self, instant: datetime) -> Self:
        """This scope with a clock that stands still at an instant."""
        return self._with(now=lambda: instant)

    def as_one_change(self, change_id: str, actor: str) -> Self:
        """This scope with all its changes under one id and `actor`, so that one undo takes them back."""
        return self._with(_one_change=(change_id, self.signed(actor)))

    def _with(self, **fields: Any) -> Self:
        other = copy(self)
        vars(other).update(fields)
        return other

    # Looking

    def within(self, **filters: Any) -> Filter:
        """A filter on the space at hand, live memories only; of sessions in either spelling (`spellings`)."""
        if not all(map(str.isascii, filters.get("sessions", ()))):
            from memcli.text.checks import spellings

            filters["sessions"] = tuple(each for name in filters["sessions"] for each in spellings(name))
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
        """The door that whoever works here came in through, signed where a server knows who that is."""
        return self.signed(self.config["origin"])

    @property
    def signature(self) -> str:
        """What the origins of whoever works here end in; empty where nobody knows who that is."""
        return self.store.role.signature if self.store.role else ""

    def signed(self, door: str) -> str:
        """The origin of what whoever works here brings through a door."""
        return signed(door, self.signature)

    def carried(self, origin: str, here: str | None = None) -> str:
        """The origin of what was on record elsewhere: a store's owner brings it along as it stands there.

        Of anybody else what is here already keeps its own.
        """
        if self.owns_store:
            return origin
        return here or self.signed(origin)

    def change(self, action: ChangeAction, reason: str | None = None, *, door: str | None = None) -> Change:
        """A change by whoever works here, with an id of its own; Refused for a secret in the reason.

        With `door` through that one, whatever change it is a part of.
        """
        if reason:
            from memcli.text.printable import without_escapes
            from memcli.text.secrets.redaction import refuse_secrets

            reason = without_escapes(reason)
            refuse_secrets(reason, "the reason")
        actor = self._one_change[1] if self._one_change else self.origin
        if door is not None:
            actor = self.signed(door)
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
        return distrusts(self.config, self.origin)

    def distrusts(self, origin: str) -> bool:
        """Whether what comes in through an origin is untrusted here, whoever works here."""
        return distrusts(self.config, origin)

    @property
    def untrusted_origin(self) -> str | None:
        """The origin that what is written here has to carry; None where it is the owner's."""
        return self.origin if self.is_untrusted else None

    def by_force(self, way: str) -> str:
        """How a refusal names --force as a way out: not at all to an untrusted origin, which may not."""
        return "" if self.is_untrusted else way

    @property
    def owns_store(self) -> bool:
        """Whether all of the store is theirs: a file always is, on a server it is its owner's."""
        return self.store.role is None or self.store.role.is_owner

    def is_own(self, origin: str | None) -> bool:
        """Whether what came in through an untrusted origin (None: it is its owner's) is in their reach, too.

        Where a server knows who that was it has to be theirs; a file does not know, and any will do.
        """
        return origin is not None and is_signed(origin, self.signature)

    def require(self, door: Door, deed: Deed, what: str, *, own: bool = False) -> None:
        """Refuse whoever came in through an untrusted door what is not theirs to do, by the table of doors.

        `what` names it to people; `own`: it is in the reach of such a one (`is_own`).
        """
        if self.is_untrusted and not door.lets(deed, own=own):
            raise _not_theirs(self.origin, what)

    def require_force(self) -> None:
        """Refuse to override the owner's policy (--force) to whoever came in through an untrusted door."""
        if self.is_untrusted:
            raise Refused(
                f"--force overrides the owner's policy, and {self.origin} is an untrusted origin",
                rule="untrusted-origin",
            )

    def check_change(
        self, some: Iterable[Memory], what: str, deed: Deed | None = None, door: Door | None = None
    ) -> None:
        """Raise Refused where one of these is not theirs to change; `what` says what is done.

        By the row of `door`, else by that of what each of them is; a `deed` that is not named is CHANGE.
        """
        if not self.is_untrusted:
            return
        # The table is not asked of its owner: a call without it is shorter.
        from memcli.doors import MEMORY, POLICY, Deed

        for memory in some:
            of = door or (POLICY if memory.kind == "policy" else MEMORY)
            whose = "a trusted memory" if memory.trusted else f"a memory of {memory.origin}"
            said = f"{what} {memory.id}, {whose}"
            self.require(of, deed or Deed.CHANGE, said, own=self.is_own(memory.untrusted_origin))

    def check_undo(self, events: Iterable[Event]) -> None:
        """Raise Refused where whoever works here would take back what somebody else did."""
        if not self.is_untrusted:
            return
        from memcli.doors import UNDO, Deed

        for event in events:
            if not UNDO.lets(Deed.END, own=event.actor == self.origin):
                raise Refused(
                    f"the change {event.change or event.number} is by {event.actor}; "
                    f"{self.origin}, an untrusted origin, takes back only its own",
                    rule="untrusted-origin",
                )


def require(config: Config, door: Door, deed: Deed, what: str) -> None:
    """Raise Refused where the configured origin is untrusted and `door` does not let it do `deed`.

    For commands that open no store; `Scope.require` asks where one is open."""
    origin = config["origin"]
    if distrusts(config, origin) and not door.lets(deed, own=False):
        raise _not_theirs(origin, what)


def _not_theirs(origin: str, what: str) -> Refused:
    return Refused(
        f"{what}: only its owner changes it, and {origin} is an untrusted origin", rule="untrusted-origin"
    )


def distrusts(config: Config, origin: str) -> bool:
    """Whether what comes in through an origin is untrusted, as configured; see `is_untrusted`."""
    return is_untrusted(origin, untrusted_origins(config))


def untrusted_origins(config: Config) -> tuple[str, ...]:
    """The patterns of doors that are untrusted, as configured."""
    return tuple(config["untrusted_origins"].split(","))


# What is written together comes through one door.
@lru_cache(maxsize=256)
def is_untrusted(origin: str, patterns: tuple[str, ...]) -> bool:
    """Whether what comes in through a door is untrusted: its name fits one of the patterns (fnmatch).

    In any case and form of letters: who calls himself `MCP:x`, or writes that in letters of full width or
    with what is not seen between them, is no better known; and whoever signs it.
    """
    name = _plain_letters(origin)
    folded = [pattern.strip().casefold() for pattern in patterns]
    # What ends in anything ends in a signature, too.
    signed = [f"{each}@*" for each in folded if not each.endswith("*")]
    return any(_fits(name, each) for each in (*folded, *signed))


def _plain_letters(origin: str) -> str:
    name = origin.strip().casefold()
    if name.isascii():
        return name
    import unicodedata

    seen = (each for each in unicodedata.normalize("NFKC", name) if unicodedata.category(each) != "Cf")
    return "".join(seen).strip().casefold()


def _fits(name: str, pattern: str) -> bool:
    """`fnmatch.fnmatchcase`; a beginning, as most patterns are, needs no regular expression."""
    begin = pattern.rstrip("*")
    if begin != pattern and not any(wildcard in begin for wildcard in "*?["):
        return name.startswith(begin)
    return fnmatchcase(name, pattern)
