"""Forgetting for good in a SQLite file, and looking whether it is gone.

What a delete leaves behind, and what is done about it: FTS5 keeps a word until
its segments are merged (`optimize`); the write-ahead log keeps whole pages
until it is truncated; moved rows may leave bytes in unused parts of a page,
which `secure_delete` does not reach, so where a search of the files still
finds something the whole file is written anew (`VACUUM`).
"""

from __future__ import annotations

import json
import mmap
from collections.abc import Iterator, Sequence
from pathlib import Path

import sqlcipher3.dbapi2 as sqlite

from memcli.errors import StoreBusy, StoreUnusable
from memcli.model import FIELD_NAMES
from memcli.storage import ErasedRows, Erasure, Trace
from memcli.storage.sqlite import digests
from memcli.storage.sqlite.digests import amend
from memcli.storage.sqlite.file import explained_errors
from memcli.storage.sqlite.opening import open_database
from memcli.storage.sqlite.rows import LINK_COLUMNS, rewritten_values, to_json

# Rows of each part that go with a memory, by a condition on `id` (its number where derived).
_PARTS = {
    "vectors": "memory IN (SELECT seq FROM memories WHERE id = :id)",
    "memory_words": "memory IN (SELECT seq FROM memories WHERE id = :id)",
    "memory_tags": "memory IN (SELECT seq FROM memories WHERE id = :id)",
    "history": "memory = :id",
    "memories": "id = :id",
}
# No index says which links rest on a memory: they are looked through once for all of them.
_DROP_LINKS = """
WITH gone AS MATERIALIZED (SELECT value FROM json_each(?))
DELETE FROM links WHERE id IN gone OR evidence IN gone OR subject IN gone OR object IN gone
"""
# What the tables still hold, the schema's own words among it.
_CONTENT = {
    "memories": FIELD_NAMES,
    "memory_words": ("words",),
    "history": ("before", "after", "reason", "actor", "memory", "at", "action", "change", "undoes"),
    "states": ("space", "area", "key", "value", "created_at", "updated_at", "expires_at"),
    "links": tuple(LINK_COLUMNS.split(", ")),
    "link_names": ("name",),
    "models": ("name", "weights"),
    "sqlite_master": ("name", "sql"),
    "_sqlite_migrations": ("name", "migration_set", "applied_at"),
}
# "SQLite format 3" stands at the head of each file.
_HEADER = 16


def delete_rows(db: sqlite.Connection, ids: Sequence[str]) -> list[ErasedRows]:
    """Delete every row that belongs to these memories; within the caller's transaction."""
    gone = dict.fromkeys((*_PARTS, "links"), 0)
    # A backup may be from before there was the second one.
    known = {row[1] for row in db.execute("PRAGMA table_info(memories)")}
    naming = [column for column in ("supersedes", "replaced_by") if column in known]
    if ids:
        gone["links"] = db.execute(_DROP_LINKS, (json.dumps(list(ids)),)).rowcount
    for memory_id in ids:
        for part, condition in _PARTS.items():
            gone[part] += db.execute(f"DELETE FROM {part} WHERE {condition}", {"id": memory_id}).rowcount
        for column in naming:
            amend(db, digests.MEMORY, {column: None}, f"{column} = :id", {"id": memory_id})
    return [ErasedRows(part, rows) for part, rows in gone.items()]


def scrub(db: sqlite.Connection, path: Path, *, thoroughly: bool) -> None:
    """See `Store.scrub`."""
    with explained_errors(path):
        db.execute("INSERT INTO word_index (word_index) VALUES ('optimize')")
        if thoroughly:
            db.execute("VACUUM")
        [(busy, _, _)] = db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    if busy:
        raise StoreBusy(
            f"{path}: another process is reading an older state, so the log still holds what was erased; "
            "close it, and the next command (or `mem reindex`) finishes the erasure"
        )


def erase_from_backup(backup: Path, erasure: Erasure) -> str | None:
    """Erase from a backup, whatever its schema; it stays a single file. Returns why it failed."""
    db = None
    try:
        with explained_errors(backup):
            db = open_database(backup)
            db.execute("PRAGMA foreign_keys = ON")
            db.execute("PRAGMA secure_delete = ON")
            db.execute("PRAGMA journal_mode = DELETE")
            db.execute("BEGIN IMMEDIATE")
            delete_rows(db, erasure.ids)
            db.executemany("DELETE FROM states WHERE (space, area, key) = (?, ?, ?)", erasure.states)
            for space in erasure.spaces:
                db.execute("DELETE FROM states WHERE space = ?", (space,))
                db.execute("DELETE FROM links WHERE space = ?", (space,))
            for event in erasure.events:
                amend(db, digests.HISTORY, rewritten_values(event), "number = :id", {"id": event.number})
                amend(db, digests.MEMORY, {"ended_why": None}, "id = :id", {"id": event.memory})
            for link in erasure.links:
                amend(db, digests.LINK, {"data": to_json(link.data)}, "id = :id", {"id": link.id})
            for memory in erasure.memories:
                quoted = {"data": to_json(memory.data), "origin": memory.origin}
                amend(db, digests.MEMORY, quoted, "id = :id", {"id": memory.id})
            db.execute("COMMIT")
        scrub(db, backup, thoroughly=True)
    except StoreUnusable as error:
        return str(error)
    finally:
        if db:
            db.close()
    return None


def traces(
    db: sqlite.Connection, files: Sequence[Path], needles: Sequence[bytes], terms: Sequence[str]
) -> Iterator[Trace]:
    """See `Store.traces`."""
    # By places, not by a search: that would stem a stem again, and find nothing.
    places = "temp.word_places USING fts5vocab(main, word_index, instance)"
    db.execute(f"CREATE VIRTUAL TABLE IF NOT EXISTS {places}")
    held = "SELECT 1 FROM temp.word_places WHERE term = ? AND doc IN (SELECT memory FROM memory_words)"
    for term in _forms(terms):
        indexed = db.execute("SELECT 1 FROM word_counts WHERE term = ?", (term,)).fetchone()
        if indexed and not db.execute(held, (term,)).fetchone():
            yield Trace("word index", term)
    for file in files:
        # The log and the shared memory are empty or absent while nobody writes.
        if not file.exists() or not file.stat().st_size:
            continue
        with file.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as content:
            for number, needle in enumerate(needles):
                if content.find(needle, _HEADER) >= 0 and not _explained(db, needle):
                    yield Trace(file.name, number)


def _forms(terms: Sequence[str]) -> set[str]:
    """Words as the index may hold them: whole, or stemmed (Porter cuts ends, and turns y into i)."""
    cut = {term[:size] for term in terms for size in range(3, len(term) + 1)}
    return {*terms, *cut, *(stem[:-1] + "i" for stem in cut if stem.endswith("y"))}


def _explained(db: sqlite.Connection, needle: bytes) -> bool:
    """Whether something that is still in a table holds these bytes."""
    for table, columns in _CONTENT.items():
        within = " OR ".join(f"instr(CAST({column} AS BLOB), :needle)" for column in columns)
        if db.execute(f"SELECT 1 FROM {table} WHERE {within}", {"needle": needle}).fetchone():
            return True
    found = db.execute("SELECT 1 FROM vectors WHERE instr(vector, ?)", (needle,)).fetchone()
    return found is not None
