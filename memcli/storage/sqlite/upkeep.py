"""Keeping a store's file in shape, in small steps."""

from __future__ import annotations

from memcli.storage.sqlite.own_copies import SqliteOwnCopies

# Pages of the word index that one step of tending merges, and unused ones that it gives back;
# so many may stay: they are soon used again. Each step takes a few hundredths of a second.
_MERGED_PAGES, _FREED_PAGES, _KEPT_FREE = 64, 64, 256


class SqliteUpkeep(SqliteOwnCopies):
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
