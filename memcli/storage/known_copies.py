"""Known copies of a store: copies elsewhere, and the paths of the store when copies were made beside it.

A copy beside the store needs no record: its name says whose it is. On record, in the store itself, are a
copy that its owner made anywhere else (`COPY`), and each path of the store at which a copy was made beside
it (`HOME`): by a hard link, from inside a container or before it was moved, the same file had other
neighbours.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from enum import Enum
from pathlib import Path
from typing import Any, Protocol

from memcli.model import EVERYWHERE, State, new_state
from memcli.named_tuple import NamedTuple
from memcli.storage import areas


class CopyKind(Enum):
    """The purpose of a copy. The value is part of its file name, after that of the store."""

    UPGRADE = "before-schema"
    """Made by memcli before a schema migration."""
    BACKUP = "backup"
    """Made nightly, or on demand."""
    SNAPSHOT = "snapshot"
    """A state of the store that its owner named."""
    DAMAGED = "damaged"
    """A store that was set aside because it was damaged, or because another was restored in its place."""


class StoreCopy(NamedTuple):
    """A file that is, or may be, a copy of the store."""

    path: Path
    kind: CopyKind
    label: str
    """What follows the kind in its file name; for a copy elsewhere, the file's name."""
    made: datetime | None = None
    """When it was made, by its label or record; None if unknown."""
    whole: bool = True
    """False for a `.part`: it is being written, or its writer was killed."""
    elsewhere: bool = False
    """True if its owner chose its place: known by its record, and maybe not reachable now."""

    @property
    def is_part(self) -> bool:
        """True if memcli began it and has not completed it.

        Whoever finds it and holds the lock of copies knows that its writer was killed. A file that the
        owner called `STORE.backup-mine.part` does not count.
        """
        named = self.made or self.kind is not CopyKind.BACKUP or _STAMPED.match(self.label)
        return not self.whole and bool(self.elsewhere or named)


# Matches the beginning of the label of every backup that memcli makes.
_STAMPED = re.compile(r"\d{8}T\d{6}Z(-|$)")
# The suffix of a copy elsewhere until it is complete.
PART_ELSEWHERE = ".mem-copy"


class Records(NamedTuple):
    """The records of a store's copies, by absolute path, and of its own paths."""

    copies: dict[Path, State]
    homes: tuple[Path, ...]


class Keeper(Protocol):
    """The part of `memcli.storage.Store` that keeps the record."""

    def states(
        self, spaces: tuple[str, ...] | None = None, area: str | None = None, key: str | None = None
    ) -> Iterator[State]:
        """See `memcli.storage.Store.states`."""

    def put_state(self, state: State, expected_version: int | None = None) -> bool:
        """See `memcli.storage.Store.put_state`."""

    def drop_state(self, space: str, area: str, key: str) -> bool:
        """See `memcli.storage.Store.drop_state`."""


_HOME = "home"


def read_records(store: Keeper) -> Records:
    """Read the records of copies from the store."""
    copies, homes = {}, []
    for state in store.states((EVERYWHERE,), areas.COPY.name):
        if _fields(state).get("kind") == _HOME:
            homes.append(Path(state.key))
        else:
            copies[Path(state.key)] = state
    return Records(copies, tuple(homes))


def recorded_copy(path: Path, state: State) -> StoreCopy:
    """Return the copy elsewhere that this record describes; of an unknown kind, as a backup."""
    known = {kind.value: kind for kind in CopyKind}
    kind = known.get(str(_fields(state).get("kind")), CopyKind.BACKUP)
    whole = not path.name.endswith(f"{PART_ELSEWHERE}.part")
    return StoreCopy(path, kind, path.name, state.created_at, whole, elsewhere=True)


def record_copy(store: Keeper, path: Path, kind: CopyKind, at: datetime) -> None:
    """Record a copy elsewhere; `path` is absolute and real."""
    store.put_state(new_state(EVERYWHERE, areas.COPY.name, str(path), {"kind": kind.value}, at))


def record_home(store: Keeper, path: Path, at: datetime) -> None:
    """Record a real path of the store, unless it is recorded already."""
    if not any(store.states((EVERYWHERE,), areas.COPY.name, str(path))):
        store.put_state(new_state(EVERYWHERE, areas.COPY.name, str(path), {"kind": _HOME}, at))


def drop_record(store: Keeper, path: Path) -> bool:
    """Drop the record of a copy; return True if there was one."""
    return store.drop_state(EVERYWHERE, areas.COPY.name, str(path))


def _fields(state: State) -> dict[str, Any]:
    return state.value if isinstance(state.value, dict) else {}
