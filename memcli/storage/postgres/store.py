"""PostgreSQL store as a whole; see the package's docstring, and `memcli.storage` for its promises."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from typing import Any

from memcli.errors import DamagedRow, FlaggedStore
from memcli.model import Change, Filter, Memory, ModelIdentity, Order, Ref, memory_from_record
from memcli.storage.conditions import filter_condition, space_condition
from memcli.storage.digests import LINK, USE, digest_of, digest_of_values
from memcli.storage.postgres.clocks import PostgresClocks
from memcli.storage.postgres.retry import retried
from memcli.storage.postgres.session import POSTGRES
from memcli.storage.postgres.upkeep import PostgresUpkeep
from memcli.storage.postgres.word_index import indexed_words, lexemes
from memcli.storage.postgres.writes import PostgresWrites
from memcli.storage.reports import ErasedRows
from memcli.storage.rows import LINK_COLUMNS, MEMORY_COLUMNS, UNREADABLE, erased_change, is_sound
from memcli.times import to_iso

# The columns of each order, and whether it is descending.
_ORDERS: dict[Order, tuple[tuple[str, ...], bool]] = {
    "newest": (("m.id",), True),
    "oldest": (("m.id",), False),
    "last_used": (("coalesce(m.accessed_at, '')", "m.id"), True),
}
_TOUCH = (
    "UPDATE memcli.memories SET access_count = %s, accessed_at = %s, use_digest = %s "
    "WHERE (space, seq) = (%s, %s)"
)
# How many memories get their words rebuilt in one round trip.
_REBUILT = 500
_SAME_MODEL = "(name, weights, dimensions) = (%s, %s, %s)"
_READ_BY = "SELECT 1 FROM memcli.vectors v WHERE (v.space, v.memory) = (m.space, m.seq) AND v.model = %s"


class PostgresStore(PostgresWrites, PostgresClocks, PostgresUpkeep):
    """`memcli.storage.Store` in one database. See there for what each method promises."""

    # Memories

    def get(self, ids: Sequence[str]) -> list[Memory]:
        sql = f"SELECT {MEMORY_COLUMNS} FROM memcli.memories m WHERE m.id = ANY"
        found = {each.id: each for each in self._memories(self._among(sql, ids))}
        return [found[memory_id] for memory_id in ids if memory_id in found]

    def find_ids(self, fragment: str, limit: int, spaces: Sequence[str] | None = None) -> list[str]:
        within, inside = space_condition(spaces, POSTGRES)
        sql = (
            f"SELECT id FROM memcli.memories WHERE id >= %s AND id < %s AND {within} UNION "
            f"SELECT id FROM memcli.memories WHERE right(id, %s) = %s AND {within} ORDER BY id LIMIT %s"
        )
        values = (fragment, fragment + "~", *inside, len(fragment), fragment, *inside, limit)
        return [row[0] for row in self._rows(sql, values)]

    def select(self, where: Filter, *, order: Order = "newest", limit: int | None = None) -> Iterator[Memory]:
        sql, values = filter_condition(where, POSTGRES)
        key, descending = _ORDERS[order]
        if where.tags and self._seem_few(where):
            # Of a tag that hardly anybody has the planner knows too little: it would walk through all by
            # their order until enough are found. What is no column has no order to walk by.
            key = tuple(f"({column} || '')" for column in key)
        query = f"SELECT {MEMORY_COLUMNS}, {', '.join(key)} FROM memcli.memories m WHERE {sql}"
        first = MEMORY_COLUMNS.count(",") + 1
        places = range(first, first + len(key))
        rows = self._portions(query, values, key, places, descending=descending, limit=limit)
        yield from self._memories(row[:first] for row in rows)

    def count(self, where: Filter) -> list[tuple[str, str, int]]:
        sql, values = filter_condition(where, POSTGRES)
        query = (
            f"SELECT m.space, m.kind, count(*) FROM memcli.memories m WHERE {sql} "
            "GROUP BY m.space, m.kind ORDER BY m.space, m.kind"
        )
        return [(space, kind, number) for space, kind, number in self._rows(query, values)]

    @retried
    def touch(self, ids: Sequence[str], at: datetime) -> None:
        sql = (
            "SELECT space, seq, access_count, accessed_at, id, use_digest FROM memcli.memories WHERE id = ANY"
        )
        used, rows = to_iso(at), []
        with self.writing():
            for space, seq, count, last, memory_id, digest in self._among(sql, ids):
                sound = digest == digest_of_values(USE, (count, last, memory_id))
                more = count + ids.count(memory_id)
                now = digest_of_values(USE, (more, used, memory_id)) if sound else digest
                rows.append((more, used, now, space, seq))
            self._run_each(_TOUCH, rows)

    # Derived data

    def model(self) -> ModelIdentity | None:
        rows = self._rows("SELECT name, weights, dimensions FROM memcli.models WHERE in_use")
        return ModelIdentity(*rows[0]) if rows else None

    def models(self) -> list[ModelIdentity]:
        sql = "SELECT name, weights, dimensions FROM memcli.models ORDER BY in_use DESC, number"
        return [ModelIdentity(*row) for row in self._rows(sql)]

    @retried
    def drop_model(self, model: ModelIdentity) -> None:
        with self.writing():
            self._run(f"DELETE FROM memcli.models WHERE {_SAME_MODEL} AND NOT in_use", tuple(model))

    def count_read(self, model: ModelIdentity) -> int:
        sql = (
            "SELECT count(DISTINCT memory) FROM memcli.vectors WHERE model IN "
            f"(SELECT number FROM memcli.models WHERE {_SAME_MODEL})"
        )
        return int(self._rows(sql, tuple(model))[0][0])

    @retried
    def use_model(self, model: ModelIdentity) -> None:
        with self.writing():
            before, number = self._model_number(), self._number_of(model)
            self._run("DELETE FROM memcli.models WHERE number <> %s", (number,))
            self._run("UPDATE memcli.models SET in_use = true WHERE NOT in_use")
            if number != before:
                # A memory that the model has any vectors of has all of them, so only the others are wanting.
                self._run("DELETE FROM memcli.wanting")
                self._list_wanting(number)

    def _list_wanting(self, model: int | None) -> None:
        """List the memories that a model has no vectors of as wanting."""
        self._run(
            "INSERT INTO memcli.wanting (space, memory) SELECT m.space, m.seq FROM memcli.memories m "
            f"WHERE NOT EXISTS ({_READ_BY}) ON CONFLICT DO NOTHING",
            (model or 0,),
        )

    def without_vectors(self, model: ModelIdentity, limit: int) -> list[Memory]:
        number = self._known_number(model)
        if number is not None and number == self._model_number():
            sql = (
                f"SELECT {MEMORY_COLUMNS} FROM memcli.wanting w "
                "JOIN memcli.memories m ON (m.space, m.seq) = (w.space, w.memory) ORDER BY m.seq LIMIT %s"
            )
            return list(self._memories(self._rows(sql, (limit,))))
        sql = (
            f"SELECT {MEMORY_COLUMNS} FROM memcli.memories m WHERE NOT EXISTS ({_READ_BY}) "
            "ORDER BY m.seq LIMIT %s"
        )
        return list(self._memories(self._rows(sql, (number or 0, limit))))

    def _known_number(self, model: ModelIdentity) -> int | None:
        rows = self._rows(f"SELECT number FROM memcli.models WHERE {_SAME_MODEL}", tuple(model))
        return rows[0][0] if rows else None

    def wanting(self, where: Filter, limit: int | None = None) -> list[Ref]:
        sql, values = filter_condition(where, POSTGRES)
        query = (
            "SELECT m.seq FROM memcli.wanting w "
            "JOIN memcli.memories m ON (m.space, m.seq) = (w.space, w.memory) "
            f"WHERE {sql} ORDER BY w.memory DESC LIMIT %s"
        )
        return [row[0] for row in self._rows(query, [*values, limit])]

    @retried
    def rebuild(self) -> None:
        update = (
            "UPDATE memcli.memories SET tag_names = %s, words = array_to_tsvector(%s::text[]), "
            "word_order = %s WHERE (space, seq) = (%s, %s)"
        )
        sql = f"SELECT m.seq, {MEMORY_COLUMNS} FROM memcli.memories m WHERE TRUE"
        with self.writing():
            portion: list[Any] = []
            for seq, memory in self._numbered(self._portions(sql, [], ("m.seq",), (0,))):
                found = indexed_words(memory)
                words = lexemes(found, memory.space)
                portion.append((list(memory.tags), words, found.order, memory.space, seq))
                if len(portion) == _REBUILT:
                    self._change_each(update, portion)
                    portion = []
            self._change_each(update, portion)
            self._recount()
            self._rebuild_names()
            self._list_wanting(self._model_number())
        self.build_indexes()

    def _recount(self) -> None:
        """Count the holders of all words anew."""
        self._run("DELETE FROM memcli.word_counts")
        self._run(
            "INSERT INTO memcli.word_counts (space, word, number) SELECT space, word, count(*) "
            "FROM memcli.memories m, unnest(tsvector_to_array(m.words)) word "
            "WHERE left(word, 1) <> '=' GROUP BY space, word "
            "UNION ALL SELECT space, '', count(*) FROM memcli.memories GROUP BY space"
        )

    # Going back, and forgetting for good

    def may_go_back(self) -> bool:
        # Policies hide rows silently, so a role under any policy cannot know that it sees everything.
        sql = "SELECT pg_has_role(relowner, 'USAGE') FROM pg_class WHERE oid = 'memcli.memories'::regclass"
        is_flagged = isinstance(self.hindrance, FlaggedStore)
        return (not self.hindrance or is_flagged) and bool(self._rows(sql)[0][0])

    @contextmanager
    def as_of(self, at: datetime) -> Iterator[None]:
        with self.discarding():
            self._go_back(to_iso(at))
            yield

    def _go_back(self, then: str) -> None:
        """Set memories, links and history to an instant, in a transaction that is rolled back."""
        self._run(
            "DELETE FROM memcli.memories m WHERE coalesce((SELECT min(at) FROM memcli.history "
            "WHERE memory = m.id), created_at) > %s",
            (then,),
        )
        self._run("DELETE FROM memcli.links WHERE created_at > %s", (then,))
        sql = f"SELECT {LINK_COLUMNS}, digest FROM memcli.links WHERE ended_at > %s"
        columns = LINK_COLUMNS.split(", ")
        for row in self._rows(sql, (then,)):
            values = {**dict(zip(columns, row[:-1], strict=True)), "ended_at": None}
            digest = digest_of(LINK, values) if is_sound(LINK, LINK_COLUMNS, row) else row[-1]
            self._run(
                "UPDATE memcli.links SET ended_at = NULL, digest = %s WHERE (space, id) = (%s, %s)",
                (digest, values["space"], values["id"]),
            )
        older: dict[str, dict[str, Any]] = {}
        changes = (
            "SELECT memory, before FROM memcli.history WHERE at > %s AND before IS NOT NULL AND memory IN "
            "(SELECT id FROM memcli.memories) ORDER BY at DESC, number DESC"
        )
        for memory_id, before in self._rows(changes, (then,)):
            with suppress(*UNREADABLE):
                older.setdefault(memory_id, {}).update(json.loads(before))
        for memory_id, fields in older.items():
            with suppress(*UNREADABLE, DamagedRow):
                for each in self._standing([memory_id]).values():
                    was = memory_from_record({**each.memory.to_record(), **fields})
                    self.put([was], None, each.memory.updated_at)
        # Word counts are not adjusted: rarity need not be exact for a past instant.
        self._run("DELETE FROM memcli.history WHERE at > %s", (then,))

    @retried
    def erase(
        self,
        ids: Sequence[str],
        change: Change,
        at: datetime,
        marks: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> list[ErasedRows]:
        with self.writing():
            here = self.get(ids)
            erased = self._delete_rows(here)
            for memory in here:
                self._changed.append((change.action, change.id, memory.id))
            events = [erased_change(memory.id, change, at, marks) for memory in here]
            self._write_events(events, len(events), {memory.id: memory.space for memory in here})
        return erased
