"""Search in SQLite: memories by meaning (sqlite-vec), by words (FTS5), and by number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from memcli.errors import StoreUnusable
from memcli.model import Filter, Match, Memory, ModelIdentity, Ref
from memcli.storage import Beginning, Vector, Vectors
from memcli.storage.conditions import filter_condition
from memcli.storage.digests import MODEL, digest_of
from memcli.storage.rows import MEMORY_COLUMNS
from memcli.storage.sqlite.file.database_file import load_vector_functions
from memcli.storage.sqlite.words import SqliteWords

# The condition that a vector is not damaged: a BLOB of the right length.
_WHOLE = "typeof(v.vector) = 'blob' AND length(v.vector) = ?"
# Up to how many memories are excluded by number; beyond that a join is cheaper.
_FEW = 5000


# Up to so many blocks of 256 vectors all are measured; of more, those that are likely near by their signs.
# Measured on 100,000 sentences: 2,000 include the nearest ten always, of the nearest 200 99.5 in 100.
MEASURED_BLOCKS = 64
_LIKELY, _DEEP = 2000, 10
# How many times the limit are fetched, to see which of them match the filter.
_AHEAD = 2


class SqliteSearch(SqliteWords):
    """The part of `memcli.storage.Store` that finds memories by meaning, and reads what was found."""

    _measures_vectors = False
    _left_out: tuple[tuple[Filter, int, int], frozenset[Ref] | None] | None = None

    def nearest(self, vector: Vector, where: Filter, limit: int) -> list[Match]:
        model = self._model_number()
        if model is None:
            return []
        self._measure_vectors()
        [(blocks,)] = self._rows("SELECT count(*) FROM vector_signs WHERE model = ?", (model,))
        if blocks > MEASURED_BLOCKS:
            return self._nearest_of_likely(vector, model, where, limit)
        outside = self._outside(where)
        join, (sql, values) = "JOIN memories m ON m.seq = v.memory", filter_condition(where)
        if outside is not None:
            # Without a join the vectors are read in file order. The numbers are our own, so they need no
            # binding.
            join, sql, values = "", f"v.memory NOT IN ({', '.join(map(str, sorted(outside)))})", []
        return self._measured(vector, f"{join} WHERE v.model = ? AND {sql}", [model, *values], limit)

    def _nearest_of_likely(self, vector: Vector, model: int, where: Filter, limit: int) -> list[Match]:
        """Return the nearest among those that are likely near by their signs."""
        from memcli.storage.sqlite.tables.signs import likely_near

        def likely(among: Sequence[int] | None = None) -> list[int]:
            signs = self._each(
                "SELECT block, signs FROM vector_signs WHERE model = ? ORDER BY block", (model,)
            )
            return likely_near(signs, vector, many, among)

        many = max(_LIKELY, _DEEP * limit)
        near = self._measured(vector, *_numbered(likely()), _AHEAD * limit)
        meant = self.filter_refs([match.ref for match in near], where)
        if len(meant) >= limit:
            return [match for match in near if match.ref in meant][:limit]
        # The filter matches few, so the near ones must be searched for among them.
        sql, values = filter_condition(where)
        query = (
            f"SELECT v.number FROM memories m JOIN vectors v ON v.memory = m.seq WHERE {sql} AND v.model = ?"
        )
        among = [row[0] for row in self._rows(query, [*values, model])]
        return self._measured(vector, *_numbered(likely(among) if len(among) > many else among), limit)

    def _measured(self, vector: Vector, some: str, values: Sequence[Any], limit: int) -> list[Match]:
        """Return the nearest of some vectors, given by SQL after `FROM vectors v` and its values."""
        query = f"SELECT v.memory, vec_distance_cosine(v.vector, ?) AS distance FROM vectors v {some}"
        try:
            return self._nearest(query, [vector, *values], limit)
        except StoreUnusable:
            # Damaged vectors cannot be measured; they are excluded only after an error, since the check
            # costs time.
            return self._nearest(f"{query} AND {_WHOLE}", [vector, *values, len(vector)], limit)

    def _nearest(self, query: str, values: Sequence[Any], limit: int) -> list[Match]:
        # Windows of one memory may crowd out others: fetch more until there are enough memories.
        asked = limit * 2
        while True:
            rows = self._rows(f"{query} ORDER BY distance LIMIT ?", [*values, asked])
            nearest: dict[Ref, float] = {}
            for ref, distance in rows:
                if distance is not None:  # None for NaN
                    nearest.setdefault(ref, 1.0 - distance)
            if len(nearest) >= limit or len(rows) < asked:
                return [Match(*item) for item in list(nearest.items())[:limit]]
            asked *= 4

    def memories_by_ref(self, refs: Sequence[Ref]) -> dict[Ref, Memory]:
        sql = f"SELECT m.seq, {MEMORY_COLUMNS} FROM memories m WHERE m.seq IN "
        return dict(self._numbered(self._among(sql, refs)))

    def refs_by_id(self, ids: Sequence[str]) -> dict[str, Ref]:
        return dict(self._among("SELECT id, seq FROM memories WHERE id IN ", ids))

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
        # After a change of model the lowest numbers, of the former model, are gone.
        [[least, most]] = self._rows(
            "SELECT coalesce((SELECT min(number) FROM vectors), 1), "
            "coalesce((SELECT max(number) FROM vectors), 0)"
        )
        step = max(1, (most - least + 1) // size)
        numbers = range(least, most + 1, step)
        sql, values = filter_condition(where)
        query = (
            "SELECT v.vector FROM vectors v CROSS JOIN memories m ON m.seq = v.memory "
            f"WHERE v.number IN ({', '.join(map(str, numbers))}) AND v.model = ? "
            f"AND {sql} AND {_WHOLE} LIMIT ?"
        )
        return [row[0] for row in self._rows(query, [model, *values, self._width(), size])]

    def _width(self) -> int:
        """Return the bytes of a vector of the model in use."""
        rows = self._rows("SELECT 4 * dimensions FROM models WHERE in_use")
        return int(rows[0][0]) if rows else 0

    def _model_number(self) -> int | None:
        """Return the number of the model in use."""
        rows = self._rows("SELECT number FROM models WHERE in_use")
        return rows[0][0] if rows else None

    def _number_of(self, model: ModelIdentity) -> int:
        """Return the number of a model, creating it if it has none."""
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
        """Return the memories that a filter rejects, if they are few; None if they are many.

        In a large store, excluding a few is cheaper than looking every result up among all memories. Cached
        until anybody writes: one recall asks several times.
        """
        # Not cached within a transaction, which may be rolled back.
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


def _numbered(numbers: Iterable[int]) -> tuple[str, list[Any]]:
    """Return the condition of being one of these vectors, in file order. The numbers are our own."""
    return f"WHERE v.number IN ({', '.join(map(str, sorted(numbers)))})", []
