"""Upkeep: the part of a store's contract about erasing, checking, maintenance and copies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from memcli.model import Change

if TYPE_CHECKING:
    from memcli.storage.known_copies import CopyKind, StoreCopy
    from memcli.storage.reports import CopyErasure, ErasedRows, Erasure, Finding, Trace

# Called with how many bytes are written, and of how many.
Progress = Callable[[int, int], None]


class Upkeep(Protocol):
    """Erasure, checks, copies. See `memcli.storage` for the promises of all methods."""

    unreached: str
    """Places out of reach of `scrub` and `traces` where bytes of erased rows may be; empty for a file."""

    # Forgetting for good

    def erase(
        self,
        ids: Sequence[str],
        change: Change,
        at: datetime,
        marks: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> list[ErasedRows]:
        """Delete memories from every table, index and history; only the fact goes on record.

        `marks`, by id, go on record beside it. One transaction. Links that rest on them are deleted, too.
        Call `scrub` afterwards.
        """

    def scrub(self, *, thoroughly: bool = False, patience: float | None = None) -> None:
        """Overwrite what deleted data left behind in indexes, logs and unused parts of the files.

        On a server: vacuum the tables, whose pages and indexes then hold no such row. `thoroughly` rewrites
        the whole store. Raises StoreBusy if a reader holds an older state for longer than `patience`
        (seconds; None: the busy timeout), StoreUnusable.
        """

    def traces(self, needles: Sequence[bytes], terms: Sequence[str]) -> list[Trace]:
        """Return where byte strings are in any file of the store, and which words are in an index.

        Both as stored; what live content explains is left out. A server shows no files: there rows and
        indexes are searched (see `unreached`).
        """

    def erase_from_copies(
        self,
        erasure: Erasure,
        *,
        proven: Mapping[str, str] | None = None,
        patience: float | None = None,
        quoting: Callable[[Path], Erasure] | None = None,
    ) -> list[CopyErasure]:
        """Erase from and scrub every copy of the store, and check that it is gone there.

        For a store on a server no copy is known: backups are its operator's.

        What else in a copy says what is erased, and the store no longer says, goes, too: recognised by the
        erased rows, by `Erasure.texts`, or if neither tells it by `quoting`, which returns what else has to
        go from the copy at a path. Copies that are `proven` already (`state` by path) are skipped. If a
        copy is being made, this waits for it as `scrub` does. Raises nothing for a single copy.
        """

    # Looking it over

    def check(self) -> Iterator[Finding]:
        """Check the store: driver, schema, integrity, derived data against memories."""

    def damaged(
        self, spaces: Sequence[str] | None = None, *, history: bool = True, vectors: bool = True
    ) -> Iterator[str]:
        """Yield the rows (in these spaces) that do not match their digests, by kind and name."""

    def flag(self, found: Iterable[str]) -> None:
        """Record durably that the store is damaged: nobody writes to it then, except by `force`."""

    def clear_flag(self) -> None:
        """Record that the store is sound, or repaired: it may be written to."""

    def sizes(self) -> dict[str, int]:
        """Return bytes on disk by part; `total` is everything."""

    def tend(self) -> bool:
        """Do one short step of maintaining indexes and unused space; return True if there is more to do."""

    # Copies

    def back_up(self, at: datetime) -> Path:
        """Write a verified copy, readable by the owner alone, that opens like the store itself.

        Raises StoreUnusable if it cannot be made (on a server it never can), StoreDamaged if anything in it
        is not as memcli wrote it (see `check`): then there is no copy, and earlier ones stay.
        """

    def backups(self) -> dict[Path, datetime]:
        """Return the existing copies that `back_up` made, with their times, oldest first."""

    def make_copy(self, kind: CopyKind, label: str, at: datetime, progress: Progress | None = None) -> Path:
        """Copy the store as `back_up` does: any kind of copy, with a label that is unique for its kind.

        A copy of kind DAMAGED is kept whatever is found in it, if it can be copied at all.
        """

    def copy_to(
        self,
        path: Path,
        at: datetime,
        progress: Progress | None = None,
        *,
        kind: CopyKind | None = None,
    ) -> None:
        """Write such a copy to a file elsewhere, replacing only a copy of this store.

        Without a `kind` it is a backup. Recorded before its first byte, unless the store is read-only.
        Raises BadInput if something else is there.
        """

    def drop_copy(self, path: Path) -> None:
        """Remove a copy of the store, and its record. Raises StoreUnusable."""

    def copies(self) -> list[StoreCopy]:
        """Return every copy of the store, by path, also unfinished ones and those elsewhere, there or not."""

    def note_copy(self, path: Path, kind: CopyKind, at: datetime) -> None:
        """Record that a copy is elsewhere than beside the store; called before it is made."""

    def forget_copy(self, path: Path) -> bool:
        """Drop the record of a copy elsewhere; return True if there was one."""
