"""Walls of spaces on a server: which role may access which space, and how far."""

from __future__ import annotations

from enum import Enum
from typing import Protocol

from memcli.named_tuple import NamedTuple


class Role(NamedTuple):
    """The role by which a server knows somebody."""

    signature: str
    """The suffix of the origins it writes: `@`, and its name with `@`, `%`, blanks as in an address."""
    is_owner: bool
    """True if it owns the tables: it may bring along what others signed."""


class Reach(Enum):
    """The access that a role has to a space. In all others it finds nothing, whatever it asks the server."""

    READ = "read"
    """It may read."""
    UNTRUSTED = "untrusted"
    """It may also write, as `memcli.doors` allows an untrusted origin: what is the owner's stays as it is."""
    WRITE = "write"
    """It may do everything there except erase for good, which is the store owner's."""


class Grant(NamedTuple):
    """The access that a role was granted to a space."""

    space: str
    role: str
    reach: Reach


class Walls(Protocol):
    """See `Store.walls`. Raises BadInput for a role that does not exist, or to which no wall applies."""

    def grant(self, space: str, role: str, reach: Reach) -> None:
        """Grant a role access to a space, replacing what it was granted there before."""

    def revoke(self, space: str, role: str) -> bool:
        """Revoke a role's access to a space; return True if it had any."""

    def rename(self, old: str, new: str) -> None:
        """Move all grants of `old` to `new`. Raises BadInput if there are any and this is not the owner."""

    def grants(self) -> list[Grant]:
        """Return who was granted which space, sorted."""
