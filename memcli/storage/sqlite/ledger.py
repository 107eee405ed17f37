"""Ledger in SQLite: links between entities, keyed state, and the history of changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from memcli.model import Change, Event, Link, Memory, State
from memcli.storage.conditions import space_condition
from memcli.storage.digests import HISTORY, LINK, STATE
from memcli.storage.rows import (
    EVENT_COLUMNS,
    LINK_COLUMNS,
    STATE_COLUMNS,
    event_values,
    is_sound,
    link_from_row,
    link_values,
    recorded_change,
    rewritten_values,
    state_values,
    with_digest,
)
from memcli.storage.sqlite.file.damage import damaged_row
from memcli.storage.sqlite.session import SqliteSession
from memcli.storage.sqlite.tables.digests import amend
from memcli.text.naming import names
from memcli.times import to_iso

_STATE_BY_KEY = f"SELECT {STATE_COLUMNS}, digest FROM states WHERE (space, area, key) = (?, ?, ?)"


class SqliteLedger(SqliteSession):
    """The part of `memcli.storage.Store` that needs neither words nor vectors."""

    def put_links(self, links: Iterable[Link]) -> int:
        changed = 0
        with self.writing():
            for link in links:
                values = link_values(link)
                here = self._rows(f"SELECT {LINK_COLUMNS}, digest FROM links WHERE id = ?", (link.id,))
                if [row[:-1] for row in here] != [values]:
                    row = with_digest(LINK, LINK_COLUMNS, values, *here)
                    marks = ", ".join("?" * len(row))
                    self._run(f"INSERT OR REPLACE INTO links ({LINK_COLUMNS}, digest) VALUES ({marks})", row)
                    self._index_names(link)
                    changed += 1
        return changed

    def links(
        self, spaces: Sequence[str] | None = None, touching: Sequence[str] | None = None
    ) -> Iterator[Link]:
        where, values = space_condition(spaces)
        if touching is None:
            sql = f"SELECT {LINK_COLUMNS} FROM links WHERE {where} ORDER BY id"
            return self._read_links(self._rows(sql, values))
        sql = (
            f"SELECT {LINK_COLUMNS} FROM links WHERE id IN "
            f"(SELECT link FROM link_names WHERE {where} AND name IN "
        )
        keys = list({names.spelling_key(name): None for name in touching})
        found = {row[0]: row for row in self._among(sql, keys, ")", before=values)}
        return self._read_links(found[link_id] for link_id in sorted(found, key=str))

    def has_links(self, space: str) -> bool:
        return bool(self._rows("SELECT 1 FROM link_names WHERE space = ? LIMIT 1", (space,)))

    def links_by_id(self, ids: Sequence[str]) -> list[Link]:
        found = {row[0]: row for row in self._among(f"SELECT {LINK_COLUMNS} FROM links WHERE id IN", ids)}
        return [link_from_row(found[link_id]) for link_id in sorted(found)]

    def drop_links(self, ids: Sequence[str]) -> int:
        with self.writing():
            found = [self._rows("DELETE FROM links WHERE id = ? RETURNING id", (each,)) for each in ids]
        return sum(map(len, found))

    def _index_names(self, link: Link) -> None:
        """Write the names under which a link is found; those of a replaced one were deleted with its row."""
        for name in {names.spelling_key(link.subject), names.spelling_key(link.object)}:
            self._run(
                "INSERT INTO link_names (space, name, link) VALUES (?, ?, ?)", (link.space, name, link.id)
            )

    def _rebuild_names(self) -> None:
        self._run("DELETE FROM link_names")
        for link in self.links():
            self._index_names(link)

    def put_state(self, state: State, expected_version: int | None = None) -> bool:
        key = (state.space, state.area, state.key)
        with self.writing():
            rows = self._rows(_STATE_BY_KEY, key)
            if rows and not (self.forced or is_sound(STATE, STATE_COLUMNS, rows[0])):
                raise damaged_row(self.path, "state", f"{state.area}/{state.key}", self._kept())
            if expected_version is not None and expected_version != (rows[0][4] if rows else 0):
                return False
            row = with_digest(STATE, STATE_COLUMNS, state_values(state))
            marks = ", ".join("?" * len(row))
            self._run(f"INSERT OR REPLACE INTO states ({STATE_COLUMNS}, digest) VALUES ({marks})", row)
        return True

    def states(
        self, spaces: Sequence[str] | None = None, area: str | None = None, key: str | None = None
    ) -> Iterator[State]:
        where, values = space_condition(spaces)
        for column, wanted in (("area", area), ("key", key)):
            if wanted is not None:
                where, values = f"{where} AND {column} = ?", [*values, wanted]
        sql = f"SELECT {STATE_COLUMNS}, digest FROM states WHERE {where} ORDER BY space, area, key"
        return self._read_states(self._rows(sql, values))

    def drop_state(self, space: str, area: str, key: str) -> bool:
        sql = "DELETE FROM states WHERE (space, area, key) = (?, ?, ?) RETURNING key"
        with self.writing():
            return bool(self._rows(sql, (space, area, key)))

    def drop_states(self, area: str, before: datetime) -> int:
        sql = "DELETE FROM states WHERE area = ? AND expires_at < ? RETURNING key"
        with self.writing():
            return len(self._rows(sql, (area, to_iso(before))))

    def history(
        self,
        memory: str | None = None,
        *,
        change: str | None = None,
        action: str | None = None,
        after: int | None = None,
        newest_first: bool = False,
    ) -> Iterator[Event]:
        asked = {"memory": memory, "change": change, "action": action, "number": after}
        given = {name: value for name, value in asked.items() if value is not None}
        where = " AND ".join(f"{name} {'>' if name == 'number' else '='} :{name}" for name in given) or "TRUE"
        sql = (
            f"SELECT number, {EVENT_COLUMNS} "
            f"FROM history WHERE {where} ORDER BY number {'DESC' if newest_first else ''}"
        )
        return self._read_events(self._each(sql, given))

    def put_history(self, events: Iterable[Event]) -> int:
        added = 0
        told: Counter[tuple[str, ...]] = Counter()
        with self.writing():
            for event in events:
                told[event.name] += 1
                [(here,)] = self._rows(
                    "SELECT count(*) FROM history WHERE memory = ? AND at = ? AND action = ? "
                    "AND coalesce(change, '') = ?",
                    event.name,
                )
                if here < told[event.name]:
                    self._write_event(event)
                    added += 1
        return added

    def copy_history(self, events: Iterable[Event]) -> None:
        with self.writing():
            for event in events:
                row = with_digest(HISTORY, EVENT_COLUMNS, event_values(event))
                marks = ", ".join("?" * (len(row) + 1))
                sql = f"INSERT OR REPLACE INTO history (number, {EVENT_COLUMNS}, digest) VALUES ({marks})"
                self._run(sql, (event.number, *row))

    def rewrite_history(self, events: Iterable[Event]) -> None:
        with self.writing():
            for event in events:
                with self._explained():
                    amend(self._db, HISTORY, rewritten_values(event), "number = :id", {"id": event.number})

    def drop_history(self, memories: Sequence[str]) -> None:
        with self.writing():
            for memory in memories:
                self._run("DELETE FROM history WHERE memory = ?", (memory,))

    def _record(self, before: Memory | None, after: Memory, change: Change, at: datetime) -> None:
        self._changed.append((change.action, change.id, after.id))
        self._write_event(recorded_change(before, after, change, at))

    def _write_event(self, event: Event) -> None:
        row = with_digest(HISTORY, EVENT_COLUMNS, event_values(event))
        self._run(f"INSERT INTO history ({EVENT_COLUMNS}, digest) VALUES ({', '.join('?' * len(row))})", row)
