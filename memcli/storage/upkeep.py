"""The part of a store that keeps it whole: forgetting for good, looking it over, its copies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from memcli.model import Change

if TYPE_CHECKING:
    from memcli.storage.known_copies import CopyKind, StoreCopy
    from memcli.storage.reports import CopyErasure, ErasedRows, Erasure, Finding, Trace

# Hears how many bytes are written, and of how many.
Progress = Callable[[int, int], None]


class Upkeep(Protocol):
    """See `memcli.storage` for what all methods promise."""

    unreached: str
    """Where bytes of erased rows may still lie that `scrub` and `traces` do not reach; empty for a file,
    of which they reach all."""

    # Forgetting for good

    def erase(
        self,
        ids: Sequence[str],
        change: Change,
        at: datetime,
        marks: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> list[ErasedRows]:
        """Take memories out of every table, index and record; on record is only that it was done.

        By id `marks` go on record beside that. One transaction. Links that rest
        on them go too. Follow it by `scrub`.
        """

    def scrub(self, *, thoroughly: bool = False, patience: float | None = None) -> None:
        """Overwrite what deleted things left behind in indexes, logs and unused parts of the files.

        On a server: vacuum the tables, of which pages and indexes then hold no such row.
        `thoroughly` writes the whole store anew. Raises StoreBusy where a reader
        holds on to an older state for longer than `patience` (seconds; None: the busy
        timeout), StoreUnusable.
        """

    def traces(self, needles: Sequence[bytes], terms: Sequence[str]) -> list[Trace]:
        """Where byte strings stand in any file of the store, and which words are in an index.

        Both as stored; what live content explains is left out. A server shows no files: there it is
        rows and indexes that are looked through (see `unreached`).
        """

    def erase_from_copies(
        self,
        erasure: Erasure,
        *,
        proven: Mapping[str, str] | None = None,
        patience: float | None = None,
        quoting: Callable[[Path], Erasure] | None = None,
    ) -> list[CopyErasure]:
        """Erase and scrub in every copy of the store, and look whether it is gone there.

        Of a store on a server no copy is known: backups are its operator's.

        What else in a copy says what goes from it, and the store says no more, goes, too: known by the
        rows that go, by `Erasure.texts`, or where neither tells it by `quoting`, which is asked what else
        has to go from the copy at a path.
        Left out are those that are `proven` already (`state` by path). Where a copy
        is being made, all wait for it as `scrub` does. Raises nothing for one copy.
        """

    # Looking it over

    def check(self) -> Iterator[Finding]:
        """Look the store over: driver, schema, integrity, derived data against memories."""

    def damaged(
        self, spaces: Sequence[str] | None = None, *, history: bool = True, vectors: bool = True
    ) -> Iterator[str]:
        """The rows (in these spaces) that are not as they were written, by kind and name."""

    def flag(self, found: Iterable[str]) -> None:
        """Note durably that the store is damaged: nobody writes to it then, unless by `force`."""

    def clear_flag(self) -> None:
        """The store is found well, or mended: it may be written to."""

    def sizes(self) -> dict[str, int]:
        """Bytes on disk by part; `total` is everything."""

    def tend(self) -> bool:
        """One short step of tidying indexes and unused space; whether another would find more to do."""

    # Copies

    def back_up(self, at: datetime) -> Path:
        """Write a verified copy, readable by the owner alone, that opens like the store itself.

        Raises StoreUnusable where it cannot be made (on a server none can), StoreDamaged where anything in
        it is not as memcli wrote it (see `check`): then there is no copy, and those before it stay.
        """

    def backups(self) -> dict[Path, datetime]:
        """The copies that `back_up` made and that are still there, with when, oldest first."""

    def make_copy(self, kind: CopyKind, label: str, at: datetime, progress: Progress | None = None) -> Path:
        """Copy the store as `back_up` does: any kind of copy, by a label that no other of the kind has.

        One that is kept as damaged is so whatever is found in it, as long as it can be copied at all.
        """

    def copy_to(
        self,
        path: Path,
        at: datetime,
        progress: Progress | None = None,
        *,
        kind: CopyKind | None = None,
    ) -> None:
        """Write such a copy to a file elsewhere, in place only of a copy of this store.

        Of no `kind` it is a backup. On record from before its first byte, unless the store may only be read.
        Raises BadInput where something else stands there.
        """

    def drop_copy(self, path: Path) -> None:
        """Remove a copy of the store, and its record. Raises StoreUnusable."""

    def copies(self) -> list[StoreCopy]:
        """Every copy of the store, by path, unfinished ones and those elsewhere too, there or not."""

    def note_copy(self, path: Path, kind: CopyKind, at: datetime) -> None:
        """Put on record that a copy stands elsewhere than beside the store; before it is made."""

    def forget_copy(self, path: Path) -> bool:
        """Drop the record of a copy elsewhere; whether there was one."""
