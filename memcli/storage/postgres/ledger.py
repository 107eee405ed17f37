"""Ledger in PostgreSQL: links between entities, keyed state, and the history of changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from memcli.errors import DamagedRow
from memcli.model import EVERYWHERE, Event, Link, State
from memcli.storage.conditions import marks, space_condition
from memcli.storage.digests import HISTORY, LINK, STATE, digest_of
from memcli.storage.postgres.retry import retried
from memcli.storage.postgres.session import POSTGRES, PostgresSession
from memcli.storage.rows import (
    EVENT_COLUMNS,
    LINK_COLUMNS,
    STATE_COLUMNS,
    event_values,
    is_sound,
    link_from_row,
    link_values,
    rewritten_values,
    state_values,
    with_digest,
)
from memcli.text.naming import names
from memcli.times import to_iso

_LINK_UPDATES = ", ".join(
    f"{name} = EXCLUDED.{name}" for name in (*LINK_COLUMNS.split(", "), "digest", "names")
)
_STATE_UPDATES = ", ".join(f"{name} = EXCLUDED.{name}" for name in (*STATE_COLUMNS.split(", "), "digest"))
_STATE_BY_KEY = f"SELECT {STATE_COLUMNS}, digest FROM memcli.states WHERE (space, area, key) = (%s, %s, %s)"
# The number of rows from which a stream (COPY) is quicker than a statement each.
MANY = 20
_BY_LINE = " GROUP BY memory, at, action, coalesce(change, '')"
_REWRITTEN = ("actor", "reason", "before", "after")


class PostgresLedger(PostgresSession):
    """The part of `memcli.storage.Store` that needs neither words nor vectors."""

    # Links

    @retried
    def put_links(self, links: Iterable[Link]) -> int:
        # Of several with one id only the last counts, since each would replace the one before.
        every = list({link.id: link for link in links}.values())
        with self.writing():
            sql = f"SELECT {LINK_COLUMNS}, digest FROM memcli.links WHERE id = ANY"
            here = {row[0]: row for row in self._among(sql, [link.id for link in every])}
            changed = [link for link in every if here.get(link.id, ())[:-1] != link_values(link)]
            moved = [each.id for each in changed if each.id in here and here[each.id][1] != each.space]
            if moved:
                self._run("DELETE FROM memcli.links WHERE id = ANY(%s)", (moved,))
            rows = (
                (*with_digest(LINK, LINK_COLUMNS, link_values(link), here.get(link.id, ())), _names_of(link))
                for link in changed
            )
            columns = f"{LINK_COLUMNS}, digest, names"
            if not here:
                self._add("links", columns, rows, len(changed))
            else:
                self._run_each(
                    f"INSERT INTO memcli.links ({columns}) "
                    f"VALUES ({marks(len(columns.split(', ')), POSTGRES)}) "
                    f"ON CONFLICT (space, id) DO UPDATE SET {_LINK_UPDATES}",
                    list(rows),
                )
        return len(changed)

    def links(
        self, spaces: Sequence[str] | None = None, touching: Sequence[str] | None = None
    ) -> Iterator[Link]:
        where, values = space_condition(spaces, POSTGRES)
        if touching is not None:
            keys = list({names.spelling_key(name): None for name in touching})
            where, values = f"{where} AND names && %s::text[]", [*values, keys]
        sql = f"SELECT {LINK_COLUMNS} FROM memcli.links WHERE {where} ORDER BY id"
        return self._read_links(self._rows(sql, values))

    def has_links(self, space: str) -> bool:
        return bool(self._rows("SELECT 1 FROM memcli.links WHERE space = %s LIMIT 1", (space,)))

    def links_by_id(self, ids: Sequence[str]) -> list[Link]:
        found = {
            row[0]: row for row in self._among(f"SELECT {LINK_COLUMNS} FROM memcli.links WHERE id = ANY", ids)
        }
        return [link_from_row(found[link_id]) for link_id in sorted(found)]

    @retried
    def drop_links(self, ids: Sequence[str]) -> int:
        with self.writing():
            return self._run("DELETE FROM memcli.links WHERE id = ANY(%s)", (list(ids),)) if ids else 0

    def _rebuild_names(self) -> None:
        found = [(_names_of(link), link.space, link.id) for link in self.links()]
        self._run_each("UPDATE memcli.links SET names = %s WHERE (space, id) = (%s, %s)", found)

    # Keyed values

    @retried
    def put_state(self, state: State, expected_version: int | None = None) -> bool:
        with self.writing():
            rows = self._rows(_STATE_BY_KEY, (state.space, state.area, state.key))
            if rows and not (self.forced or is_sound(STATE, STATE_COLUMNS, rows[0])):
                raise damaged_row(self.location, "state", f"{state.area}/{state.key}")
            if expected_version is not None and expected_version != (rows[0][4] if rows else 0):
                return False
            row = with_digest(STATE, STATE_COLUMNS, state_values(state))
            self._run(
                f"INSERT INTO memcli.states ({STATE_COLUMNS}, digest) VALUES ({marks(len(row), POSTGRES)}) "
                f"ON CONFLICT (space, area, key) DO UPDATE SET {_STATE_UPDATES}",
                row,
            )
        return True

    def states(
        self, spaces: Sequence[str] | None = None, area: str | None = None, key: str | None = None
    ) -> Iterator[State]:
        where, values = space_condition(spaces, POSTGRES)
        for column, wanted in (("area", area), ("key", key)):
            if wanted is not None:
                where, values = f"{where} AND {column} = %s", [*values, wanted]
        sql = f"SELECT {STATE_COLUMNS}, digest FROM memcli.states WHERE {where} ORDER BY space, area, key"
        return self._read_states(self._rows(sql, values))

    @retried
    def drop_state(self, space: str, area: str, key: str) -> bool:
        sql = "DELETE FROM memcli.states WHERE (space, area, key) = (%s, %s, %s)"
        with self.writing():
            return bool(self._run(sql, (space, area, key)))

    @retried
    def drop_states(self, area: str, before: datetime) -> int:
        with self.writing():
            sql = "DELETE FROM memcli.states WHERE area = %s AND expires_at < %s"
            return self._run(sql, (area, to_iso(before)))

    # History

    def history(
        self,
        memory: str | None = None,
        *,
        change: str | None = None,
        action: str | None = None,
        after: int | None = None,
        newest_first: bool = False,
    ) -> Iterator[Event]:
        asked = {"memory =": memory, "change =": change, "action =": action, "number >": after}
        given = {name: value for name, value in asked.items() if value is not None}
        where = " AND ".join(f"{name} %s" for name in given) or "TRUE"
        sql = f"SELECT number, {EVENT_COLUMNS} FROM memcli.history WHERE {where}"
        rows = self._portions(sql, list(given.values()), ("number",), (0,), descending=newest_first)
        return self._read_events(rows)

    @retried
    def put_history(self, events: Iterable[Event]) -> int:
        every = list(events)
        told: Counter[tuple[str, ...]] = Counter()
        with self.writing():
            sql = (
                "SELECT memory, at, action, coalesce(change, ''), count(*) FROM memcli.history "
                "WHERE memory = ANY"
            )
            memories = list({event.memory: None for event in every})
            here = {tuple(same): number for *same, number in self._among(sql, memories, _BY_LINE)}
            new = []
            for event in every:
                told[event.name] += 1
                if told[event.name] > here.get(event.name, 0):
                    new.append(event)
            self._write_events(new, len(new), self._spaces_of(every))
        return len(new)

    @retried
    def copy_history(self, events: Iterable[Event]) -> None:
        every = list(events)
        if not every:
            return
        with self.writing():
            numbers = [event.number for event in every]
            self._run("DELETE FROM memcli.history WHERE number = ANY(%s)", (numbers,))
            spaces = self._spaces_of(every)
            rows = (
                (
                    event.number,
                    spaces[event.memory],
                    *with_digest(HISTORY, EVENT_COLUMNS, event_values(event)),
                )
                for event in every
            )
            self._add("history", f"number, space, {EVENT_COLUMNS}, digest", rows, len(every))
            # Advance the sequence beyond the copied numbers.
            self._rows(
                "SELECT setval('memcli.history_numbers', greatest(%s::bigint, "
                "(SELECT last_value FROM memcli.history_numbers)))",
                (max(numbers),),
            )

    @retried
    def rewrite_history(self, events: Iterable[Event]) -> None:
        sql = f"SELECT space, {EVENT_COLUMNS}, digest FROM memcli.history WHERE number = %s"
        with self.writing():
            for event in events:
                for space, *row in self._rows(sql, (event.number,)):
                    self._amend_event(event.number, space, row, rewritten_values(event))

    @retried
    def drop_history(self, memories: Sequence[str]) -> None:
        with self.writing():
            self._run("DELETE FROM memcli.history WHERE memory = ANY(%s)", (list(memories),))

    def _amend_event(self, number: int, space: str, row: Sequence[Any], changes: Mapping[str, Any]) -> None:
        """Change a history line; a sound one gets a new digest, a damaged one stays recognisable."""
        values = dict(zip(EVENT_COLUMNS.split(", "), row[:-1], strict=True))
        digest = (
            digest_of(HISTORY, {**values, **changes}) if is_sound(HISTORY, EVENT_COLUMNS, row) else row[-1]
        )
        setting = ", ".join(f"{name} = %s" for name in _REWRITTEN)
        self._run(
            f"UPDATE memcli.history SET {setting}, digest = %s WHERE (space, number) = (%s, %s)",
            (*(changes[name] for name in _REWRITTEN), digest, space, number),
        )

    def _write_events(self, events: Iterable[Event], number: int, spaces: Mapping[str, str]) -> None:
        """Add `number` history lines; `spaces` by memory."""
        rows = (
            (spaces[event.memory], *with_digest(HISTORY, EVENT_COLUMNS, event_values(event)))
            for event in events
        )
        self._add("history", f"space, {EVENT_COLUMNS}, digest", rows, number)

    def _add(self, table: str, columns: str, rows: Iterable[Sequence[Any]], number: int) -> None:
        """Add `number` rows to a table; many are streamed, each made while earlier ones are sent."""
        if number >= MANY and self._may_copy:
            self._copy(table, columns, rows)
            return
        places = marks(len(columns.split(", ")), POSTGRES)
        self._run_each(f"INSERT INTO memcli.{table} ({columns}) VALUES ({places})", list(rows))

    def _spaces_of(self, events: Sequence[Event]) -> dict[str, str]:
        """Return the spaces of these lines' memories, current or last known, by id."""
        spaces = {event.memory: EVERYWHERE for event in events}
        for event in events:
            for fields in (event.before, event.after):
                if fields and isinstance(fields.get("space"), str):
                    spaces[event.memory] = fields["space"]
        unknown = [memory for memory, space in spaces.items() if space == EVERYWHERE]
        told = (
            "SELECT DISTINCT ON (memory) memory, space FROM memcli.history WHERE memory = ANY(%s) "
            "ORDER BY memory, number DESC"
        )
        spaces.update(self._rows(told, (unknown,)))
        spaces.update(self._among("SELECT id, space FROM memcli.memories WHERE id = ANY", list(spaces)))
        return spaces


def _names_of(link: Link) -> list[str]:
    """Return the names under which a link is found."""
    return sorted({names.spelling_key(link.subject), names.spelling_key(link.object)})


def damaged_row(location: str, kind: str, name: str) -> DamagedRow:
    """Return the error that a damaged row is not overwritten."""
    return DamagedRow(
        f"{location}: the {kind} {name} is damaged, and is not written over",
        by_hand="--force writes all the same",
    )
