"""Where a keeper stands, and for whom."""

from __future__ import annotations

import os
from typing import NamedTuple

from memcli.warm import place


class Post(NamedTuple):
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


def own_post(idle: float) -> Post:
    """The post for callers such as this process."""
    identity = place.identity()
    return Post(place.folder(), place.name_of(identity), identity, idle)


def make_folder(folder: str) -> bool:
    """Have the folder there, its owner's alone; whether it is so.

    It is made only in a folder of our own, or one where nobody may remove what is another's.
    """
    above = os.stat(os.path.dirname(folder))
    if above.st_uid == os.geteuid() or above.st_mode & 0o1000:
        try:
            os.mkdir(folder, 0o700)
            os.chmod(folder, 0o700)  # a umask may have taken away what we need ourselves
        except FileExistsError:
            pass
    return place.is_private(folder)
