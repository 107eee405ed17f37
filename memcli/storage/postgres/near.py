"""Near vectors: exact search in small spaces, and above that an HNSW index for each space.

Neither is left to the planner: it would walk an index of all and filter afterwards, and of ten rows that a
filter of one in a hundred matches it would find one (measured; `../shared/ECOSYSTEM.md`, 4.2). So a space
of more than `EXACT` vectors has a partial index of its own (`tend` builds it), which is walked in order of
distance while a filter rejects rows; if rows are still missing, all that match are measured one by one.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import Any

import psycopg
from psycopg.adapt import Dumper
from psycopg.pq import Format

from memcli.model import Filter, Match, Ref
from memcli.named_tuple import NamedTuple
from memcli.storage import Vector
from memcli.storage.conditions import filter_condition
from memcli.storage.postgres.session import POSTGRES
from memcli.storage.postgres.words import PostgresWords

# Up to how many vectors of a space are measured one by one (about a millisecond a thousand).
EXACT = 20_000
# For one index search: the size of its candidate list, and how many rows it passes to a filter, at first
# and at most.
_CANDIDATES, _SCANNED, _SCANNED_AT_MOST = 400, 2_000, 40_000
# How many times the limit are fetched first, to see which of them match the filter.
_AHEAD = 4
# https://github.com/pgvector/pgvector#hnsw: edges a vector, and the width of the search for them. (By 64, the
# default there, a million are indexed in 0.6 of the time, but of the nearest ten 97.6 % found, not 99.1 %.)
_EDGES, _WIDTH = 16, 128
# The most dimensions that pgvector's index of half vectors supports.
_MOST_DIMENSIONS = 4000
# SQL for the number of the model whose vectors are searched.
IN_USE = "(SELECT number FROM memcli.models WHERE in_use)"
_MEMORIES = "JOIN memcli.memories m ON (m.space, m.seq) = (v.space, v.memory)"
_NEAREST, _IN_ORDER = "min(vector <=> %s::halfvec) AS distance", "ORDER BY distance, memory LIMIT %s"
_HEAD = struct.Struct(">HH")


class HalfVector:
    """The values of a vector as the server keeps them: 16 bits each."""

    __slots__ = ("data",)

    def __init__(self, vector: Vector) -> None:
        size = len(vector) // 4
        values = struct.unpack(f"<{size}f", vector)
        try:
            halves = struct.pack(f">{size}e", *values)
        except OverflowError:
            # Clipped to the range of a half-precision float.
            halves = struct.pack(f">{size}e", *(max(-65504.0, min(65504.0, value)) for value in values))
        self.data = _HEAD.pack(size, 0) + halves


def sent_halves(vectors: Sequence[Vector]) -> Iterator[bytes]:
    """Yield many vectors, each as the bytes of a `HalfVector`."""
    import numpy as np  # slow to import, and only a bulk write wants it

    most = np.float32(np.finfo(np.float16).max)
    for vector in vectors:
        values = np.frombuffer(vector, "<f4")
        yield _HEAD.pack(len(values), 0) + np.clip(values, -most, most).astype(">f2").tobytes()


class _HalfVectorDumper(Dumper):
    format = Format.BINARY

    def dump(self, obj: HalfVector) -> bytes:
        """Return the bytes for pgvector's `halfvec_recv`."""
        return obj.data


def vector_of(data: bytes) -> Vector:
    """Return a vector from the bytes of pgvector's `halfvec_send`."""
    import numpy as np

    return np.frombuffer(data, ">f2", offset=_HEAD.size).astype("<f4").tobytes()


psycopg.adapters.register_dumper(HalfVector, _HalfVectorDumper)


class _Search(NamedTuple):
    """A search for vectors near `asked` within a filter: the model's number, and its dimensions (`width`)."""

    asked: HalfVector
    model: int
    width: int
    where: Filter
    limit: int


class PostgresNear(PostgresWords):
    """The part of `memcli.storage.Store` that finds memories by meaning."""

    def nearest(self, vector: Vector, where: Filter, limit: int) -> list[Match]:
        sql = (
            "SELECT number, dimensions, coalesce((SELECT array_agg(space) FROM memcli.near_indexes n "
            "WHERE n.model = m.number), '{}') FROM memcli.models m WHERE in_use"
        )
        rows = self._rows(sql)
        if not rows or limit < 1:
            return []
        [(model, width, indexed)] = rows
        search = _Search(HalfVector(vector), model, width, where, limit)
        large = [space for space in indexed if where.spaces is None or space in where.spaces]
        # A filter by space and end rejects little; for any other the planner is asked how much.
        plain = Filter(spaces=where.spaces, live=where.live, at=where.at, overtaken=where.overtaken)
        if where != plain and self._seem_few(where):
            few = self._meant_measured(search, where.spaces, (), EXACT)
            if few is not None:
                return few
        if not large:
            return self._measured(search, where.spaces, ())
        found: list[Match] = []
        for space in large:
            found += self._walked(search, space)
        if where.spaces is None or set(where.spaces) - set(large):
            others = None if where.spaces is None else tuple(set(where.spaces) - set(large))
            found += self._measured(search, others, tuple(large))
        return sorted(found, key=lambda match: -match.score)[:limit]

    def _measured(self, search: _Search, spaces: Sequence[str] | None, besides: Sequence[str]) -> list[Match]:
        """Return the nearest of all that match in these spaces, measured one by one.

        All vectors of the spaces are measured, and only the nearest are checked against the filter; if it
        matches few of those, all that match are measured.
        """
        within, further = _within(spaces, besides)
        sql, values = filter_condition(search.where, POSTGRES)
        query = (
            f"WITH v AS MATERIALIZED (SELECT v.space, v.memory, {_NEAREST} FROM memcli.vectors v "
            f"WHERE v.model = %s{within} GROUP BY v.space, v.memory {_IN_ORDER}) "
            f"SELECT v.memory, v.distance, (SELECT count(*) FROM v) FROM v {_MEMORIES} "
            f"WHERE {sql} {_IN_ORDER}"
        )
        first = _AHEAD * search.limit
        rows = self._rows(query, [search.asked, search.model, *further, first, *values, search.limit])
        if len(rows) < search.limit and not (rows and rows[0][2] < first):
            return self._meant_measured(search, spaces, besides, None) or []
        return _matches([row[:2] for row in rows])

    def _meant_measured(
        self, search: _Search, spaces: Sequence[str] | None, besides: Sequence[str], most: int | None
    ) -> list[Match] | None:
        """Measure all that match, and return the nearest; None if they are more than `most`."""
        within, further = _within(spaces, besides)
        sql, values = filter_condition(search.where, POSTGRES)
        # Materialised, so that the planner does not walk an index and filter afterwards.
        query = (
            f"WITH v AS MATERIALIZED (SELECT v.memory, v.vector FROM memcli.vectors v {_MEMORIES} "
            f"WHERE v.model = %s{within} AND {sql} LIMIT %s) "
            f"SELECT memory, {_NEAREST}, (SELECT count(*) FROM v) FROM v GROUP BY memory {_IN_ORDER}"
        )
        given = [search.model, *further, *values, most and most + 1, search.asked, search.limit]
        rows = self._rows(query, given)
        if most is not None and rows and rows[0][2] > most:
            return None
        return _matches([row[:2] for row in rows])

    def _walked(self, search: _Search, space: str) -> list[Match]:
        """Return the nearest in a large space by its index; if the filter leaves too few, by measuring."""
        wanted, scanned = search.limit, _SCANNED
        while True:
            rows = self._by_index(search, space, wanted, scanned)
            near = _matches(rows)[: search.limit]
            if len(near) == search.limit:
                return near
            if len(rows) == wanted:
                wanted *= _AHEAD  # of long texts several windows are near
                continue
            most = EXACT if scanned < _SCANNED_AT_MOST else None
            measured = self._meant_measured(search, (space,), (), most)
            if measured is not None:
                return measured
            scanned = _SCANNED_AT_MOST

    def _seem_few(self, where: Filter) -> bool:
        """True if the planner estimates that a filter matches few enough to measure them one by one."""
        sql, values = filter_condition(where, POSTGRES)
        [(plan,)] = self._rows(f"EXPLAIN (FORMAT JSON) SELECT 1 FROM memcli.memories m WHERE {sql}", values)
        return bool(plan[0]["Plan"]["Plan Rows"] <= EXACT)

    def _by_index(self, search: _Search, space: str, wanted: int, scanned: int) -> list[tuple[Ref, float]]:
        """Return the nearest windows of a space that match, walking the index until there are enough."""
        sql, values = filter_condition(search.where, POSTGRES)
        distance = f"v.vector::halfvec({search.width}) <=> %s::halfvec({search.width})"
        query = (
            f"SELECT v.memory, {distance} AS distance FROM memcli.vectors v {_MEMORIES} "
            f"WHERE v.model = %s AND v.space = %s AND {sql} ORDER BY {distance} LIMIT %s"
        )
        settings = {
            "hnsw.ef_search": max(_CANDIDATES, min(1000, 2 * wanted)),
            "hnsw.iterative_scan": "strict_order", "hnsw.max_scan_tuples": scanned,
            "enable_seqscan": "off", "enable_sort": "off", "jit": "off",
        }  # fmt: skip
        with self._setting(settings):
            return self._rows(query, [search.asked, search.model, space, *values, search.asked, wanted])

    # Indexes

    def _index_large_spaces(self) -> bool:
        """Build the index of one space that has grown large, or drop one of a space that is gone.

        Outside of transactions and beside writers. Returns True if anything was done.
        """
        model = self._model_number()
        width = self._dimensions()
        if model is None or not 0 < width <= _MOST_DIMENSIONS or not self._owns_vectors():
            return False
        sql = (
            "SELECT v.space, n.name FROM (SELECT space, count(*) AS number FROM memcli.vectors "
            "WHERE model = %s GROUP BY space) v "
            "LEFT JOIN memcli.near_indexes n ON n.space = v.space AND n.model = %s "
            "WHERE v.number > %s AND n.name IS NULL LIMIT 1"
        )
        for space, _ in self._rows(sql, (model, model, EXACT)):
            self._build_index(space, model, width)
            return True
        return self._drop_unused_indexes()

    def _owns_vectors(self) -> bool:
        """True if this role may create indexes: one that was granted a space leaves that to the owner."""
        sql = "SELECT pg_has_role(relowner, 'USAGE') FROM pg_class WHERE oid = 'memcli.vectors'::regclass"
        return bool(self._rows(sql)[0][0])

    def _build_index(self, space: str, model: int, width: int) -> None:
        told = blake2b(f"{model} {space}".encode(), digest_size=8).hexdigest()
        name = f"near_{told}"
        # In a partitioned table, on the space's partition: PostgreSQL cannot build an index of all
        # concurrently.
        sql = "SELECT tableoid::regclass::text FROM memcli.vectors WHERE space = %s AND model = %s LIMIT 1"
        [(table,)] = self._rows(sql, (space, model))
        quoted = self._rows("SELECT quote_literal(%s)", (space,))[0][0]
        # An interrupted build leaves an invalid index.
        self._run(f"DROP INDEX CONCURRENTLY IF EXISTS memcli.{name}")
        self._run(
            f"CREATE INDEX CONCURRENTLY {name} ON {table} USING hnsw "
            f"((vector::halfvec({width})) halfvec_cosine_ops) "
            f"WITH (m = {_EDGES}, ef_construction = {_WIDTH}) WHERE model = {model} AND space = {quoted}"
        )
        insert = (
            "INSERT INTO memcli.near_indexes (space, model, name) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING"
        )
        self._run(insert, (space, model, name))

    def _drop_unused_indexes(self) -> bool:
        # The space was renamed or erased, and its name must not remain.
        self._run(
            "DELETE FROM memcli.near_indexes n WHERE NOT EXISTS "
            "(SELECT 1 FROM memcli.vectors v WHERE (v.space, v.model) = (n.space, n.model))"
        )
        sql = (
            "SELECT indexrelid::regclass::text, c.relname FROM pg_index i "
            "JOIN pg_class c ON c.oid = indexrelid WHERE relnamespace = 'memcli'::regnamespace "
            "AND relname ~ '^near_[0-9a-f]{16}$' AND relkind = 'i' "
            "AND relname NOT IN (SELECT name FROM memcli.near_indexes) LIMIT 1"
        )
        for index, _ in self._rows(sql):
            self._run(f"DROP INDEX CONCURRENTLY IF EXISTS {index}")
            return True
        return False

    def _model_number(self) -> int | None:
        """Return the number of the model in use."""
        rows = self._rows("SELECT number FROM memcli.models WHERE in_use")
        return rows[0][0] if rows else None

    def _dimensions(self) -> int:
        """Return the dimensions of its vectors; 0 while there is none."""
        rows = self._rows("SELECT dimensions FROM memcli.models WHERE in_use")
        return int(rows[0][0]) if rows else 0


def _within(spaces: Sequence[str] | None, besides: Sequence[str]) -> tuple[str, list[Any]]:
    """Return a condition on vectors `v`: that they are in these spaces (None: any), and not in others."""
    within, values = "", list[Any]()
    if spaces is not None:
        within, values = " AND v.space = ANY(%s)", [list(spaces)]
    if besides:
        within, values = f"{within} AND v.space <> ALL(%s)", [*values, list(besides)]
    return within, values


def _matches(rows: Sequence[tuple[Ref, float | None]]) -> list[Match]:
    """Return memories by their nearest window, from rows in order of distance."""
    nearest: dict[Ref, float] = {}
    for ref, distance in _measurable(rows):
        nearest.setdefault(ref, 1.0 - distance)
    return [Match(*item) for item in nearest.items()]


def _measurable(rows: Sequence[tuple[Ref, float | None]]) -> Iterator[tuple[Ref, float]]:
    # The distance to a zero vector is undefined.
    return ((ref, distance) for ref, distance in rows if distance is not None and not math.isnan(distance))
