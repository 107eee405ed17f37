"""Copy erasure: erase from the copies of a store; each is proven by searching it for its former content."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import sqlcipher3.dbapi2 as sqlite

from memcli import ids
from memcli.errors import MemcliError, NoKey, StoreBusy, StoreDamaged, StoreUnusable, WrongKey
from memcli.messages import Command, message
from memcli.storage import areas, digests
from memcli.storage.known_copies import StoreCopy
from memcli.storage.ledger import StateName
from memcli.storage.reports import CopyErasure, Erasure
from memcli.storage.rows import rewritten_values, to_json
from memcli.storage.sqlite.erasing.erasure import (
    STILL_HELD,
    WORD,
    contents,
    delete_rows,
    found_in,
    pieces,
    said_in_copy,
    scrub,
    still_says,
)
from memcli.storage.sqlite.erasing.remains import take_out
from memcli.storage.sqlite.file.copies import has_only_log, is_gone, making_copy, real_file, remove_copy
from memcli.storage.sqlite.file.errors import explained_errors, explained_os_errors
from memcli.storage.sqlite.file.opening import open_database, salt_of
from memcli.storage.sqlite.tables.digests import amend

# The reason for a copy in which erased content was found.
STILL_SAID = "still holds what was erased; rm removes that copy"
# SQL for the current and former texts of a memory.
_TEXTS = """
SELECT text FROM memories WHERE id = :id
UNION ALL SELECT before ->> 'text' FROM history WHERE memory = :id AND json_valid(before)
UNION ALL SELECT after ->> 'text' FROM history WHERE memory = :id AND json_valid(after)
"""
# The reason for something other than a file in a copy's place: the copy may be anywhere.
NO_FILE = (
    f"no regular file, though a copy of the store stood there; {STILL_HELD}; remove it, or put that back"
)
# How many pieces of a copy's former texts are searched for in it afterwards.
_MOST_PIECES = 2000


class CopyEraser:
    """One erasure, in every copy of the store at `path`; `patience` in seconds for each busy copy.

    `db` is the store itself: what it still holds, a copy may hold, too. In the end `gone` lists the copies
    elsewhere that no longer exist.
    """

    def __init__(
        self,
        db: sqlite.Connection,
        path: Path,
        erasure: Erasure,
        proven: Mapping[str, str],
        patience: float,
        quoting: Callable[[Path], Erasure] | None = None,
    ) -> None:
        self._store, self._path = db, real_file(path)
        self._quoting = quoting
        self._erasure, self._proven, self._patience = erasure, proven, patience
        self.gone: list[Path] = []

    def erase_from_all(self, copies: Sequence[StoreCopy]) -> list[CopyErasure]:
        """Return the result for each copy, including those proven before."""
        try:
            with making_copy(self._path, patience=self._patience):
                return [done for copy in copies if (done := self._erase_from(copy))]
        except StoreUnusable as error:
            # A copy being made now may have begun before the erasure.
            return [CopyErasure(path, str(error)) for path in [copy.path for copy in copies] or [self._path]]

    def _erase_from(self, copy: StoreCopy) -> CopyErasure | None:
        path = copy.path
        try:
            if copy.elsewhere and is_gone(copy):
                self.gone.append(path)
                return None
            # Its writer was killed, since this process holds the lock of copies.
            if copy.is_part:
                remove_copy(path)
                if copy.elsewhere:
                    self.gone.append(path)
                return None
            if not path.exists():
                missing = f"{path}: cannot be reached; {STILL_HELD}"
                return CopyErasure(path, missing) if copy.elsewhere else None
            if self._proven.get(str(path)) == _state(path):
                return CopyErasure(path, None, _state(path))
            return self._cleaned(path)
        except OSError as error:
            return CopyErasure(path, f"{path}: {error.strerror or error}; {STILL_HELD}")

    def _cleaned(self, path: Path) -> CopyErasure:
        try:
            error = self._clean(path)
        except TextRemains as still:
            return CopyErasure(path, str(still), found=not still.known_by_copy)
        return CopyErasure(path, error, "" if error else _state(path))

    def _clean(self, path: Path) -> str | None:
        """Erase from one copy, whatever its schema; it stays a single file. Returns the reason if it failed.

        Raises TextRemains if it was searched, and still holds erased content.
        """
        if not path.is_file():
            # Not opened: a pipe would block, and proves nothing about the copy.
            return f"{path}: {NO_FILE}"
        if not path.stat().st_size:
            # SQLite would take an empty file for a new one, and remove the log, which may be all that is
            # left.
            why = f"{path}-wal: {STILL_HELD}; rm {path} {path}-wal removes that copy"
            return why if has_only_log(path) else None
        try:
            with explained_errors(path, kept=lambda: STILL_HELD), explained_os_errors(path):
                said = erase_from_copy(path, self._erasure, self._patience, self._store, self._quoting)
                still_said = said_in_copy(path, lambda needle: still_says(self._store, needle))
                if any(True for _ in found_in(contents(path), said, still_said)):
                    raise TextRemains(f"{path}: {STILL_SAID}", known_by_copy=False)
        except (WrongKey, NoKey, StoreDamaged):
            converts = Command("encrypt --key-file OLD", db=str(self._path))
            # A copy that was unreachable at a change of key is converted by means of its old key.
            old = (converts, " converts one that has an old key, ") if salt_of(self._path) else ()
            return message(
                f"{path}: is not a memcli store, is damaged, or its key is not at hand, so {STILL_HELD}; ",
                *old,
                "rm removes that copy",
            )
        except TextRemains:
            raise
        except StoreBusy:
            return f"{path}: another process uses this copy, so it still holds what was erased; close it"
        except MemcliError as error:
            return str(error)
        return None


def erase_from_copy(
    path: Path,
    erasure: Erasure,
    patience: float,
    store: sqlite.Connection | None = None,
    quoting: Callable[[Path], Erasure] | None = None,
) -> list[bytes]:
    """Erase from one copy and rewrite it; return the erased content in pieces. Raises as SQLite does.

    `store` is the store itself, if there is one: what it no longer holds and cites or quotes the erased
    goes, too; `quoting` is called as `Store.erase_from_copies` says. Raises TextRemains if erased content is
    left, and then the copy is as it was.
    """
    with closing(open_database(path, timeout=patience)) as db:
        db.execute("PRAGMA foreign_keys = ON")
        db.execute("PRAGMA secure_delete = ON")
        db.execute("PRAGMA journal_mode = DELETE")
        if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'memories'").fetchone():
            raise StoreDamaged(f"{path}: not a memcli store")
        said = _said(db, erasure)
        others = quoting(path) if quoting and _lacks(db, erasure) else Erasure()
        db.execute("BEGIN IMMEDIATE")
        _delete(db, erasure)
        _delete(db, others)
        _delete_settled(db, set(erasure.ids), store)
        # If it is still there, the erased rows stay, too: by them the next attempt knows what to search for.
        if store is not None and not take_out(db, store, _sought(said, erasure)):
            raise TextRemains(f"{path}: {STILL_SAID}", known_by_copy=bool(said))
        db.execute("COMMIT")
        scrub(db, path, thoroughly=True)
    return said


class TextRemains(StoreUnusable):
    """Raised if a copy still holds erased content; `known_by_copy`: its own rows tell what that is."""

    def __init__(self, what: str, *, known_by_copy: bool) -> None:
        super().__init__(what)
        self.known_by_copy = known_by_copy


def _said(db: sqlite.Connection, erasure: Erasure) -> list[bytes]:
    """Return the erased content as this copy has it, in pieces.

    That is, current and former texts of memories, and keyed values that the owner wrote.
    """
    texts: list[str] = []
    for memory_id in erasure.ids:
        texts += (text for (text,) in db.execute(_TEXTS, {"id": memory_id}) if text)
        if len(texts) >= _MOST_PIECES:
            break
    for name in _written(erasure):
        for (value,) in db.execute("SELECT value FROM states WHERE (space, area, key) = (?, ?, ?)", name):
            with suppress(ValueError):
                texts += (text for text in _strings(json.loads(value)) if len(text) >= WORD)
    return pieces(dict.fromkeys(texts))[:_MOST_PIECES]


def _written(erasure: Erasure) -> list[StateName]:
    """Return the erased keyed values that the owner wrote; not files, whose content others may share."""
    found = [(name, areas.area_named(name[1])) for name in erasure.states]
    return [
        name for name, area in found if area.content is areas.Content.OWNERS and not area.named_by_memories
    ]


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _strings(each)


def _lacks(db: sqlite.Connection, erasure: Erasure) -> bool:
    """True if this copy lacks some erased row, so that its rows do not tell what it said."""
    there = "SELECT 1 FROM memories WHERE id = :id UNION SELECT 1 FROM links WHERE id = :id"
    if not all(db.execute(there, {"id": each}).fetchone() for each in erasure.ids):
        return True
    there = "SELECT 1 FROM states WHERE (space, area, key) = (?, ?, ?)"
    return not all(db.execute(there, name).fetchone() for name in _written(erasure))


def _sought(said: Sequence[bytes], erasure: Erasure) -> list[bytes]:
    return list(dict.fromkeys([*said, *pieces(erasure.texts)]))[:_MOST_PIECES]


def _delete(db: sqlite.Connection, erasure: Erasure) -> None:
    delete_rows(db, erasure.ids)
    db.executemany("DELETE FROM states WHERE (space, area, key) = (?, ?, ?)", erasure.states)
    if db.execute("SELECT 1 FROM sqlite_master WHERE name = 'clocks'").fetchone():
        named = ((to_json(list(each)),) for each in erasure.states)
        db.executemany("DELETE FROM clocks WHERE kind = 'state' AND key = ?", named)
        of_space = "DELETE FROM clocks WHERE kind = 'state' AND json_valid(key) AND key ->> 0 = ?"
        db.executemany(of_space, ((space,) for space in erasure.spaces))
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


def _delete_settled(db: sqlite.Connection, gone: Set[str], store: sqlite.Connection | None) -> None:
    """Delete keyed values that cite an erased memory, and that the store itself no longer holds.

    For example, a proposal accepted since still waits in a copy, and names what it links.
    """
    if not gone:
        return
    kept = set() if store is None else {*store.execute("SELECT space, area, key FROM states")}
    for space, area, key, value in db.execute("SELECT space, area, key, value FROM states").fetchall():
        moot = area == areas.PROPOSED_LINK.name or store is not None
        if moot and (space, area, key) not in kept and not gone.isdisjoint(ids.ids_in(value)):
            db.execute("DELETE FROM states WHERE (space, area, key) = (?, ?, ?)", (space, area, key))


def _state(path: Path) -> str:
    there = path.stat()
    return f"{there.st_ino}-{there.st_mtime_ns}-{there.st_size}"
