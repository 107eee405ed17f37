"""Vanished memories, whose rows are gone while their words remain: restored from their history."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING

from memcli.storage.rows import UNREADABLE
from memcli.storage.sqlite.tables.digests import undecoded
from memcli.text import words

if TYPE_CHECKING:
    from memcli.storage.sqlite.repair.row_mender import RowMender
    from memcli.storage.sqlite.store import SqliteStore

_ORPHANS = "SELECT memory, words FROM memory_words WHERE memory NOT IN (SELECT seq FROM memories)"
_TOLD = (
    "SELECT DISTINCT memory FROM history WHERE before IS NULL AND instr(after, '\"text\"') "
    "AND memory NOT IN (SELECT id FROM memories) ORDER BY memory"
)


def recover_vanished(store: SqliteStore, mender: RowMender, at: datetime) -> tuple[str, ...]:
    """Restore each memory of which the words are left, and return its name; without history it is lost.

    Its words identify the memory, since history also has lines of memories that a sync never brought here.
    Called before derived data is rebuilt, in the current transaction.
    """
    db = store.connection
    with undecoded(db):
        orphans: dict[object, list[object]] = {}
        for seq, held in db.execute(_ORPHANS):
            orphans.setdefault(held, []).append(seq)
        told = [row[0] for row in db.execute(_TOLD)] if orphans else []
    if not orphans:
        return ()
    # A restored row may get the number of a vanished one, so remove the latter's derived data first.
    for table in ("memory_words", "memory_tags", "vectors", "wanting"):
        db.execute(f"DELETE FROM {table} WHERE memory NOT IN (SELECT seq FROM memories)")
    recovered = []
    for memory_id in told:
        with suppress(*UNREADABLE):
            memory = mender.remembered(memory_id)
            held = orphans.get(words.index_text(memory.text, memory.tags)) if memory else None
            if memory and held:
                held.pop()
                store.put([memory], None, at)
                recovered.append(f"memory {memory_id}")
    for seq in (each for held in orphans.values() for each in held):
        mender.lost[f"memory in row {seq}, of which only words are left"] = None
    return tuple(recovered)
