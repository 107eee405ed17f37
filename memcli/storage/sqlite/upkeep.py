"""Keeping a store's file in shape, in small steps, and making copies of it."""

from __future__ import annotations

import glob
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from memcli.storage.sqlite.file import back_up
from memcli.storage.sqlite.ledger import SqliteLedger

# A scheduled copy: the store's name, this, and when.
_BACKUP, _WHEN = ".backup-", "????????T??????Z"
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
        for left in self.path.parent.glob(f"{glob.escape(self.path.name)}{_BACKUP}{_WHEN}.part"):
            left.unlink(missing_ok=True)
        target = self.path.with_name(f"{self.path.name}{_BACKUP}{at:%Y%m%dT%H%M%SZ}")
        part = target.with_name(f"{target.name}.part")
        back_up(self._db, part)
        part.replace(target)
        return target

    def backups(self) -> dict[Path, datetime]:
        pattern = f"{glob.escape(self.path.name)}{_BACKUP}{_WHEN}"
        found = {}
        for path in sorted(self.path.parent.glob(pattern)):
            with suppress(ValueError):
                made = datetime.strptime(path.name[-16:], "%Y%m%dT%H%M%SZ")  # noqa: DTZ007 - made so in UTC
                found[path] = made.replace(tzinfo=UTC)
        return found

    def drop_backup(self, path: Path) -> None:
        path.unlink(missing_ok=True)
