"""The walls of spaces where a server keeps them: which of its roles gets into which space, and how far."""

from __future__ import annotations

from enum import Enum
from typing import Protocol

from memcli.named_tuple import NamedTuple


class Role(NamedTuple):
    """Whom a server knows somebody as."""

    signature: str
    """What the origins of what it writes end in: `@`, and its name with `@`, `%`, blanks as in an address."""
    is_owner: bool
    """True if the tables are its own: what others signed it may bring along."""


class Reach(Enum):
    """How far a role gets in a space. In all others it finds nothing, whatever it asks the server."""

    READ = "read"
    """It reads."""
    UNTRUSTED = "untrusted"
    """It also writes, as `memcli.doors` lets an untrusted origin: what is its owner's stays as it is."""
    WRITE = "write"
    """It does everything there but erase for good, which is the owner's of the store."""


class Grant(NamedTuple):
    """What a role was let."""

    space: str
    role: str
    reach: Reach


class Walls(Protocol):
    """See `Store.walls`. Raises BadInput for a role that is not there, or that no wall holds."""

    def grant(self, space: str, role: str, reach: Reach) -> None:
        """Let a role into a space, this far and no farther; what it was let there before is over."""

    def revoke(self, space: str, role: str) -> bool:
        """Let a role into a space no more; whether it was."""

    def rename(self, old: str, new: str) -> None:
        """Let whoever was let into `old` into `new` instead. BadInput where that is somebody, for another
        than the owner."""

    def grants(self) -> list[Grant]:
        """Who was let into which space, sorted."""
