"""Remains of erased content elsewhere in a copy: found by the text itself, and removed.

A copy may quote what is erased in what the store dropped since (a checkpoint, a block, a task, another
memory) or said otherwise then. Nobody can name that to have it erased, because the store no longer has it.
So such a row is updated to the store's current state, and deleted if it is not there.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import sqlcipher3.dbapi2 as sqlite

from memcli.storage import digests
from memcli.storage.digests import Digest
from memcli.storage.rows import to_json
from memcli.storage.sqlite.erasing.decrypted import values_of
from memcli.storage.sqlite.erasing.erasure import WORD, delete_rows, found_in, in_memories, still_says
from memcli.storage.sqlite.tables.digests import amend

# For each table, the key by which rows of the store and a copy correspond, and the columns with content.
_KEYED = (
    (digests.STATE, ("space", "area", "key"), ("value", "version", "updated_at", "expires_at")),
    (digests.LINK, ("id",), ("relation", "evidence", "ended_at", "data")),
    (digests.MEMORY, ("id",), ("tags", "session", "data", "origin", "ended_why")),
)  # fmt: skip
_TOLD = ("actor", "reason", "before", "after")


def take_out(db: sqlite.Connection, store: sqlite.Connection, needles: Sequence[bytes]) -> bool:
    """Remove from a copy what says one of the `needles` that `store` no longer says; True if none is left.

    Within the caller's transaction, after the erased rows are deleted.
    """

    def said(needle: bytes) -> bool:
        # A memory purged from the store since is in its copies, and may share words with what is erased.
        return still_says(store, needle) or (len(needle) < WORD and in_memories(db, needle))

    if not (left := _found(db, needles, said)):
        return True
    for digest, key, columns in _KEYED:
        for row in _holding(db, digest.table, (*key, *columns, *_text_of(digest)), key, left):
            _bring_up(db, store, digest, key, columns, row)
    for row in _holding(db, "history", _TOLD, ("number", "memory", "at", "action", *_TOLD), left):
        _retell(db, store, row, left)
    return not _found(db, left, said)


def _found(db: sqlite.Connection, needles: Sequence[bytes], said: Callable[[bytes], bool]) -> list[bytes]:
    # Purge the index of deleted rows first.
    db.execute("INSERT INTO word_index (word_index) VALUES ('optimize')")
    return [needles[number] for number in found_in(values_of(db), needles, said)] if needles else []


def _text_of(digest: Digest) -> tuple[str, ...]:
    return {"memories": ("text",), "links": ("subject", "object")}.get(digest.table, ())


def _holding(
    db: sqlite.Connection, table: str, columns: Sequence[str], wanted: Sequence[str], needles: Sequence[bytes]
) -> list[dict[str, Any]]:
    """Return the rows of a table in which one of these columns contains one of the needles."""
    there = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
    within = " OR ".join(f"instr(CAST({name} AS BLOB), ?1)" for name in columns if name in there)
    sql = f"SELECT {', '.join(wanted)} FROM {table} WHERE {within}"
    found = {row: None for needle in needles for row in db.execute(sql, (needle,))}
    return [dict(zip(wanted, row, strict=True)) for row in found]


def _bring_up(
    db: sqlite.Connection,
    store: sqlite.Connection,
    digest: Digest,
    key: Sequence[str],
    columns: Sequence[str],
    row: dict[str, Any],
) -> None:
    """Update a row to the store's; delete it if it is not there, or has another text there."""
    where = " AND ".join(f"{name} = :{name}" for name in key)
    texts = _text_of(digest)
    wanted = ", ".join((*texts, *columns))
    here = store.execute(f"SELECT {wanted} FROM {digest.table} WHERE {where}", row).fetchone()
    there = db.execute(f"SELECT {wanted} FROM {digest.table} WHERE {where}", row).fetchone()
    if here and there and here[: len(texts)] == there[: len(texts)]:
        amend(db, digest, dict(zip(columns, here[len(texts) :], strict=True)), where, row)
        if digest is digests.MEMORY:
            _derive(db, store, row["id"])
    elif digest is digests.MEMORY:
        delete_rows(db, [row["id"]])
    else:
        db.execute(f"DELETE FROM {digest.table} WHERE {where}", row)
        name = to_json([row[each] for each in key]) if digest is digests.STATE else row["id"]
        kind = "state" if digest is digests.STATE else "link"
        if db.execute("SELECT 1 FROM sqlite_master WHERE name = 'clocks'").fetchone():
            db.execute("DELETE FROM clocks WHERE kind = ? AND key = ?", (kind, name))


def _derive(db: sqlite.Connection, store: sqlite.Connection, memory_id: str) -> None:
    """Copy a memory's derived tags and words from the store."""
    number = "(SELECT seq FROM memories WHERE id = ?)"
    tags = store.execute(f"SELECT tag FROM memory_tags WHERE memory = {number}", (memory_id,)).fetchall()
    words = store.execute(f"SELECT words FROM memory_words WHERE memory = {number}", (memory_id,)).fetchall()
    db.execute(f"DELETE FROM memory_tags WHERE memory = {number}", (memory_id,))
    added = f"INSERT INTO memory_tags (tag, memory) VALUES (?, {number})"
    db.executemany(added, ((tag, memory_id) for (tag,) in tags))
    for (each,) in words:
        db.execute(f"UPDATE memory_words SET words = ? WHERE memory = {number}", (each, memory_id))


def _retell(
    db: sqlite.Connection, store: sqlite.Connection, row: dict[str, Any], needles: Sequence[bytes]
) -> None:
    """Update a history line to the store's; if it is not there, remove what contains a needle."""
    line = "memory = :memory AND at = :at AND action = :action"
    here = store.execute(f"SELECT {', '.join(_TOLD)} FROM history WHERE {line}", row).fetchall()
    if len(here) == 1:
        told = dict(zip(_TOLD, here[0], strict=True))
    else:
        told = {name: row[name] for name in _TOLD}
        told["reason"] = None if _says(row["reason"], needles) else row["reason"]
        for name in ("before", "after"):
            if _says(row[name], needles):
                told[name] = to_json(dict(_unsaid(json.loads(row[name]), needles)))
    amend(db, digests.HISTORY, told, "number = :number", row)


def _unsaid(fields: dict[str, Any], needles: Sequence[bytes]) -> Iterator[tuple[str, Any]]:
    return ((name, value) for name, value in fields.items() if not _says(to_json(value), needles))


def _says(text: str | None, needles: Sequence[bytes]) -> bool:
    return text is not None and any(needle in text.encode() for needle in needles)
