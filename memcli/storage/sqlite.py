"""The store in one SQLite file: FTS5 for words, sqlite-vec for meaning."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from memcli import words
from memcli.model import (
    FIELD_NAMES,
    Change,
    Filter,
    Match,
    Memory,
    ModelIdentity,
    Order,
    Ref,
)  # fmt: skip
from memcli.storage import Finding, Vector, Vectors
from memcli.storage.sqlite_file import explaining, load_vector_functions
from memcli.storage.sqlite_ledger import SqliteLedger
from memcli.storage.sqlite_rows import (
    MEMORY_COLUMNS,
    condition,
    memory_from_row,
    memory_values,
)  # fmt: skip
from memcli.times import to_text

_ORDERS: dict[Order, str] = {
    "newest": "m.id DESC",
    "oldest": "m.id",
    "last_used": "m.accessed_at DESC, m.id DESC",
}
_INSERT = (
    f"INSERT INTO memories ({', '.join(FIELD_NAMES)}) "  # noqa: S608 - our own column names
    f"VALUES ({', '.join(':' + name for name in FIELD_NAMES)}) RETURNING seq"
)
_UPDATE = (
    f"UPDATE memories SET {', '.join(f'{name} = :{name}' for name in FIELD_NAMES)} "  # noqa: S608
    "WHERE id = :id RETURNING seq"
)


class SqliteStore(SqliteLedger):
    """`memcli.storage.Store` over one file. See there for what each method promises."""

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
                sql = _INSERT if before is None else _UPDATE
                [[seq]] = self._rows(sql, memory_values(memory))
                if change:
                    self._record(before, memory, change, at)
                if before is None or (before.text, before.tags) != (memory.text, memory.tags):
                    self._derive(seq, memory)
                if before and before.text != memory.text:
                    self._run("DELETE FROM vectors WHERE memory = ?", (seq,))
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
        query = (
            f"SELECT m.space, m.kind, count(*) FROM memories m WHERE {sql} "  # noqa: S608
            "GROUP BY m.space, m.kind ORDER BY m.space, m.kind"
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
        sql, values = condition(where)
        query = (
            "SELECT m.seq FROM word_index CROSS JOIN memories m ON m.seq = word_index.rowid "  # noqa: S608
            f"WHERE word_index MATCH ? AND {sql}"
        )
        # Terms hold letters, marks and digits only; quoted, they are plain words to FTS5.
        phrases = ['"' + " ".join(term).replace('"', "") + '"' for term in terms]
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
        sql, values = condition(where)
        query = (
            "SELECT m.seq, vec_distance_cosine(v.vector, ?) AS distance "  # noqa: S608
            "FROM vectors v JOIN memories m ON m.seq = v.memory "
            f"WHERE v.model = ? AND {sql} ORDER BY distance LIMIT ?"
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
            "ORDER BY happened_at, id"
        )
        found = dict.fromkeys(tuple(row) for row in self._among(sql, refs))
        return [[row[0] for row in self._rows(ordered, session)] for session in found]

    def vectors(self, refs: Sequence[Ref]) -> dict[Ref, Vectors]:
        sql = f"SELECT memory, vector FROM vectors WHERE model = {self._model_number() or 0} AND memory IN "  # noqa: S608
        found: dict[Ref, list[Vector]] = {}
        for ref, vector in self._among(sql, refs, " ORDER BY memory, part"):
            found.setdefault(ref, []).append(vector)
        return dict(found)

    def sample(self, where: Filter, size: int) -> list[Vector]:
        model = self._model_number()
        [[most]] = self._rows("SELECT coalesce(max(number), 0) FROM vectors")
        step = max(1, most // size)
        numbers = range(1, most + 1, step)
        sql, values = condition(where)
        query = (
            "SELECT v.vector FROM vectors v JOIN memories m ON m.seq = v.memory "  # noqa: S608
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

    # Upkeep

    def check(self) -> Iterator[Finding]:
        from memcli.storage.sqlite_check import check

        yield from check(self._db, self.path)

    def sizes(self) -> dict[str, int]:
        from memcli.storage.sqlite_check import sizes

        with explaining(self.path):
            return sizes(self._db, self.path)

    # Below: one row

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
