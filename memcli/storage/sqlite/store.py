"""SQLite store in one file: FTS5 for words, sqlite-vec for meaning; combines the parts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any

from memcli.errors import DamagedRow
from memcli.model import (
    FIELD_NAMES,
    Change,
    Filter,
    Memory,
    ModelIdentity,
    Order,
    Ref,
    memory_from_record,
)
from memcli.named_tuple import NamedTuple
from memcli.storage import Beginning, Vectors
from memcli.storage.conditions import filter_condition, source_of, space_condition
from memcli.storage.digests import LINK, MEMORY, MODEL, USE, VECTOR, digest_of, digest_of_values
from memcli.storage.rows import MEMORY_COLUMNS, UNREADABLE, erased_change, memory_from_row, memory_values
from memcli.storage.sqlite.clocks import SqliteClocks
from memcli.storage.sqlite.file.damage import damaged_row
from memcli.storage.sqlite.search import SqliteSearch
from memcli.storage.sqlite.tables.digests import amend
from memcli.storage.sqlite.upkeep import SqliteUpkeep
from memcli.text import words
from memcli.times import to_iso

if TYPE_CHECKING:
    from memcli.storage.reports import ErasedRows

_ORDERS: dict[Order, str] = {
    "newest": "m.id DESC",
    "oldest": "m.id",
    "last_used": "m.accessed_at DESC, m.id DESC",
}
_WRITTEN = (*FIELD_NAMES, "digest", "use_digest")
_INSERT = (
    f"INSERT INTO memories ({', '.join(_WRITTEN)}) "
    f"VALUES ({', '.join(':' + name for name in _WRITTEN)}) RETURNING seq"
)
# A damaged row keeps its digest, so that it stays recognisable.
_UPDATE = (
    f"UPDATE memories SET {', '.join(f'{name} = :{name}' for name in FIELD_NAMES)}, "
    "digest = iif(:sound, :digest, digest), use_digest = iif(:use_sound, :use_digest, use_digest) "
    "WHERE id = :id RETURNING seq"
)
_STANDING = f"SELECT {MEMORY_COLUMNS}, m.digest, m.use_digest FROM memories m WHERE m.id = ?"
_KNOWN = "SELECT id FROM memories WHERE id IN "
_TOUCH = "UPDATE memories SET access_count = ?, accessed_at = ?, use_digest = ? WHERE seq = ?"
_INSERT_VECTOR = (
    "INSERT INTO vectors (memory, model, part, vector, digest) VALUES (?, ?, ?, ?, ?) RETURNING number"
)
_UNREAD = "SELECT seq FROM memories EXCEPT SELECT memory FROM vectors WHERE model"


class _StoredMemory(NamedTuple):
    """An existing memory, and whether its row and its uses match their digests."""

    memory: Memory
    sound: bool
    use_sound: bool


class SqliteStore(SqliteSearch, SqliteUpkeep, SqliteClocks):
    """`memcli.storage.Store` in one file. See there for what each method promises."""

    # Memories

    def put(
        self,
        memories: Iterable[Memory],
        change: Change | None,
        at: datetime,
        vectors: Mapping[str, Vectors] | None = None,
    ) -> int:
        changed = 0
        with self.writing():
            model = self._model_number()
            some = list(memories)
            signs: dict[int, bytes] = {}
            known = {row[0] for row in self._among(_KNOWN, [memory.id for memory in some])}
            for memory in some:
                standing = self._standing(memory.id) if memory.id in known else None
                known.add(memory.id)
                before = standing.memory if standing else None
                if before == memory:
                    continue
                changed += 1
                if standing:
                    # Write pending signs before a vector is deleted, which deletes its signs, too.
                    self._put_signs(model, signs)
                seq = self._write(standing, memory)
                if change:
                    self._record(before, memory, change, at)
                if model and vectors and memory.id in vectors:
                    signs |= self._store_vectors(seq, model, vectors[memory.id], is_new=standing is None)
            self._put_signs(model, signs)
        return changed

    def get(self, ids: Sequence[str]) -> list[Memory]:
        sql = f"SELECT {MEMORY_COLUMNS} FROM memories m WHERE m.id IN "
        found = {each.id: each for each in self._memories(self._among(sql, ids))}
        return [found[memory_id] for memory_id in ids if memory_id in found]

    def find_ids(self, fragment: str, limit: int, spaces: Sequence[str] | None = None) -> list[str]:
        within, inside = space_condition(spaces)
        # The alphabet of fragments contains no LIKE wildcards.
        sql = (
            f"SELECT id FROM memories WHERE id >= ? AND id < ? AND {within} UNION "
            f"SELECT id FROM memories WHERE id LIKE ? AND {within} ORDER BY id LIMIT ?"
        )
        values = (fragment, fragment + "~", *inside, f"%{fragment}", *inside, limit)
        return [row[0] for row in self._rows(sql, values) if isinstance(row[0], str)]

    def select(self, where: Filter, *, order: Order = "newest", limit: int | None = None) -> Iterator[Memory]:
        sql, values = filter_condition(where)
        query = (
            f"SELECT {MEMORY_COLUMNS} FROM {source_of(where)} WHERE {sql} ORDER BY {_ORDERS[order]} LIMIT ?"
        )
        yield from self._memories(self._each(query, [*values, -1 if limit is None else limit]))

    def count(self, where: Filter) -> list[tuple[str, str, int]]:
        sql, values = filter_condition(where)
        # Counted in the order of the index, then summed: grouping a large store by space and
        # kind at once would sort all of it.
        query = (
            "SELECT space, kind, sum(number) FROM ("
            f"SELECT m.space, m.kind, count(*) AS number FROM {source_of(where)} WHERE {sql} "
            "GROUP BY m.space, m.ended_at, m.kind) GROUP BY space, kind ORDER BY space, kind"
        )
        return [(space, kind, number) for space, kind, number in self._rows(query, values)]

    def touch(self, ids: Sequence[str], at: datetime) -> None:
        sql = "SELECT seq, access_count, accessed_at, id, use_digest FROM memories WHERE id IN "
        used = to_iso(at)
        with self.writing(), self._explained():
            for seq, count, last, memory_id, digest in list(self._among(sql, ids)):
                if isinstance(count, int):
                    sound = digest == digest_of_values(USE, (count, last, memory_id))
                    count += ids.count(memory_id)  # noqa: PLW2901
                    now = digest_of_values(USE, (count, used, memory_id)) if sound else digest
                    self._run(_TOUCH, (count, used, now, seq))

    # Derived data

    def model(self) -> ModelIdentity | None:
        rows = self._rows("SELECT name, weights, dimensions FROM models WHERE in_use")
        return ModelIdentity(name=rows[0][0], weights=rows[0][1], dimensions=rows[0][2]) if rows else None

    def models(self) -> list[ModelIdentity]:
        rows = self._rows("SELECT name, weights, dimensions FROM models ORDER BY in_use DESC, number")
        return [ModelIdentity(*row) for row in rows]

    def drop_model(self, model: ModelIdentity) -> None:
        unused = "(SELECT number FROM models WHERE (name, weights, dimensions) = (?, ?, ?) AND NOT in_use)"
        with self.writing():
            # Deleted before the vectors: else a trigger would clear their signs one by one.
            for table in ("vector_signs", "vectors"):
                self._run(f"DELETE FROM {table} WHERE model IN {unused}", model)
            self._run(f"DELETE FROM models WHERE number IN {unused}", model)

    def count_read(self, model: ModelIdentity) -> int:
        sql = (
            "SELECT count(DISTINCT memory) FROM vectors WHERE model IN "
            "(SELECT number FROM models WHERE (name, weights, dimensions) = (?, ?, ?))"
        )
        return int(self._rows(sql, model)[0][0])

    def use_model(self, model: ModelIdentity) -> None:
        with self.writing():
            before, number = self._model_number(), self._number_of(model)
            # Deleted before the vectors: else a trigger would clear their signs one by one.
            self._run("DELETE FROM vector_signs WHERE model <> ?", (number,))
            self._run("DELETE FROM vectors WHERE model <> ?", (number,))
            self._run("DELETE FROM models WHERE number <> ?", (number,))
            with self._explained():
                amend(self._db, MODEL, {"in_use": 1}, "TRUE", {})
            if number != before:
                # A memory that the model has any vectors of has all of them, so only the others are wanting.
                self._run("DELETE FROM wanting WHERE memory IN (SELECT memory FROM vectors)")

    def without_vectors(self, model: ModelIdentity, limit: int) -> list[Memory]:
        with self.writing():
            number = self._number_of(model)
        wanted, values = f"{_UNREAD} = ?", [number]
        if number == self._model_number():
            wanted, values = "SELECT memory FROM wanting", []
        sql = f"SELECT {MEMORY_COLUMNS} FROM memories m WHERE m.seq IN ({wanted}) ORDER BY m.seq LIMIT ?"
        return list(self._memories(self._rows(sql, [*values, limit])))

    def wanting(self, where: Filter, limit: int | None = None) -> list[Ref]:
        sql, values = filter_condition(where)
        query = (
            "SELECT m.seq FROM wanting w CROSS JOIN memories m ON m.seq = w.memory "
            f"WHERE {sql} ORDER BY w.memory DESC LIMIT ?"
        )
        return [row[0] for row in self._rows(query, [*values, -1 if limit is None else limit])]

    def put_vectors(self, model: ModelIdentity, vectors: Mapping[str, Vectors]) -> None:
        with self.writing():
            number = self._number_of(model)
            for memory_id, parts in vectors.items():
                for (seq,) in self._rows("SELECT seq FROM memories WHERE id = ?", (memory_id,)):
                    self._put_signs(number, self._store_vectors(seq, number, parts))

    def rebuild(self) -> None:
        with self.writing():
            self._run("DELETE FROM memory_tags")
            self._run("DELETE FROM memory_words")
            self._rebuild_names()
            self._run("INSERT INTO word_index (word_index) VALUES ('rebuild')")
            for seq, memory in self._numbered(self._rows(f"SELECT m.seq, {MEMORY_COLUMNS} FROM memories m")):
                self._derive(seq, memory)
            from memcli.storage.sqlite.tables.signs import write_signs

            with self._explained():
                write_signs(self._db)
            unread = f"INSERT OR IGNORE INTO wanting (memory) {_UNREAD} = ?"
            self._run(unread, (self._model_number() or 0,))
            self._run("INSERT INTO word_index (word_index) VALUES ('optimize')")

    # Forgetting for good, and going back

    def may_go_back(self) -> bool:
        # Always: a read-only file is opened as a private copy, which can be written.
        return True

    @contextmanager
    def as_of(self, at: datetime) -> Iterator[None]:
        with self.discarding():
            then = to_iso(at)
            known = "(SELECT min(at) FROM history WHERE memory = memories.id)"
            self._run(f"DELETE FROM memories WHERE coalesce({known}, created_at) > ?", (then,))
            self._run("DELETE FROM links WHERE created_at > ?", (then,))
            with self._explained():
                amend(self._db, LINK, {"ended_at": None}, "ended_at > :then", {"then": then})
            sql = (
                "SELECT memory, before FROM history WHERE at > ? AND before IS NOT NULL "
                "AND memory IN (SELECT id FROM memories) ORDER BY at DESC, number DESC"
            )
            older: dict[str, dict[str, Any]] = {}
            for memory_id, before in self._rows(sql, (then,)):
                with suppress(*UNREADABLE):
                    older.setdefault(memory_id, {}).update(json.loads(before))
            for memory_id, fields in older.items():
                with suppress(*UNREADABLE, DamagedRow):
                    standing = self._standing(memory_id)
                    if standing:
                        self._write(standing, memory_from_record({**standing.memory.to_record(), **fields}))
            self._run("DELETE FROM history WHERE at > ?", (then,))
            yield

    def erase(
        self,
        ids: Sequence[str],
        change: Change,
        at: datetime,
        marks: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> list[ErasedRows]:
        from memcli.storage.sqlite.erasing.erasure import delete_rows

        with self.writing(), self._explained():
            here = [memory.id for memory in self.get(ids)]
            erased = delete_rows(self._db, here)
            for memory_id in here:
                self._changed.append((change.action, change.id, memory_id))
                self._write_event(erased_change(memory_id, change, at, marks))
        return erased

    # Below: one row

    def _standing(self, memory_id: str) -> _StoredMemory | None:
        """Return the memory with an id, before it is overwritten. Raises DamagedRow if it cannot be read."""
        for *row, digest, use in self._rows(_STANDING, (memory_id,)):
            try:
                memory = memory_from_row(row)
            except UNREADABLE as error:
                raise damaged_row(self.path, "memory", memory_id, self._kept()) from error
            values = dict(zip(FIELD_NAMES, row, strict=True))
            return _StoredMemory(memory, digest_of(MEMORY, values) == digest, digest_of(USE, values) == use)
        return None

    def _write(self, standing: _StoredMemory | None, after: Memory) -> Ref:
        values, before = memory_values(after), standing.memory if standing else None
        if standing:
            values |= {"sound": standing.sound, "use_sound": standing.use_sound}
        seq: Ref = self._rows(_UPDATE if standing else _INSERT, values)[0][0]
        if before is None or (before.text, before.tags) != (after.text, after.tags):
            self._derive(seq, after, is_new=before is None)
        if before and before.text != after.text:
            self._run("DELETE FROM vectors WHERE memory = ?", (seq,))
        return seq

    def _derive(self, seq: int, memory: Memory, *, is_new: bool = False) -> None:
        if not is_new:
            self._run("DELETE FROM memory_tags WHERE memory = ?", (seq,))
            self._run("DELETE FROM memory_words WHERE memory = ?", (seq,))
        for tag in memory.tags:
            self._run("INSERT INTO memory_tags (tag, memory) VALUES (?, ?)", (tag, seq))
        analysed = words.index_text(memory.text, memory.tags)
        self._run("INSERT INTO memory_words (memory, words) VALUES (?, ?)", (seq, analysed))

    def _store_vectors(
        self, ref: Ref, model: int, vectors: Vectors, *, is_new: bool = False
    ) -> dict[int, bytes]:
        """Write a memory's vectors; return them by row number, for their signs to be written."""
        if not is_new:
            self._run("DELETE FROM vectors WHERE memory = ? AND model = ?", (ref, model))
        written: dict[int, bytes] = {}
        for part, vector in enumerate(vectors):
            row = (ref, model, part, vector)
            [(number,)] = self._rows(_INSERT_VECTOR, (*row, digest_of_values(VECTOR, row)))
            written[number] = vector
        # Memories with a beginning only stay on the list of wanting ones.
        if vectors and not isinstance(vectors, Beginning) and model == self._model_number():
            self._run("DELETE FROM wanting WHERE memory = ?", (ref,))
        return written

    def _put_signs(self, model: int | None, signs: dict[int, bytes]) -> None:
        """Write the pending signs of vectors, and clear them."""
        if model and signs:
            from memcli.storage.sqlite.tables.signs import put_signs

            with self._explained():
                put_signs(self._db, model, signs)
            signs.clear()
