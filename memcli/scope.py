"""Scope: the context of all work, namely a store, a space in it, a clock, a source of ids, and the origin.

It is all that most of memcli needs of its surroundings; `Memories` adds the model, writing and recall.
Nothing here is assigned from outside; another space or another instant is another scope, made by `in_space`
and `at`.

Whoever comes in through an untrusted door (`untrusted_origins`) may read, and otherwise only do what
`memcli.doors` says. This keeps honest programs within bounds and records what the others did: whoever can
write the file can write it by other means.
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
    """A space of a store, in which `origin` works. `now` and `new_id` are its clock and source of ids."""

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
        """Return this scope in another space of the store."""
        return self._with(space=space)

    def at(self, instant: datetime) -> Self:
        """Return this scope with a clock fixed at an instant."""
        return self._with(now=lambda: instant)

    def as_one_change(self, change_id: str, actor: str) -> Self:
        """Return this scope with all its changes under one id and `actor`, so one undo takes back all."""
        return self._with(_one_change=(change_id, self.signed(actor)))

    def _with(self, **fields: Any) -> Self:
        other = copy(self)
        vars(other).update(fields)
        return other

    # Looking

    def within(self, **filters: Any) -> Filter:
        """Return a filter for live memories of the current space; sessions match in all Unicode spellings."""
        if not all(map(str.isascii, filters.get("sessions", ()))):
            from memcli.text.checks import spellings

            filters["sessions"] = tuple(each for name in filters["sessions"] for each in spellings(name))
        return Filter(**{"spaces": (self.space,), "at": self.now(), **filters})

    def find(self, fragment: str, where: Filter | None = None) -> Memory:
        """Return the memory of this space (or the spaces of `where`) with an id, or a part of one.

        Raises NotFound; BadInput, with the candidates, if several match.
        """
        from memcli.storage.lookup import find_memory

        return find_memory(self.store, fragment, where or self.within())

    def current_version(self, memory: Memory) -> Memory:
        """Return the memory that replaced this one by correction or merge, as it is now; else this one."""
        from memcli.storage.lookup import current_version

        return current_version(self.store, memory)

    # On record

    @property
    def origin(self) -> str:
        """Return the current origin: the door, signed if a server knows who it is."""
        return self.signed(self.config["origin"])

    @property
    def signature(self) -> str:
        """Return the ending of the current user's origins; "" if no server knows who it is."""
        return self.store.role.signature if self.store.role else ""

    def signed(self, door: str) -> str:
        """Return the origin of what the current user brings in through a door."""
        return signed(door, self.signature)

    def carried(self, origin: str, here: str | None = None) -> str:
        """Return the origin for something that was recorded elsewhere: a store's owner keeps it as it is.

        For anybody else, something that is already here keeps its own origin (`here`).
        """
        if self.owns_store:
            return origin
        return here or self.signed(origin)

    def change(self, action: ChangeAction, reason: str | None = None, *, door: str | None = None) -> Change:
        """Return a new change by the current origin, with its own id; Refused for a secret in the reason.

        With `door` it is by that door, whatever change it is a part of.
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
        """Return the id of the next change: the shared one, else a new one."""
        return self.shared_change or self.new_id(self.now())

    @property
    def shared_change(self) -> str | None:
        """Return the id that all changes made here share; None without `as_one_change`."""
        return self._one_change[0] if self._one_change else None

    # Who may

    @property
    def is_untrusted(self) -> bool:
        """True if the current origin is untrusted."""
        return distrusts(self.config, self.origin)

    def distrusts(self, origin: str) -> bool:
        """True if an origin is untrusted here, whoever works here."""
        return distrusts(self.config, origin)

    @property
    def untrusted_origin(self) -> str | None:
        """Return the origin that must be recorded with what is written here; None if it is the owner's."""
        return self.origin if self.is_untrusted else None

    def by_force(self, way: str) -> str:
        """Return `way`, a hint at --force in a refusal; "" for an untrusted origin."""
        return "" if self.is_untrusted else way

    @property
    def owns_store(self) -> bool:
        """True if the current user owns the whole store: always for a file; on a server, if the role does."""
        return self.store.role is None or self.store.role.is_owner

    def is_own(self, origin: str | None) -> bool:
        """True if something from an untrusted origin (None: the owner's) counts as the current user's own.

        On a server it must bear the current user's signature; for a file, which has none, any untrusted
        origin will do.
        """
        return origin is not None and is_signed(origin, self.signature)

    def require(self, door: Door, deed: Deed, what: str, *, own: bool = False) -> None:
        """Raise Refused if the current origin is untrusted and the table of doors does not let it do `deed`.

        `what` is named in the message; `own`: it is done to something of its own (`is_own`).
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
        """Raise Refused if one of these memories may not be changed here; `what` says what is done.

        Checked by the row of `door`, else by that of each memory's tier; the default `deed` is CHANGE.
        """
        if not self.is_untrusted:
            return
        # Imported only for untrusted origins, which makes the owner's calls shorter.
        from memcli.doors import MEMORY, POLICY, Deed

        for memory in some:
            of = door or (POLICY if memory.kind == "policy" else MEMORY)
            whose = "a trusted memory" if memory.trusted else f"a memory of {memory.origin}"
            said = f"{what} {memory.id}, {whose}"
            self.require(of, deed or Deed.CHANGE, said, own=self.is_own(memory.untrusted_origin))

    def check_undo(self, events: Iterable[Event]) -> None:
        """Raise Refused if the current origin is untrusted and would undo somebody else's change."""
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
    """Raise Refused if the configured origin is untrusted and `door` does not let it do `deed`.

    For commands that open no store; with an open store, use `Scope.require`.
    """
    origin = config["origin"]
    if distrusts(config, origin) and not door.lets(deed, own=False):
        raise _not_theirs(origin, what)


def _not_theirs(origin: str, what: str) -> Refused:
    return Refused(
        f"{what}: only its owner changes it, and {origin} is an untrusted origin", rule="untrusted-origin"
    )


def distrusts(config: Config, origin: str) -> bool:
    """True if the configuration distrusts an origin; see `is_untrusted`."""
    return is_untrusted(origin, untrusted_origins(config))


def untrusted_origins(config: Config) -> tuple[str, ...]:
    """Return the patterns of untrusted doors, as configured."""
    return tuple(config["untrusted_origins"].split(","))


# Cached, because what is written together comes from one origin.
@lru_cache(maxsize=256)
def is_untrusted(origin: str, patterns: tuple[str, ...]) -> bool:
    """True if an origin is untrusted: its name matches one of the patterns (fnmatch).

    Letter case, full-width letters and invisible characters are ignored, so that `MCP:x` and the like cannot
    evade a pattern; and a signature is ignored as well.
    """
    name = _plain_letters(origin)
    folded = [pattern.strip().casefold() for pattern in patterns]
    # A pattern that ends in "*" already matches any signature.
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
    """True if `fnmatch.fnmatchcase` says so; a prefix, as most patterns are, needs no regular expression."""
    begin = pattern.rstrip("*")
    if begin != pattern and not any(wildcard in begin for wildcard in "*?["):
        return name.startswith(begin)
    return fnmatchcase(name, pattern)
