"""What a store keeps beside memories: links between entities, keyed state, and the record of changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from memcli.model import Change, Event, Link, Memory, State, changed_fields
from memcli.storage.sqlite.file import explained_errors
from memcli.storage.sqlite.rows import (
    LINK_COLUMNS,
    STATE_COLUMNS,
    event_from_row,
    link_from_row,
    link_values,
    space_condition,
    state_from_row,
    text_or_none,
    to_json,
)
from memcli.storage.sqlite.session import SqliteSession
from memcli.text import names
from memcli.times import to_iso

REWRITE_EVENT = "UPDATE history SET actor = ?, reason = ?, before = ?, after = ? WHERE number = ?"
# What history leaves out: it has columns of its own for who and when.
_UNRECORDED = ("id", "created_at", "updated_at", "access_count", "accessed_at")


def rewritten_values(event: Event) -> tuple[str, str | None, str | None, str | None, int]:
    """The values of REWRITE_EVENT."""
    before, after = (None if each is None else to_json(each) for each in (event.before, event.after))
    return (event.actor, event.reason, before, after, event.number)


class SqliteLedger(SqliteSession):
    """The part of `memcli.storage.Store` that needs neither words nor vectors."""

    def put_links(self, links: Iterable[Link]) -> int:
        changed = 0
        with self.writing():
            for link in links:
                values = link_values(link)
                here = self._rows(f"SELECT {LINK_COLUMNS} FROM links WHERE id = ?", (link.id,))
                if here != [values]:
                    marks = ", ".join("?" * len(values))
                    self._run(f"INSERT OR REPLACE INTO links ({LINK_COLUMNS}) VALUES ({marks})", values)
                    self._index_names(link)
                    changed += 1
        return changed

    def links(
        self, spaces: Sequence[str] | None = None, touching: Sequence[str] | None = None
    ) -> Iterator[Link]:
        where, values = space_condition(spaces)
        if touching is None:
            sql = f"SELECT {LINK_COLUMNS} FROM links WHERE {where} ORDER BY id"
            return (link_from_row(row) for row in self._rows(sql, values))
        sql = (
            f"SELECT {LINK_COLUMNS} FROM links WHERE id IN "
            f"(SELECT link FROM link_names WHERE {where} AND name IN "
        )
        keys = list({names.spelling_key(name): None for name in touching})
        found = {row[0]: row for row in self._among(sql, keys, ")", before=values)}
        return (link_from_row(found[link_id]) for link_id in sorted(found))

    def drop_links(self, ids: Sequence[str]) -> int:
        with self.writing():
            found = [self._rows("DELETE FROM links WHERE id = ? RETURNING id", (each,)) for each in ids]
        return sum(map(len, found))

    def _index_names(self, link: Link) -> None:
        """Write the names of a link under which it is found; those of a replaced one went with its row."""
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
            rows = self._rows("SELECT version FROM states WHERE (space, area, key) = (?, ?, ?)", key)
            if expected_version is not None and expected_version != (rows[0][0] if rows else 0):
                return False
            self._run(
                f"INSERT OR REPLACE INTO states ({STATE_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    *key, to_json(state.value), state.version, to_iso(state.created_at),
                    to_iso(state.updated_at), text_or_none(state.expires_at),
                ),
            )  # fmt: skip
        return True

    def states(
        self, spaces: Sequence[str] | None = None, area: str | None = None, key: str | None = None
    ) -> Iterator[State]:
        where, values = space_condition(spaces)
        for column, wanted in (("area", area), ("key", key)):
            if wanted is not None:
                where, values = f"{where} AND {column} = ?", [*values, wanted]
        sql = f"SELECT {STATE_COLUMNS} FROM states WHERE {where} ORDER BY space, area, key"
        return (state_from_row(row) for row in self._rows(sql, values))

    def drop_state(self, space: str, area: str, key: str) -> bool:
        sql = "DELETE FROM states WHERE (space, area, key) = (?, ?, ?) RETURNING key"
        with self.writing():
            return bool(self._rows(sql, (space, area, key)))

    def drop_states(self, area: str, before: datetime) -> int:
        sql = "DELETE FROM states WHERE area = ? AND expires_at < ? RETURNING key"
        with self.writing():
            return len(self._rows(sql, (area, to_iso(before))))

    def history(
        self, memory: str | None = None, *, change: str | None = None, newest_first: bool = False
    ) -> Iterator[Event]:
        asked = {"memory": memory, "change": change}
        given = {name: value for name, value in asked.items() if value is not None}
        where = " AND ".join(f"{name} = :{name}" for name in given) or "TRUE"
        sql = (
            "SELECT number, at, memory, action, actor, reason, before, after, change, undoes "
            f"FROM history WHERE {where} ORDER BY number {'DESC' if newest_first else ''}"
        )
        with explained_errors(self.path):
            for row in self._db.execute(sql, given):
                yield event_from_row(row)

    def put_history(self, events: Iterable[Event]) -> int:
        added = 0
        with self.writing():
            for event in events:
                same = self._rows(
                    "SELECT 1 FROM history WHERE memory = ? AND at = ? AND action = ?",
                    (event.memory, to_iso(event.at), event.action),
                )
                if not same:
                    self._write_event(event)
                    added += 1
        return added

    def rewrite_history(self, events: Iterable[Event]) -> None:
        with self.writing():
            for event in events:
                self._run(REWRITE_EVENT, rewritten_values(event))

    def _record(self, before: Memory | None, after: Memory, change: Change, at: datetime) -> None:
        self._changed.append((change.action, change.id, after.id))
        new = after.to_record()
        if before is None:
            old, new = None, {name: value for name, value in new.items() if value is not None}
        else:
            old, new = changed_fields(before.to_record(), new)
        for name in _UNRECORDED:
            new.pop(name, None)
            if old:
                old.pop(name, None)
        self._write_event(
            Event(
                number=0, at=at, memory=after.id, action=change.action, actor=change.actor,
                reason=change.reason, before=old, after=new, change=change.id, undoes=change.undoes,
            )
        )  # fmt: skip

    def _write_event(self, event: Event) -> None:
        self._run(
            "INSERT INTO history (at, memory, action, actor, reason, before, after, change, undoes) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                to_iso(event.at), event.memory, event.action, event.actor, event.reason,
                None if event.before is None else to_json(event.before),
                None if event.after is None else to_json(event.after), event.change, event.undoes,
            ),
        )  # fmt: skip
