"""Endpoints: the address of a keeper (folder, name, socket, lock) and the identity of its callers."""

from __future__ import annotations

import os

from memcli.named_tuple import NamedTuple
from memcli.warm import place


class Endpoint(NamedTuple):
    """A keeper's folder, its name there, its callers' identity, and the seconds it idles before it ends."""

    folder: str
    name: str
    identity: str
    idle: float

    @property
    def socket(self) -> str:
        """The path of the socket on which it listens."""
        return f"{self.folder}/{self.name}.sock"

    @property
    def lock(self) -> str:
        """The path of the lock that it holds as long as it answers."""
        return f"{self.folder}/{self.name}.lock"

    def is_held_by(self, lock: int) -> bool:
        """True if an open lock is the one at this endpoint: `stop` removes that of a starting keeper."""
        try:
            return os.path.samestat(os.fstat(lock), os.lstat(self.lock))
        except OSError:
            return False


def own_endpoint(idle: float) -> Endpoint:
    """Return the endpoint for callers such as this process."""
    identity = place.identity()
    return Endpoint(place.folder(), place.name_of(identity), identity, idle)


def may_be_made(folder: str) -> bool:
    """True if the parent folder is our own, or sticky, so that nobody may remove another's files."""
    try:
        above = os.stat(os.path.dirname(folder))
    except OSError:
        return False
    return above.st_uid == os.geteuid() or bool(above.st_mode & 0o1000)


def make_folder(folder: str) -> bool:
    """Make the folder, for its owner alone; True if it is so now. Raises OSError if it cannot be made."""
    if may_be_made(folder):
        try:
            os.mkdir(folder, 0o700)
            os.chmod(folder, 0o700)  # a umask may have removed the owner's rights
        except FileExistsError:
            pass
    return place.is_private(folder)
