"""Reports of a store's upkeep: findings, repairs, erasures and restorations."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from memcli.model import Event, Link, Memory
from memcli.named_tuple import NamedTuple
from memcli.storage.ledger import StateName

# The name of the finding about memories that are not embedded yet.
UNREAD = "embedded"
# Findings that do not apply to a copy: about the program, a store in use, and the place (on a stick
# everything is readable by all). Memories without vectors have none in a copy either.
NOT_OF_A_COPY = ("driver", "sqlite-vec", "journal", "permissions", UNREAD)


class Finding(NamedTuple):
    """One line of a check: what was checked, if it is well, and what to do."""

    name: str
    ok: bool
    detail: str
    remedy: str = ""
    damage: bool = False
    """True if the file is not what memcli wrote: then nothing is written to it until it is repaired."""
    rows: tuple[str, ...] = ()
    """Kind and name of each damaged row."""


class Repair(NamedTuple):
    """The result of repairing a store; rows by kind and name."""

    mended: tuple[str, ...] = ()
    """Rows restored to what was written, as their digest proves."""
    recovered: tuple[str, ...] = ()
    """Rows that were gone, and were rebuilt from the history."""
    doubtful: tuple[str, ...] = ()
    """Rows left as they were found, since nothing proves their content."""
    accepted: tuple[str, ...] = ()
    """Rows accepted as they were found, because the owner insisted."""
    lost: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    """Foreign triggers on memcli's tables."""
    rebuilt: bool = False
    """True if derived data was rebuilt."""
    salvaged: bool = False
    """True if a new file has replaced the damaged one."""
    set_aside: Path | None = None
    """The damaged file, as it was."""


class ErasedRows(NamedTuple):
    """The number of rows erased from one part of the store."""

    part: str
    rows: int


class Trace(NamedTuple):
    """Something erased that was still found at `place`; `needle` is its number, or a word."""

    place: str
    needle: int | str


class CopyErasure(NamedTuple):
    """The result of erasing from one copy of a store."""

    path: Path
    error: str | None
    """Why it may still hold what was erased; None if it is proven clean."""
    state: str = ""
    """By what a proven copy is recognised as unchanged."""
    found: bool = False
    """True if erased content was found in it, and a later search would not know what to look for."""


class Erasure(NamedTuple):
    """An erasure to repeat in the copies of a store: the records to remove, and those to update."""

    ids: Sequence[str] = ()
    """The ids of memories and links."""
    states: Sequence[StateName] = ()
    spaces: Sequence[str] = ()
    """Spaces of which all links and keyed values go."""
    events: Sequence[Event] = ()
    """Rewritten history lines; a quoted reason of such a memory's end goes, too."""
    links: Sequence[Link] = ()
    memories: Sequence[Memory] = ()
    """Memories, like the links, whose `data` is updated; of memories `origin`, too."""
    texts: Sequence[str] = ()
    """The erased texts, to be searched for where the rows are missing. Never stored."""


class RestoredStore(NamedTuple):
    """The result of a restoration: the replaced store is kept at `kept`; None if there was none."""

    kept: Path | None
    was_damaged: bool = False
    knows_erased: bool = True
    """True if the record of erasures was readable, and applied to the copy."""
    left_out: Erasure = Erasure()
    """What of the copy was not restored because it was erased since, or quotes what was."""
