"""Looking up a store in one SQLite file: words by FTS5, meaning by sqlite-vec."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from memcli.errors import StoreDamaged, StoreUnusable
from memcli.model import Filter, Match, Memory, ModelIdentity, Ref
from memcli.storage import Beginning, Vector, Vectors
from memcli.storage.sqlite.file.connecting import load_vector_functions
from memcli.storage.sqlite.session import SqliteSession
from memcli.storage.sqlite.tables.digests import MODEL, digest_of
from memcli.storage.sqlite.tables.rows import MEMORY_COLUMNS, filter_condition, memory_from_row
from memcli.text import words

# A vector that is damaged may be no vector at all.
_WHOLE = "typeof(v.vector) = 'blob' AND length(v.vector) = ?"
# As many memories are left out by number; more make the join cheaper.
_FEW = 5000


class SqliteSearch(SqliteSession):
    """The part of `memcli.storage.Store` that finds memories by what they say and where they stand."""

    _measures_vectors = False
    _left_out: tuple[tuple[Filter, int, int], frozenset[Ref] | None] | None = None

    def refs_by_term(self, terms: Sequence[words.Term], where: Filter) -> list[frozenset[Ref]]:
        # Terms hold letters, marks and digits only; quoted, they are plain words to FTS5.
        phrases = ['"' + " ".join(term).replace('"', "") + '"' for term in terms]
        try:
            return self._refs_by_phrase(phrases, where)
        except StoreDamaged:
            # The index is derived: what is found without it is an answer, too.
            self.left_out["word index"] = None
            return [frozenset() for _ in phrases]

    def _refs_by_phrase(self, phrases: Sequence[str], where: Filter) -> list[frozenset[Ref]]:
        outside = self._outside(where)
        if outside is not None:
            query = "SELECT rowid FROM word_index WHERE word_index MATCH ?"
            held = (frozenset(row[0] for row in self._rows(query, [phrase])) for phrase in phrases)
            return [refs - outside if outside else refs for refs in held]
        sql, values = filter_condition(where)
        query = (
            "SELECT m.seq FROM word_index CROSS JOIN memories m ON m.seq = word_index.rowid "
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
        try:
            terms = [row[0] for row in self._rows(sql, values)]
        except StoreDamaged:
            self.left_out["word index"] = None
            return []
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
        join, (sql, values) = "JOIN memories m ON m.seq = v.memory", filter_condition(where)
        if outside is not None:
            # Without a join the vectors are read in the order of the file. The numbers are our own.
            join, sql, values = "", f"v.memory NOT IN ({', '.join(map(str, sorted(outside)))})", []
        query = (
            "SELECT v.memory, vec_distance_cosine(v.vector, ?) AS distance "
            f"FROM vectors v {join} WHERE v.model = ? AND {sql}"
        )
        try:
            return self._nearest(query, [vector, model, *values], limit)
        except StoreUnusable:
            # What is damaged cannot be measured; that each is whole is asked only then.
            return self._nearest(f"{query} AND {_WHOLE}", [vector, model, *values, len(vector)], limit)

    def _nearest(self, query: str, values: Sequence[Any], limit: int) -> list[Match]:
        # Windows of one memory may crowd out others: ask for more until enough are different.
        asked = limit * 2
        while True:
            rows = self._rows(f"{query} ORDER BY distance LIMIT ?", [*values, asked])
            nearest: dict[Ref, float] = {}
            for ref, distance in rows:
                if distance is not None:  # of what is not a number
                    nearest.setdefault(ref, 1.0 - distance)
            if len(nearest) >= limit or len(rows) < asked:
                return [Match(*item) for item in list(nearest.items())[:limit]]
            asked *= 4

    def memories_by_ref(self, refs: Sequence[Ref]) -> dict[Ref, Memory]:
        sql = f"SELECT m.seq, {MEMORY_COLUMNS} FROM memories m WHERE m.seq IN "
        return dict(self._numbered(self._among(sql, refs)))

    def _memories(self, rows: Iterable[Any]) -> Iterator[Memory]:
        """The memories of rows of MEMORY_COLUMNS."""
        return self._made("memory", memory_from_row, rows)

    def _numbered(self, rows: Iterable[Any]) -> Iterator[tuple[Ref, Memory]]:
        """The memories of rows of MEMORY_COLUMNS, with their numbers, which stand before these."""

        def numbered(row: Any) -> tuple[Ref, Memory]:
            return row[0], memory_from_row(row[1:])

        return self._made("memory", numbered, rows, lambda row: row[1])

    def refs_by_id(self, ids: Sequence[str]) -> dict[str, Ref]:
        return dict(self._among("SELECT id, seq FROM memories WHERE id IN ", ids))

    def filter_refs(self, refs: Sequence[Ref], where: Filter) -> set[Ref]:
        sql, values = filter_condition(where)
        query = f"SELECT m.seq FROM memories m WHERE {sql} AND m.seq IN "
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
        sql = f"SELECT memory, vector FROM vectors WHERE model = {self._model_number() or 0} AND memory IN "
        found: dict[Ref, list[Vector]] = {}
        width = self._width()
        for ref, vector in self._among(sql, refs, " ORDER BY memory, part"):
            if type(vector) is bytes and len(vector) == width:
                found.setdefault(ref, []).append(vector)
        begun = {row[0] for row in self._among("SELECT memory FROM wanting WHERE memory IN ", list(found))}
        return {ref: Beginning(each) if ref in begun else each for ref, each in found.items()}

    def each_vector(self, where: Filter) -> Iterator[tuple[Ref, Vector]]:
        sql, values = filter_condition(where)
        query = (
            "SELECT v.memory, v.vector FROM vectors v JOIN memories m ON m.seq = v.memory "
            f"WHERE v.model = ? AND {sql} AND {_WHOLE} ORDER BY v.number"
        )
        yield from self._each(query, [self._model_number() or 0, *values, self._width()])

    def sample_vectors(self, where: Filter, size: int) -> list[Vector]:
        model = self._model_number()
        [[most]] = self._rows("SELECT coalesce(max(number), 0) FROM vectors")
        step = max(1, most // size)
        numbers = range(1, most + 1, step)
        sql, values = filter_condition(where)
        query = (
            "SELECT v.vector FROM vectors v CROSS JOIN memories m ON m.seq = v.memory "
            f"WHERE v.number IN ({', '.join(map(str, numbers))}) AND v.model = ? "
            f"AND {sql} AND {_WHOLE} LIMIT ?"
        )
        return [row[0] for row in self._rows(query, [model, *values, self._width(), size])]

    def _width(self) -> int:
        """The bytes of a vector of the model in use."""
        rows = self._rows("SELECT 4 * dimensions FROM models WHERE in_use")
        return int(rows[0][0]) if rows else 0

    def _model_number(self, model: ModelIdentity | None = None) -> int | None:
        """The number of a model (made where it has none), or of the one in use."""
        if model is None:
            rows = self._rows("SELECT number FROM models WHERE in_use")
            return rows[0][0] if rows else None
        key = (model.name, model.weights, model.dimensions)
        digest = digest_of(MODEL, {**model._asdict(), "in_use": 0})
        self._run(
            "INSERT OR IGNORE INTO models (name, weights, dimensions, in_use, digest) VALUES (?, ?, ?, 0, ?)",
            (*key, digest),
        )
        sql = "SELECT number FROM models WHERE (name, weights, dimensions) = (?, ?, ?)"
        number: int = self._rows(sql, key)[0][0]
        return number

    def _outside(self, where: Filter) -> frozenset[Ref] | None:
        """The memories that a filter does not mean, where they are few; None where they are many.

        To leave out a few is cheaper, in a large store, than to look every find up among all
        memories. Kept until anybody writes: one recall asks several times.
        """
        # What a transaction sees may be rolled back, and is not kept.
        state = (where, *self._rows("PRAGMA data_version")[0], self._db.total_changes)
        if self._left_out and self._left_out[0] == state and not self._db.in_transaction:
            return self._left_out[1]
        sql, values = filter_condition(where)
        query = f"SELECT m.seq FROM memories m WHERE ({sql}) IS NOT TRUE LIMIT ?"
        refs = frozenset(row[0] for row in self._rows(query, [*values, _FEW + 1]))
        few = refs if len(refs) <= _FEW else None
        self._left_out = None if self._db.in_transaction else (state, few)
        return few

    def _measure_vectors(self) -> None:
        if not self._measures_vectors:
            with self._explained():
                load_vector_functions(self._db)
            self._measures_vectors = True
