"""Where a keeper stands, and for whom."""

from __future__ import annotations

import os

from memcli.named_tuple import NamedTuple
from memcli.warm import place


class Endpoint(NamedTuple):
    """A keeper's folder, its name there, the identity of its callers, how long it waits for one (seconds)."""

    folder: str
    name: str
    identity: str
    idle: float

    @property
    def socket(self) -> str:
        """The path at which it listens."""
        return f"{self.folder}/{self.name}.sock"

    @property
    def lock(self) -> str:
        """The path of the lock that it holds as long as it answers."""
        return f"{self.folder}/{self.name}.lock"

    def is_held_by(self, lock: int) -> bool:
        """True if an open lock is still the endpoint's: who stops a starting keeper removes it."""
        try:
            return os.path.samestat(os.fstat(lock), os.lstat(self.lock))
        except OSError:
            return False


def own_endpoint(idle: float) -> Endpoint:
    """The endpoint for callers such as this process."""
    identity = place.identity()
    return Endpoint(place.folder(), place.name_of(identity), identity, idle)


def may_be_made(folder: str) -> bool:
    """Whether the folder above it is our own, or one where nobody may remove what is another's."""
    try:
        above = os.stat(os.path.dirname(folder))
    except OSError:
        return False
    return above.st_uid == os.geteuid() or bool(above.st_mode & 0o1000)


def make_folder(folder: str) -> bool:
    """Have the folder there, its owner's alone; whether it is so. Raises OSError where it cannot be had."""
    if may_be_made(folder):
        try:
            os.mkdir(folder, 0o700)
            os.chmod(folder, 0o700)  # a umask may have taken away what we need ourselves
        except FileExistsError:
            pass
    return place.is_private(folder)
