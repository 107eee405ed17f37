"""Search results in PostgreSQL: look up memories by number, their sessions, and vectors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memcli.model import Filter, Memory, Ref
from memcli.storage import Beginning, Vector, Vectors
from memcli.storage.conditions import filter_condition
from memcli.storage.postgres.near import IN_USE, PostgresNear, vector_of
from memcli.storage.postgres.session import POSTGRES
from memcli.storage.rows import MEMORY_COLUMNS


class PostgresSearch(PostgresNear):
    """The part of `memcli.storage.Store` that reads what a search has found."""

    def memories_by_ref(self, refs: Sequence[Ref]) -> dict[Ref, Memory]:
        sql = f"SELECT m.seq, {MEMORY_COLUMNS} FROM memcli.memories m WHERE m.seq = ANY"
        return dict(self._numbered(self._among(sql, refs)))

    def refs_by_id(self, ids: Sequence[str]) -> dict[str, Ref]:
        return dict(self._among("SELECT id, seq FROM memcli.memories WHERE id = ANY", ids))

    def sessions(self, refs: Sequence[Ref]) -> list[list[Ref]]:
        sql = "SELECT DISTINCT space, session FROM memcli.memories WHERE session IS NOT NULL AND seq = ANY"
        tail = (
            ") found JOIN memcli.memories m ON (m.space, m.session) = (found.space, found.session) "
            "WHERE m.session IS NOT NULL AND m.ended_at IS NULL AND m.source <> 'merged' "
            "ORDER BY m.happened_at, m.id"
        )
        whole: dict[tuple[str, str], dict[Ref, None]] = {}
        for space, session, ref in self._among(f"SELECT m.space, m.session, m.seq FROM ({sql}", refs, tail):
            whole.setdefault((space, session), {})[ref] = None
        return [list(each) for each in whole.values()]

    def vectors(self, refs: Sequence[Ref]) -> dict[Ref, Vectors]:
        if not refs:
            return {}
        sql = (
            "SELECT v.memory, v.vector, w.memory IS NOT NULL FROM memcli.vectors v "
            "LEFT JOIN memcli.wanting w ON (w.space, w.memory) = (v.space, v.memory) "
            f"WHERE v.model = {IN_USE} AND v.memory = ANY(%s) ORDER BY v.memory, v.part"
        )
        found: dict[Ref, list[Vector]] = {}
        begun: set[Ref] = set()
        for ref, vector, is_wanting in self._rows(sql, (list(refs),), binary=True):
            found.setdefault(ref, []).append(vector_of(vector))
            if is_wanting:
                begun.add(ref)
        return {ref: Beginning(each) if ref in begun else each for ref, each in found.items()}

    def each_vector(self, where: Filter) -> Iterator[tuple[Ref, Vector]]:
        sql, values = filter_condition(where, POSTGRES)
        query = (
            "SELECT v.memory, v.vector, v.number FROM memcli.vectors v "
            "JOIN memcli.memories m ON (m.space, m.seq) = (v.space, v.memory) "
            f"WHERE v.model = {IN_USE} AND {sql}"
        )
        for ref, vector, _ in self._portions(query, values, ("v.number",), (2,), binary=True):
            yield ref, vector_of(vector)

    def sample_vectors(self, where: Filter, size: int) -> list[Vector]:
        # After a change of model the lowest numbers, of the former model, are gone.
        [[least, most]] = self._rows(
            "SELECT coalesce(min(number), 1), coalesce(max(number), 0) FROM memcli.vectors"
        )
        sql, values = filter_condition(where, POSTGRES)
        query = (
            "SELECT v.vector FROM memcli.vectors v "
            "JOIN memcli.memories m ON (m.space, m.seq) = (v.space, v.memory) "
            f"WHERE v.number = ANY(%s) AND v.model = {IN_USE} AND {sql} ORDER BY v.number LIMIT %s"
        )
        numbers = list(range(least, most + 1, max(1, (most - least + 1) // size))) if size else []
        rows = self._rows(query, [numbers, *values, size], binary=True)
        return [vector_of(row[0]) for row in rows]
