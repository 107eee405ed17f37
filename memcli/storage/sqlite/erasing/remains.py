"""What else in a copy says what goes from it: found by the text itself, and taken out.

A copy may quote what is erased in what the store dropped since (a checkpoint, a block, a task,
another memory) or said otherwise then. Nobody can name that to have it erased: the store has it no
more. So it becomes as it is in the store by now, and what is not there goes.
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

# By what a row of the store is the same as one of a copy, and what it says.
_KEYED = (
    (digests.STATE, ("space", "area", "key"), ("value", "version", "updated_at", "expires_at")),
    (digests.LINK, ("id",), ("relation", "evidence", "ended_at", "data")),
    (digests.MEMORY, ("id",), ("tags", "session", "data", "origin", "ended_why")),
)  # fmt: skip
_TOLD = ("actor", "reason", "before", "after")


def take_out(db: sqlite.Connection, store: sqlite.Connection, needles: Sequence[bytes]) -> bool:
    """Take out of a copy whatever says one of the `needles` that `store` says no more; whether none is left.

    Within the caller's transaction, after the rows that are erased are gone.
    """

    def said(needle: bytes) -> bool:
        # What was purged from the store since is in its copies, and shares words with what is erased.
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
    # What the index held of rows that are gone is nobody's.
    db.execute("INSERT INTO word_index (word_index) VALUES ('optimize')")
    return [needles[number] for number in found_in(values_of(db), needles, said)] if needles else []


def _text_of(digest: Digest) -> tuple[str, ...]:
    return {"memories": ("text",), "links": ("subject", "object")}.get(digest.table, ())


def _holding(
    db: sqlite.Connection, table: str, columns: Sequence[str], wanted: Sequence[str], needles: Sequence[bytes]
) -> list[dict[str, Any]]:
    """The rows of a table of which one of these columns says one of the needles."""
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
    """Make a row as it is in the store; one that is not there, or has another text there, goes."""
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
    """Have what is derived of a memory's text and tags be as in the store."""
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
    """Make a line of history as it is in the store; where it is not, it loses what says a needle."""
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
