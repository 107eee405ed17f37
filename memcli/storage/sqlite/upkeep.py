"""Upkeep of a store's file: erased data removed from it and its copies, checks, index maintenance."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from memcli.errors import FlaggedStore
from memcli.storage.digests import ALL, HISTORY, MODEL, VECTOR
from memcli.storage.sqlite.file.damage import clear_flag, flag, flagged_store
from memcli.storage.sqlite.file.errors import explained_os_errors
from memcli.storage.sqlite.own_copies import SqliteOwnCopies
from memcli.storage.sqlite.tables.digests import damaged_rows

if TYPE_CHECKING:
    from pathlib import Path

    from memcli.storage.reports import CopyErasure, Erasure, Finding, Trace

# How many pages of the word index one step of upkeep merges, and how many unused ones it frees; some unused
# ones may stay, since they are soon used again. Each step takes a few hundredths of a second.
_MERGED_PAGES, _FREED_PAGES, _KEPT_FREE = 64, 64, 256


class SqliteUpkeep(SqliteOwnCopies):
    """`memcli.storage.upkeep.Upkeep` for one file, except erasing rows. See there for the promises."""

    # Forgetting for good

    def erase_from_copies(
        self,
        erasure: Erasure,
        *,
        proven: Mapping[str, str] | None = None,
        patience: float | None = None,
        quoting: Callable[[Path], Erasure] | None = None,
    ) -> list[CopyErasure]:
        from memcli.storage.sqlite.erasing.copy_erasure import CopyEraser

        waits = self._busy_timeout if patience is None else patience
        eraser = CopyEraser(self._db, self.path, erasure, proven or {}, waits, quoting)
        done = eraser.erase_from_all(self.copies())
        for path in eraser.gone:
            self.forget_copy(path)
        return done

    def scrub(self, *, thoroughly: bool = False, patience: float | None = None) -> None:
        from memcli.storage.sqlite.erasing.erasure import scrub

        with self._waiting(patience):
            scrub(self._db, self.path, thoroughly=thoroughly)

    def traces(self, needles: Sequence[bytes], terms: Sequence[str]) -> list[Trace]:
        from memcli.storage.sqlite.erasing.erasure import traces

        if self._held is None:
            self._held = os.open(self.file, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        beside = [self.file.with_name(self.file.name + tail) for tail in ("-wal", "-journal")]
        copies = [copy.path for copy in self.copies()]
        with self._explained(), explained_os_errors(self.path):
            return list(traces(self._db, self._held, self.file, [*beside, *copies], needles, terms))

    # Looking it over

    def check(self) -> Iterator[Finding]:
        from memcli.storage.sqlite.checks.check import check_store

        # FTS5's own check is an INSERT statement that inserts nothing, so it needs query_only off.
        [(guarded,)] = self._rows("PRAGMA query_only")
        self._run("PRAGMA query_only = OFF")
        try:
            with self._explained():
                yield from check_store(self._db, self.file)
        finally:
            self._run(f"PRAGMA query_only = {guarded}")

    def damaged(
        self, spaces: Sequence[str] | None = None, *, history: bool = True, vectors: bool = True
    ) -> Iterator[str]:
        left = {HISTORY} if not history else set()
        left |= {VECTOR, MODEL} if not vectors else set()
        with self._explained():
            for row in damaged_rows(self._db, [each for each in ALL if each not in left]):
                if spaces is None or row.space is None or row.space in spaces:
                    yield f"{row.kind} {row.name}"

    def flag(self, found: Iterable[str]) -> None:
        flag(self.path, found)
        if not (self.forced or self.hindrance):
            self.hindrance = flagged_store(self.path)

    def clear_flag(self) -> None:
        clear_flag(self.path)
        if isinstance(self.hindrance, FlaggedStore):
            self.hindrance = None

    def sizes(self) -> dict[str, int]:
        from memcli.storage.sqlite.checks.check import sizes

        with self._explained():
            return sizes(self._db, self.file)

    def tend(self) -> bool:
        before = self._db.total_changes
        with self.writing():
            # A few pages of the index at a time: a full optimise would block writers.
            self._run("INSERT INTO word_index (word_index, rank) VALUES ('merge', ?)", (_MERGED_PAGES,))
            merged = self._db.total_changes - before > 1
        free = self._rows("PRAGMA freelist_count")[0][0] if self._rows("PRAGMA auto_vacuum") == [(2,)] else 0
        if free > _KEPT_FREE:
            self._rows(f"PRAGMA incremental_vacuum({_FREED_PAGES})")
        return merged or free > _KEPT_FREE
