"""What a store remembers of its copies: which are elsewhere, and where it stood itself when others were made.

A copy beside the store needs no record: its name says whose it is. On record, in the
store itself, are a copy that its owner had made anywhere else (`COPY`), and each path
of the store when a copy was made beside it (`HOME`): by a hard link, from inside a
container or before it was moved, the same file has other neighbours.
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
    """What a copy was made for. The value stands in its name, behind that of the store."""

    UPGRADE = "before-schema"
    """Made by memcli before it changed the schema."""
    BACKUP = "backup"
    """Made each night, or on demand."""
    SNAPSHOT = "snapshot"
    """A state of the store that its owner named."""
    DAMAGED = "damaged"
    """A store that was set aside because it was damaged, or another was restored in its place."""


class StoreCopy(NamedTuple):
    """A file that is, or may be, a copy of the store."""

    path: Path
    kind: CopyKind
    label: str
    """What stands behind the kind in its name; of a copy elsewhere its file's name."""
    made: datetime | None = None
    """When, by its label or its record; None where neither says."""
    whole: bool = True
    """False for a `.part`: it is being written, or whoever wrote it was killed."""
    elsewhere: bool = False
    """Whether its owner put it where it is: known by its record, and maybe out of reach just now."""

    @property
    def is_part(self) -> bool:
        """Whether memcli began it and has not made it whole.

        Whoever meets it and holds the lock of copies knows that its writer was killed. What its owner
        called `STORE.backup-mine.part` is none of ours.
        """
        named = self.made or self.kind is not CopyKind.BACKUP or _STAMPED.match(self.label)
        return not self.whole and bool(self.elsewhere or named)


# How the label of each backup that memcli makes begins, whatever it was made for.
_STAMPED = re.compile(r"\d{8}T\d{6}Z(-|$)")
# How a copy elsewhere is called till it is whole.
PART_ELSEWHERE = ".mem-copy"


class Records(NamedTuple):
    """What is on record of a store's copies, by their absolute paths."""

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
    """What the store has on record."""
    copies, homes = {}, []
    for state in store.states((EVERYWHERE,), areas.COPY.name):
        if _fields(state).get("kind") == _HOME:
            homes.append(Path(state.key))
        else:
            copies[Path(state.key)] = state
    return Records(copies, tuple(homes))


def recorded_copy(path: Path, state: State) -> StoreCopy:
    """The copy elsewhere of which this is the record; of a kind that is not known here a backup."""
    known = {kind.value: kind for kind in CopyKind}
    kind = known.get(str(_fields(state).get("kind")), CopyKind.BACKUP)
    whole = not path.name.endswith(f"{PART_ELSEWHERE}.part")
    return StoreCopy(path, kind, path.name, state.created_at, whole, elsewhere=True)


def record_copy(store: Keeper, path: Path, kind: CopyKind, at: datetime) -> None:
    """Put a copy elsewhere on record; `path` is absolute and real."""
    store.put_state(new_state(EVERYWHERE, areas.COPY.name, str(path), {"kind": kind.value}, at))


def record_home(store: Keeper, path: Path, at: datetime) -> None:
    """Put a real path of the store on record, unless it is."""
    if not any(store.states((EVERYWHERE,), areas.COPY.name, str(path))):
        store.put_state(new_state(EVERYWHERE, areas.COPY.name, str(path), {"kind": _HOME}, at))


def drop_record(store: Keeper, path: Path) -> bool:
    """Forget a copy; whether it was known."""
    return store.drop_state(EVERYWHERE, areas.COPY.name, str(path))


def _fields(state: State) -> dict[str, Any]:
    return state.value if isinstance(state.value, dict) else {}
