"""What a store says of its upkeep: what was found, mended, erased, and what an erasure takes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from memcli.model import Event, Link, Memory
from memcli.named_tuple import NamedTuple
from memcli.storage.ledger import StateName

# The finding that tells of memories that no model has read yet.
UNREAD = "embedded"
# These are of the program, of a store in use, and of where a copy lies (on a stick all is everybody's).
# What has no vectors yet has none in a copy either.
NOT_OF_A_COPY = ("driver", "sqlite-vec", "journal", "permissions", UNREAD)


class Finding(NamedTuple):
    """One line of a check-up: what was looked at, whether it is well, and what to do."""

    name: str
    ok: bool
    detail: str
    remedy: str = ""
    damage: bool = False
    """Whether the file is not what memcli wrote: then nothing is written to it until that is mended."""
    rows: tuple[str, ...] = ()
    """Of damaged rows each one's kind and name."""


class Repair(NamedTuple):
    """What was done to mend a store; rows by kind and name."""

    mended: tuple[str, ...] = ()
    """Are as they were written again, as their digest proves."""
    recovered: tuple[str, ...] = ()
    """Were gone, and are as the record of their changes tells them."""
    doubtful: tuple[str, ...] = ()
    """Stand as they were found: nothing proves what they said."""
    accepted: tuple[str, ...] = ()
    """Were taken as they were found, for the owner insisted."""
    lost: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    """Triggers of others on memcli's tables."""
    rebuilt: bool = False
    """Whether what is derived was made anew."""
    salvaged: bool = False
    """Whether a new file has taken the place of the damaged one."""
    set_aside: Path | None = None
    """The damaged file, as it was."""


class ErasedRows(NamedTuple):
    """How many rows of one part of the store were erased."""

    part: str
    rows: int


class Trace(NamedTuple):
    """Something that should be gone and is still at `place`; `needle` is its number, or a word."""

    place: str
    needle: int | str


class CopyErasure(NamedTuple):
    """What came of erasing from one copy of a store."""

    path: Path
    error: str | None
    """Why it may still hold what was erased; None where it is proven not to."""
    state: str = ""
    """By what a proven copy is known again, as long as nobody changes it."""
    found: bool = False
    """Whether what was erased was found in it, and a next look would not know what to look for."""


class Erasure(NamedTuple):
    """What goes from the copies of a store, and what is there as it is in the store by now."""

    ids: Sequence[str] = ()
    """Of memories and links."""
    states: Sequence[StateName] = ()
    spaces: Sequence[str] = ()
    """All links and keyed values of these."""
    events: Sequence[Event] = ()
    """Lines of history, rewritten; what was given as the reason of such a memory's end goes, too."""
    links: Sequence[Link] = ()
    memories: Sequence[Memory] = ()
    """Of these, and of the links, what stands in `data`; of memories `origin`, too."""
    texts: Sequence[str] = ()
    """What goes, in its words, to be looked for where the rows themselves are not. Never on record."""


class RestoredStore(NamedTuple):
    """What became of the store in whose place a copy was put: kept at `kept`; None where there was none."""

    kept: Path | None
    was_damaged: bool = False
    knows_erased: bool = True
    """Whether what had been forgotten for good was known, and taken out of the copy."""
    left_out: Erasure = Erasure()
    """What of the copy did not come back, for that was forgotten for good, or quotes what was."""
