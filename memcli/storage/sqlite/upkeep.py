"""Keeping a store's file in shape, in small steps, and making copies of it."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from memcli.storage.sqlite.file import back_up, explained_os_errors
from memcli.storage.sqlite.ledger import SqliteLedger

if TYPE_CHECKING:
    from memcli.storage.known_copies import CopyKind, StoreCopy

# Pages of the word index that one step of tending merges, and unused ones that it gives back;
# so many may stay: they are soon used again. Each step takes a few hundredths of a second.
_MERGED_PAGES, _FREED_PAGES, _KEPT_FREE = 64, 64, 256


class SqliteUpkeep(SqliteLedger):
    """The part of `memcli.storage.Store` that a nightly run asks for."""

    def tend(self) -> bool:
        before = self._db.total_changes
        with self.writing():
            # At most so many pages of the index at once: a whole optimise holds writers up.
            self._run("INSERT INTO word_index (word_index, rank) VALUES ('merge', ?)", (_MERGED_PAGES,))
            merged = self._db.total_changes - before > 1
        free = self._rows("PRAGMA freelist_count")[0][0] if self._rows("PRAGMA auto_vacuum") == [(2,)] else 0
        if free > _KEPT_FREE:
            self._rows(f"PRAGMA incremental_vacuum({_FREED_PAGES})")
        return merged or free > _KEPT_FREE

    def back_up(self, at: datetime) -> Path:
        from memcli.storage.known_copies import CopyKind, record_home
        from memcli.storage.sqlite.copies import copy_path, making_copy, part_of, real_file, stamp

        record_home(self, real_file(self.path), at)
        target = copy_path(self.path, CopyKind.BACKUP, stamp(at))
        with making_copy(self.path, patience=self._busy_timeout):
            back_up(self._db, part_of(target))
            part_of(target).replace(target)
        return target

    def backups(self) -> dict[Path, datetime]:
        from memcli.storage.known_copies import CopyKind

        own = [copy for copy in self.copies() if copy.kind is CopyKind.BACKUP and not copy.elsewhere]
        return {copy.path: copy.made for copy in own if copy.made and copy.whole}

    def drop_backup(self, path: Path) -> None:
        from memcli.storage.sqlite.copies import remove_copy

        with explained_os_errors(path):
            remove_copy(path)

    def copies(self) -> list[StoreCopy]:
        from memcli.storage.known_copies import read_records
        from memcli.storage.sqlite.copies import find_copies

        with explained_os_errors(self.path):
            return find_copies(self.path, read_records(self))

    def note_copy(self, path: Path, kind: CopyKind, at: datetime) -> None:
        from memcli.storage.known_copies import record_copy
        from memcli.storage.sqlite.copies import real_file

        record_copy(self, real_file(path), kind, at)

    def forget_copy(self, path: Path) -> bool:
        from memcli.storage.known_copies import drop_record
        from memcli.storage.sqlite.copies import real_file

        return drop_record(self, real_file(path))
