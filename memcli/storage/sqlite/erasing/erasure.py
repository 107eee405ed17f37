"""Erasure in a SQLite file, and the search for remains.

What a delete leaves behind, and what is done about it: FTS5 keeps a word until its segments are merged
(`optimize`); the write-ahead log keeps whole pages until it is truncated; moved rows may leave bytes in
unused parts of a page, which `secure_delete` does not reach, so if a search of the files still finds
something the whole file is rewritten (`VACUUM`).
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from functools import cache
from pathlib import Path

import sqlcipher3.dbapi2 as sqlite

from memcli.errors import StoreBusy, StoreFull, StoreUnusable
from memcli.model import FIELD_NAMES
from memcli.storage import digests
from memcli.storage.reports import ErasedRows, Trace
from memcli.storage.rows import LINK_COLUMNS
from memcli.storage.sqlite.erasing.decrypted import decrypted_values
from memcli.storage.sqlite.file.errors import explained_errors
from memcli.storage.sqlite.file.opening import open_database, salt_of
from memcli.storage.sqlite.tables.digests import amend
from memcli.system.files import read_at

# The rows of each part that belong to a memory, by a condition on `id` (its number for derived data).
_PARTS = {
    "vectors": "memory IN (SELECT seq FROM memories WHERE id = :id)",
    "memory_words": "memory IN (SELECT seq FROM memories WHERE id = :id)",
    "memory_tags": "memory IN (SELECT seq FROM memories WHERE id = :id)",
    "history": "memory = :id",
    "memories": "id = :id",
}
# No index gives the links that rest on a memory, so the table is scanned once for all memories.
_DROP_LINKS = """
WITH gone AS MATERIALIZED (SELECT value FROM json_each(?))
DELETE FROM links WHERE id IN gone OR evidence IN gone OR subject IN gone OR object IN gone
"""
# SQL for what the tables legitimately hold, including the words of the schema.
_CONTENT = {
    "memories": FIELD_NAMES,
    "memory_words": ("words",),
    "history": ("before", "after", "reason", "actor", "memory", "at", "action", "change", "undoes"),
    "states": ("space", "area", "key", "value", "created_at", "updated_at", "expires_at"),
    "links": tuple(LINK_COLUMNS.split(", ")),
    "link_names": ("name",),
    "models": ("name", "weights"),
    "clocks": ("kind", "key", "via", "row", "clock"),
    "sqlite_master": ("name", "sql"),
    "_sqlite_migrations": ("name", "migration_set", "applied_at"),
}
# The reason for a file that was not cleaned to the end.
STILL_HELD = "it may still hold what was erased"
# The length of "SQLite format 3", with which each file begins.
_HEADER = 16
# The length of the pieces in which a text is searched for, and the least length that is telling.
_PIECE, _TELLING = 48, 6
# A shorter text may be a word that other texts contain, too.
WORD = 24
_CHUNK = 1 << 24


def delete_rows(db: sqlite.Connection, ids: Sequence[str]) -> list[ErasedRows]:
    """Delete every row that belongs to these memories; within the caller's transaction."""
    gone = dict.fromkeys((*_PARTS, "links"), 0)
    # An old backup may lack the second column.
    known = {row[1] for row in db.execute("PRAGMA table_info(memories)")}
    clocks = db.execute("SELECT 1 FROM sqlite_master WHERE name = 'clocks'").fetchone()
    naming = [column for column in ("supersedes", "replaced_by") if column in known]
    if ids:
        gone["links"] = db.execute(_DROP_LINKS, (json.dumps(list(ids)),)).rowcount
    for memory_id in ids:
        for part, condition in _PARTS.items():
            gone[part] += db.execute(f"DELETE FROM {part} WHERE {condition}", {"id": memory_id}).rowcount
        if clocks:
            db.execute("DELETE FROM clocks WHERE kind = 'memory' AND key = ?", (memory_id,))
        for column in naming:
            amend(db, digests.MEMORY, {column: None}, f"{column} = :id", {"id": memory_id})
    return [ErasedRows(part, rows) for part, rows in gone.items()]


def scrub(db: sqlite.Connection, path: Path, *, thoroughly: bool) -> None:
    """See `Store.scrub`."""
    with explained_errors(path, kept=lambda: STILL_HELD):
        # Free space of an encrypted file cannot be searched, so the file is always rewritten.
        thoroughly = thoroughly or salt_of(path) is not None
        if thoroughly:
            # A reader that blocks the log would block the rewritten store in it, too; so this is tried first.
            _empty_log(db, path)
            _check_room(db, path)
        db.execute("INSERT INTO word_index (word_index) VALUES ('optimize')")
        if thoroughly:
            db.execute("VACUUM")
        _empty_log(db, path)


def _empty_log(db: sqlite.Connection, path: Path) -> None:
    [(busy, _, _)] = db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    if busy:
        raise StoreBusy(
            f"{path}: another process is reading an older state, so the log still holds what was erased",
            advice="close it",
        )


def _check_room(db: sqlite.Connection, path: Path) -> None:
    """Raise StoreFull if the file cannot be rewritten: trying would take long, and fill the disk."""
    [(pages, free, size)] = db.execute(
        "SELECT * FROM pragma_page_count, pragma_freelist_count, pragma_page_size"
    )
    wanted = (pages - free) * int(size)  # SQLCipher gives it as text
    if shutil.disk_usage(path.parent).free < wanted:
        raise StoreFull(
            f"{path}: no space left on the device to write it anew ({wanted // 2**20 + 1} MiB)",
            advice="make room",
        )


def pieces(texts: Iterable[str]) -> list[bytes]:
    """Return the byte strings by which texts are searched for: cut into pieces, as stored and as in JSON."""
    forms = dict.fromkeys(
        form for text in texts for form in (text, json.dumps(text, ensure_ascii=False)[1:-1])
    )
    # The last piece is as long as the others: a short rest would be a word or two that any text may contain.
    starts = ((form, start) for form in forms for start in range(0, len(form), _PIECE))
    cut = (form[max(0, min(start, len(form) - _PIECE)) :][:_PIECE] for form, start in starts)
    return [piece.encode() for piece in dict.fromkeys(cut) if len(piece.strip()) >= _TELLING]


def traces(
    db: sqlite.Connection,
    descriptor: int,
    path: Path,
    files: Sequence[Path],
    needles: Sequence[bytes],
    terms: Sequence[str],
) -> Iterator[Trace]:
    """See `Store.traces`. `descriptor` is of the store's own file at `path`, and stays open."""
    # By fts5vocab, not by a search, which would stem a stem again, and find nothing.
    places = "temp.word_places USING fts5vocab(main, word_index, instance)"
    db.execute(f"CREATE VIRTUAL TABLE IF NOT EXISTS {places}")
    held = "SELECT 1 FROM temp.word_places WHERE term = ? AND doc IN (SELECT memory FROM memory_words)"
    for term in _forms(terms):
        indexed = db.execute("SELECT 1 FROM word_counts WHERE term = ?", (term,)).fetchone()
        if indexed and not db.execute(held, (term,)).fetchone():
            yield Trace("word index", term)
    still_said = cache(lambda needle: still_says(db, needle))
    for number in found_in(contents(path, descriptor), needles, still_said):
        yield Trace(str(path), number)
    for file in files:
        # Log and shared memory are empty or missing while nobody writes.
        if file.is_file():
            said = said_in_copy(file, still_said)
            try:
                found = list(found_in(contents(file), needles, said))
            except (sqlite.Error, StoreUnusable):
                # Busy, or no store: whoever cleans copies says so. What is in the clear is found.
                with file.open("rb") as stream:
                    found = list(found_in(_chunks(stream.fileno()), needles, said))
            for number in found:
                yield Trace(str(file), number)


def found_in(
    content: Iterable[bytes], needles: Sequence[bytes], still_said: Callable[[bytes], bool]
) -> Iterator[int]:
    """Yield the numbers of the needles found in a file's content, without those that are `still_said`."""
    left = dict(enumerate(needles))
    overlap, before = max(map(len, needles), default=1) - 1, b""
    for chunk in content:
        here = before + chunk
        for number in [number for number, needle in left.items() if needle in here]:
            if not still_said(left.pop(number)):
                yield number
        if not left:
            return
        before = here[max(0, len(here) - overlap) :]


def contents(path: Path, descriptor: int | None = None) -> Iterator[bytes]:
    """Yield what a file holds, in chunks; of an encrypted one the content of its tables, see `decrypted`.

    The store itself is read through its `descriptor`: a memory map would duplicate and close it, a new one
    would be closed, and the locks on the file with it.
    """
    if not path.name.endswith(("-wal", "-shm", "-journal")) and salt_of(path):
        yield from decrypted_values(path)
    elif descriptor is not None:
        yield from _chunks(descriptor)
    else:
        with path.open("rb") as file:
            yield from _chunks(file.fileno())


def _chunks(descriptor: int) -> Iterator[bytes]:
    start = _HEADER
    while chunk := read_at(descriptor, _CHUNK, start):
        start += len(chunk)
        yield chunk


def said_in_copy(copy: Path, still_said: Callable[[bytes], bool]) -> Callable[[bytes], bool]:
    """Return a test for what the store still says, or for a mere word, another memory of the copy.

    What was purged from the store since is in its copies, and shares words with what is erased.
    """

    def said(needle: bytes) -> bool:
        return still_said(needle) or (len(needle) < WORD and in_opened(needle))

    def in_opened(needle: bytes) -> bool:
        # A busy or unreadable copy was not cleaned in any case.
        with suppress(sqlite.Error, StoreUnusable), closing(open_database(copy, timeout=0)) as db:
            return in_memories(db, needle)
        return False

    return said


def in_memories(db: sqlite.Connection, needle: bytes) -> bool:
    """True if a memory of this file contains these bytes, or is indexed by them."""
    texts = " OR ".join(f"instr(CAST({column} AS BLOB), :needle)" for column in ("text", "tags"))
    words = "SELECT 1 FROM memory_words WHERE instr(CAST(words AS BLOB), :needle)"
    found = db.execute(f"SELECT 1 FROM memories WHERE {texts} UNION {words}", {"needle": needle})
    return found.fetchone() is not None


def _forms(terms: Sequence[str]) -> set[str]:
    """Return words as the index may hold them: whole, or stemmed (Porter cuts ends, and turns y into i)."""
    cut = {term[:size] for term in terms for size in range(3, len(term) + 1)}
    return {*terms, *cut, *(stem[:-1] + "i" for stem in cut if stem.endswith("y"))}


def still_says(db: sqlite.Connection, needle: bytes) -> bool:
    """True if something that is still in a table contains these bytes."""
    for table, columns in _CONTENT.items():
        within = " OR ".join(f"instr(CAST({column} AS BLOB), :needle)" for column in columns)
        if db.execute(f"SELECT 1 FROM {table} WHERE {within}", {"needle": needle}).fetchone():
            return True
    found = db.execute("SELECT 1 FROM vectors WHERE instr(vector, ?)", (needle,)).fetchone()
    return found is not None
