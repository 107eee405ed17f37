"""Clocks of records: what a sync knows of their changes, with the fingerprints of the rows at that time."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from memcli.storage.clock_rows import (
    CLOCK_COLUMNS,
    clock_from_row,
    covered_columns,
    fingerprints,
    noted_columns,
    sound_keys,
    state_names,
    table_of,
)
from memcli.storage.ledger import Clock
from memcli.storage.rows import to_json
from memcli.storage.sqlite.session import SqliteSession

# Beside them is one clock of no kind with the highest revision, so that a dropped clock's is not reused.
_INSERT = f"INSERT OR REPLACE INTO clocks ({CLOCK_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)"


class SqliteClocks(SqliteSession):
    """The part of `memcli.storage.Store` that sync uses."""

    def clocks(self, kind: str, keys: Sequence[str]) -> dict[str, Clock]:
        sql = f"SELECT {CLOCK_COLUMNS} FROM clocks WHERE kind = ? AND key IN"
        found = map(clock_from_row, self._among(sql, keys, before=(kind,)))
        return {each.key: each for each in found}

    def clocks_since(self, revision: int) -> Iterator[Clock]:
        where = "revision > ? AND kind <> '' ORDER BY revision, kind, key"
        sql = f"SELECT {CLOCK_COLUMNS} FROM clocks WHERE {where}"
        with self._explained():
            yield from map(clock_from_row, self._db.execute(sql, (revision,)))

    def clock_revision(self) -> int:
        [(revision,)] = self._rows("SELECT coalesce(max(revision), 0) FROM clocks")
        return int(revision)

    def unclocked(self, kind: str, besides: Collection[str] = ()) -> tuple[list[str], list[str]]:
        known = dict(self._rows("SELECT key, row FROM clocks WHERE kind = ? AND row <> ''", (kind,)))
        where = f" WHERE area NOT IN ({', '.join('?' * len(besides))})" if kind == "state" else ""
        select, changed = _select(kind, noted_columns(kind)), []
        with self._explained():
            rows = self._db.execute(select + where, list(besides) if where else [])
            for key, told in fingerprints(kind, rows):
                if known.pop(key, None) != told:
                    changed.append(key)
        return changed, list(known)

    def is_clocked(self, kind: str, keys: Sequence[str]) -> set[str]:
        rows, clocks = self._fingerprints(kind, keys), self.clocks(kind, keys)
        return {key for key in keys if key in clocks and clocks[key].row == rows.get(key, "")}

    def is_sound(self, kind: str, keys: Sequence[str]) -> set[str]:
        return sound_keys(kind, self._named(kind, keys, covered_columns(kind)))

    def put_clocks(self, clocks: Iterable[Clock]) -> None:
        every = list(clocks)
        with self.writing():
            for kind in {each.kind for each in every}:
                some = [each for each in every if each.kind == kind]
                rows = self._fingerprints(kind, [each.key for each in some])
                for each in some:
                    row = rows.get(each.key, "")
                    self._run(_INSERT, (kind, each.key, each.revision, each.via, row, to_json(each.value)))
            if every:
                self._run(_INSERT, ("", "", max(each.revision for each in every), "", "", "{}"))

    def drop_clocks(self, kind: str, keys: Iterable[str]) -> None:
        with self.writing():
            for key in keys:
                self._run("DELETE FROM clocks WHERE kind = ? AND key = ?", (kind, key))

    def _fingerprints(self, kind: str, keys: Sequence[str]) -> dict[str, str]:
        return dict(fingerprints(kind, self._named(kind, keys, noted_columns(kind))))

    def _named(self, kind: str, keys: Sequence[str], columns: str) -> Iterator[Sequence[Any]]:
        """Yield these columns of these records; a deleted state has none."""
        select = _select(kind, columns)
        if kind != "state":
            yield from self._among(f"{select} WHERE id IN", keys)
            return
        for name in state_names(keys):
            yield from self._rows(f"{select} WHERE (space, area, key) = (?, ?, ?)", name)


def _select(kind: str, columns: str) -> str:
    return f"SELECT {columns} FROM {table_of(kind)}"
