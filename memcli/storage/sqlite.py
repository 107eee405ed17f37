"""The store in one SQLite file: FTS5 for words, sqlite-vec for meaning."""

from __future__ import annotations

import glob
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from memcli import words
from memcli.model import (
    FIELD_NAMES,
    Change,
    Event,
    Filter,
    Match,
    Memory,
    ModelIdentity,
    Order,
    Ref,
    memory_from_record,
)  # fmt: skip
from memcli.storage import Erased, Finding, StateName, Trace, Vector, Vectors
from memcli.storage.sqlite_file import explaining, load_vector_functions
from memcli.storage.sqlite_rows import (
    MEMORY_COLUMNS,
    condition,
    memory_from_row,
    memory_values,
)  # fmt: skip
from memcli.storage.sqlite_upkeep import SqliteUpkeep
from memcli.times import to_text

_ORDERS: dict[Order, str] = {
    "newest": "m.id DESC",
    "oldest": "m.id",
    "last_used": "m.accessed_at DESC, m.id DESC",
}
# As many memories are left out by number; more make the join cheaper.
_FEW = 5000
_INSERT = (
    f"INSERT INTO memories ({', '.join(FIELD_NAMES)}) "  # noqa: S608 - our own column names
    f"VALUES ({', '.join(':' + name for name in FIELD_NAMES)}) RETURNING seq"
)
_UPDATE = (
    f"UPDATE memories SET {', '.join(f'{name} = :{name}' for name in FIELD_NAMES)} "  # noqa: S608
    "WHERE id = :id RETURNING seq"
)


class SqliteStore(SqliteUpkeep):
    """`memcli.storage.Store` over one file. See there for what each method promises."""

    _left_out: tuple[tuple[Filter, int, int], frozenset[Ref] | None] | None = None

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
            for memory in memories:
                before = next(iter(self.get([memory.id])), None)
                if before == memory:
                    continue
                changed += 1
                seq = self._write(before, memory)
                if change:
                    self._record(before, memory, change, at)
                if model and vectors and memory.id in vectors:
                    self._store_vectors(seq, model, vectors[memory.id])
        return changed

    def get(self, ids: Sequence[str]) -> list[Memory]:
        sql = f"SELECT {MEMORY_COLUMNS} FROM memories m WHERE m.id IN "  # noqa: S608
        found = {row[0]: memory_from_row(row) for row in self._among(sql, ids)}
        return [found[memory_id] for memory_id in ids if memory_id in found]

    def find_ids(self, fragment: str, limit: int) -> list[str]:
        # The fragment's alphabet holds no LIKE wildcards.
        sql = (
            "SELECT id FROM memories WHERE id >= ? AND id < ? UNION "
            "SELECT id FROM memories WHERE id LIKE ? ORDER BY id LIMIT ?"
        )
        values = (fragment, fragment + "~", f"%{fragment}", limit)
        return [row[0] for row in self._rows(sql, values)]

    def select(self, where: Filter, *, order: Order = "newest", limit: int | None = None) -> Iterator[Memory]:
        sql, values = condition(where)
        query = (
            f"SELECT {MEMORY_COLUMNS} FROM memories m WHERE {sql} "  # noqa: S608 - bound values only
            f"ORDER BY {_ORDERS[order]} LIMIT ?"
        )
        with explaining(self.path):
            for row in self._db.execute(query, [*values, -1 if limit is None else limit]):
                yield memory_from_row(row)

    def count(self, where: Filter) -> list[tuple[str, str, int]]:
        sql, values = condition(where)
        # Counted in the order of the index, then summed: grouping a large store by space and
        # kind at once would sort all of it.
        query = (
            "SELECT space, kind, sum(number) FROM ("  # noqa: S608
            f"SELECT m.space, m.kind, count(*) AS number FROM memories m WHERE {sql} "
            "GROUP BY m.space, m.ended_at, m.kind) GROUP BY space, kind ORDER BY space, kind"
        )
        return [(space, kind, number) for space, kind, number in self._rows(query, values)]

    def superseding(self, ids: Sequence[str]) -> dict[str, str]:
        sql = "SELECT supersedes, id FROM memories WHERE supersedes IN "
        return dict(self._among(sql, ids, " ORDER BY id"))

    def touch(self, ids: Sequence[str], at: datetime) -> None:
        sql = "UPDATE memories SET access_count = access_count + 1, accessed_at = ? WHERE id = ?"
        with self.writing(), explaining(self.path):
            self._db.executemany(sql, [(to_text(at), memory_id) for memory_id in ids])

    # Search

    def holding(self, terms: Sequence[words.Term], where: Filter) -> list[frozenset[Ref]]:
        # Terms hold letters, marks and digits only; quoted, they are plain words to FTS5.
        phrases = ['"' + " ".join(term).replace('"', "") + '"' for term in terms]
        outside = self._outside(where)
        if outside is not None:
            query = "SELECT rowid FROM word_index WHERE word_index MATCH ?"
            held = (frozenset(row[0] for row in self._rows(query, [phrase])) for phrase in phrases)
            return [refs - outside if outside else refs for refs in held]
        sql, values = condition(where)
        query = (
            "SELECT m.seq FROM word_index CROSS JOIN memories m ON m.seq = word_index.rowid "  # noqa: S608
            f"WHERE word_index MATCH ? AND {sql}"
        )
        return [frozenset(row[0] for row in self._rows(query, [phrase, *values])) for phrase in phrases]

    def spelled_like(self, word: str, limit: int) -> list[str]:
        from difflib import get_close_matches

        sql = (
            "SELECT term FROM word_counts WHERE term >= ? AND term < ? "
            "AND (length(term) BETWEEN ? AND ? OR substr(term, 1, ?) = ?)"
        )
        size = len(word)
        values = (word[:1], word[:1] + "\U0010ffff", size - 4, size + 2, size, word)
        terms = [row[0] for row in self._rows(sql, values)]
        longer = [term for term in terms if term.startswith(word)]
        close = get_close_matches(word, terms, n=limit, cutoff=0.7)
        # The index holds stems: `stage` is nearer to `stagg` than to `stagging`.
        stem = re.sub(r"(?:ing|ed|es|s)$", "", word)
        close += get_close_matches(stem, terms, n=limit, cutoff=0.7) if len(stem) > 3 else []
        return list(dict.fromkeys([*sorted(longer, key=len), *close]))[:limit]

    def nearest(self, vector: Vector, where: Filter, limit: int) -> list[Match]:
        model = self._model_number()
        if model is None:
            return []
        self._measure_vectors()
        outside = self._outside(where)
        join, (sql, values) = "JOIN memories m ON m.seq = v.memory", condition(where)
        if outside is not None:
            # Without a join the vectors are read in the order of the file. The numbers are our own.
            join, sql, values = "", f"v.memory NOT IN ({', '.join(map(str, sorted(outside)))})", []
        query = (
            "SELECT v.memory, vec_distance_cosine(v.vector, ?) AS distance "  # noqa: S608
            f"FROM vectors v {join} WHERE v.model = ? AND {sql} ORDER BY distance LIMIT ?"
        )
        # Windows of one memory may crowd out others: ask for more until enough are different.
        asked = limit * 2
        while True:
            rows = self._rows(query, [vector, model, *values, asked])
            nearest: dict[Ref, float] = {}
            for ref, distance in rows:
                nearest.setdefault(ref, 1.0 - distance)
            if len(nearest) >= limit or len(rows) < asked:
                return [Match(*item) for item in list(nearest.items())[:limit]]
            asked *= 4

    def referred(self, refs: Sequence[Ref]) -> dict[Ref, Memory]:
        sql = f"SELECT m.seq, {MEMORY_COLUMNS} FROM memories m WHERE m.seq IN "  # noqa: S608
        return {row[0]: memory_from_row(row[1:]) for row in self._among(sql, refs)}

    def references(self, ids: Sequence[str]) -> dict[str, Ref]:
        return dict(self._among("SELECT id, seq FROM memories WHERE id IN ", ids))

    def among(self, refs: Sequence[Ref], where: Filter) -> set[Ref]:
        sql, values = condition(where)
        query = f"SELECT m.seq FROM memories m WHERE {sql} AND m.seq IN "  # noqa: S608
        return {row[0] for row in self._among(query, refs, before=values)}

    def sessions(self, refs: Sequence[Ref]) -> list[list[Ref]]:
        sql = "SELECT DISTINCT space, session FROM memories WHERE session IS NOT NULL AND seq IN "
        ordered = (
            "SELECT seq FROM memories WHERE space = ? AND session = ? AND ended_at IS NULL "
            "AND source <> 'merged' ORDER BY happened_at, id"
        )
        found = dict.fromkeys(tuple(row) for row in self._among(sql, refs))
        return [[row[0] for row in self._rows(ordered, session)] for session in found]

    def vectors(self, refs: Sequence[Ref]) -> dict[Ref, Vectors]:
        sql = f"SELECT memory, vector FROM vectors WHERE model = {self._model_number() or 0} AND memory IN "  # noqa: S608
        found: dict[Ref, list[Vector]] = {}
        for ref, vector in self._among(sql, refs, " ORDER BY memory, part"):
            found.setdefault(ref, []).append(vector)
        return dict(found)

    def each_vector(self, where: Filter) -> Iterator[tuple[Ref, Vector]]:
        sql, values = condition(where)
        query = (
            "SELECT v.memory, v.vector FROM vectors v JOIN memories m ON m.seq = v.memory "  # noqa: S608
            f"WHERE v.model = ? AND {sql} ORDER BY v.number"
        )
        with explaining(self.path):
            yield from self._db.execute(query, [self._model_number() or 0, *values])

    def sample(self, where: Filter, size: int) -> list[Vector]:
        model = self._model_number()
        [[most]] = self._rows("SELECT coalesce(max(number), 0) FROM vectors")
        step = max(1, most // size)
        numbers = range(1, most + 1, step)
        sql, values = condition(where)
        query = (
            "SELECT v.vector FROM vectors v CROSS JOIN memories m ON m.seq = v.memory "  # noqa: S608
            f"WHERE v.number IN ({', '.join(map(str, numbers))}) AND v.model = ? "
            f"AND {sql} LIMIT ?"
        )
        return [row[0] for row in self._rows(query, [model, *values, size])]

    # Derived data

    def model(self) -> ModelIdentity | None:
        rows = self._rows("SELECT name, weights, dimensions FROM models WHERE in_use")
        return ModelIdentity(name=rows[0][0], weights=rows[0][1], dimensions=rows[0][2]) if rows else None

    def use_model(self, model: ModelIdentity) -> None:
        with self.writing():
            number = self._model_number(model)
            self._run("DELETE FROM vectors WHERE model <> ?", (number,))
            self._run("DELETE FROM models WHERE number <> ?", (number,))
            self._run("UPDATE models SET in_use = 1")

    def wanting(self, model: ModelIdentity, limit: int) -> list[Memory]:
        sql = (
            f"SELECT {MEMORY_COLUMNS} FROM memories m WHERE m.seq NOT IN "  # noqa: S608
            "(SELECT memory FROM vectors WHERE model = ?) ORDER BY m.seq LIMIT ?"
        )
        with self.writing():
            number = self._model_number(model)
        return [memory_from_row(row) for row in self._rows(sql, (number, limit))]

    def put_vectors(self, model: ModelIdentity, vectors: Mapping[str, Vectors]) -> None:
        with self.writing():
            number = self._model_number(model)
            for memory_id, parts in vectors.items():
                for (seq,) in self._rows("SELECT seq FROM memories WHERE id = ?", (memory_id,)):
                    self._store_vectors(seq, number, parts)

    def rebuild(self) -> None:
        with self.writing():
            self._run("DELETE FROM memory_tags")
            self._run("DELETE FROM memory_words")
            self._rebuild_names()
            self._run("INSERT INTO word_index (word_index) VALUES ('rebuild')")
            for row in self._rows(f"SELECT m.seq, {MEMORY_COLUMNS} FROM memories m"):  # noqa: S608
                self._derive(row[0], memory_from_row(row[1:]))
            self._run("INSERT INTO word_index (word_index) VALUES ('optimize')")

    # Forgetting for good, and going back

    @contextmanager
    def as_of(self, at: datetime) -> Iterator[None]:
        with self._discarded():
            then = to_text(at)
            known = "(SELECT min(at) FROM history WHERE memory = memories.id)"
            self._run(f"DELETE FROM memories WHERE coalesce({known}, created_at) > ?", (then,))  # noqa: S608
            self._run("DELETE FROM links WHERE created_at > ?", (then,))
            self._run("UPDATE links SET ended_at = NULL WHERE ended_at > ?", (then,))
            sql = (
                "SELECT memory, before FROM history WHERE at > ? AND before IS NOT NULL "
                "AND memory IN (SELECT id FROM memories) ORDER BY number DESC"
            )
            older: dict[str, dict[str, Any]] = {}
            for memory_id, before in self._rows(sql, (then,)):
                older.setdefault(memory_id, {}).update(json.loads(before))
            for memory in self.get(list(older)):
                self._write(memory, memory_from_record({**memory.to_record(), **older[memory.id]}))
            self._run("DELETE FROM history WHERE at > ?", (then,))
            yield

    def erase(self, ids: Sequence[str], change: Change, at: datetime) -> list[Erased]:
        from memcli.storage.sqlite_erasure import delete_rows

        with self.writing(), explaining(self.path):
            here = [memory.id for memory in self.get(ids)]
            erased = delete_rows(self._db, here)
            for memory_id in here:
                self._write_event(
                    Event(
                        number=0, at=at, memory=memory_id, action=change.action, actor=change.actor,
                        reason=change.reason, before=None, after=None, change=change.id,
                    )
                )  # fmt: skip
        return erased

    def erase_from_backups(
        self, ids: Sequence[str], states: Sequence[StateName] = (), spaces: Sequence[str] = ()
    ) -> list[tuple[Path, str | None]]:
        from memcli.storage.sqlite_erasure import erase_from_backup

        return [(backup, erase_from_backup(backup, ids, states, spaces)) for backup in self._backups()]

    def scrub(self, *, thoroughly: bool = False) -> None:
        from memcli.storage.sqlite_erasure import scrub

        scrub(self._db, self.path, thoroughly=thoroughly)

    def traces(self, needles: Sequence[bytes], terms: Sequence[str]) -> list[Trace]:
        from memcli.storage.sqlite_erasure import traces

        beside = [self.path.with_name(self.path.name + tail) for tail in ("-wal", "-journal")]
        with explaining(self.path):
            return list(traces(self._db, [self.path, *beside, *self._backups()], needles, terms))

    def _backups(self) -> list[Path]:
        beside, name = self.path.parent, glob.escape(self.path.name)
        copies = [*beside.glob(f"{name}.before-schema-*"), *beside.glob(f"{name}.backup-*")]
        return sorted(path for path in copies if not path.name.endswith(("-wal", "-shm", "-journal")))

    # Upkeep

    def check(self) -> Iterator[Finding]:
        from memcli.storage.sqlite_check import check

        yield from check(self._db, self.path)

    def sizes(self) -> dict[str, int]:
        from memcli.storage.sqlite_check import sizes

        with explaining(self.path):
            return sizes(self._db, self.path)

    def _outside(self, where: Filter) -> frozenset[Ref] | None:
        """The memories that a filter does not mean, where they are few; None where they are many.

        To leave out a few is cheaper, in a large store, than to look every find up among all
        memories. Kept until anybody writes: one recall asks several times.
        """
        # What a transaction sees may be rolled back, and is not kept.
        state = (where, *self._rows("PRAGMA data_version")[0], self._db.total_changes)
        if self._left_out and self._left_out[0] == state and not self._db.in_transaction:
            return self._left_out[1]
        sql, values = condition(where)
        query = f"SELECT m.seq FROM memories m WHERE ({sql}) IS NOT TRUE LIMIT ?"  # noqa: S608
        refs = frozenset(row[0] for row in self._rows(query, [*values, _FEW + 1]))
        few = refs if len(refs) <= _FEW else None
        self._left_out = None if self._db.in_transaction else (state, few)
        return few

    # Below: one row

    def _write(self, before: Memory | None, after: Memory) -> Ref:
        seq: Ref = self._rows(_INSERT if before is None else _UPDATE, memory_values(after))[0][0]
        if before is None or (before.text, before.tags) != (after.text, after.tags):
            self._derive(seq, after)
        if before and before.text != after.text:
            self._run("DELETE FROM vectors WHERE memory = ?", (seq,))
        return seq

    def _derive(self, seq: int, memory: Memory) -> None:
        self._run("DELETE FROM memory_tags WHERE memory = ?", (seq,))
        for tag in memory.tags:
            self._run("INSERT INTO memory_tags (tag, memory) VALUES (?, ?)", (tag, seq))
        self._run("DELETE FROM memory_words WHERE memory = ?", (seq,))
        analysed = words.index_text(memory.text, memory.tags)
        self._run("INSERT INTO memory_words (memory, words) VALUES (?, ?)", (seq, analysed))

    def _model_number(self, model: ModelIdentity | None = None) -> int | None:
        """The number of a model (made where it has none), or of the one in use."""
        if model is None:
            rows = self._rows("SELECT number FROM models WHERE in_use")
            return rows[0][0] if rows else None
        key = (model.name, model.weights, model.dimensions)
        self._run(
            "INSERT OR IGNORE INTO models (name, weights, dimensions, in_use) VALUES (?, ?, ?, 0)",
            key,
        )
        sql = "SELECT number FROM models WHERE (name, weights, dimensions) = (?, ?, ?)"
        number: int = self._rows(sql, key)[0][0]
        return number

    def _store_vectors(self, ref: Ref, model: int | None, vectors: Vectors) -> None:
        self._run("DELETE FROM vectors WHERE memory = ? AND model = ?", (ref, model))
        for part, vector in enumerate(vectors):
            self._run(
                "INSERT INTO vectors (memory, model, part, vector) VALUES (?, ?, ?, ?)",
                (ref, model, part, vector),
            )

    def _measure_vectors(self) -> None:
        if not self._measures_vectors:
            with explaining(self.path):
                load_vector_functions(self._db)
            self._measures_vectors = True
