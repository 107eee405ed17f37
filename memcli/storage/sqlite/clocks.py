"""Beside each record its clock: what a sync knows of its changes, and the row as it was then."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any

from memcli.storage import Clock
from memcli.storage.sqlite.file import explained_errors
from memcli.storage.sqlite.rows import LINK_COLUMNS, MEMORY_COLUMNS, STATE_COLUMNS, to_json
from memcli.storage.sqlite.session import SqliteSession

# By kind what a row is made of; the first columns are its key.
_ROWS = {
    "memory": f"SELECT {MEMORY_COLUMNS} FROM memories m",
    "link": f"SELECT {LINK_COLUMNS} FROM links",
    "state": f"SELECT {STATE_COLUMNS} FROM states",
}
_COLUMNS = "kind, key, revision, via, row, clock"
# Beside them one of no kind, for the highest revision: that of a clock which is dropped is not used again.
_INSERT = f"INSERT OR REPLACE INTO clocks ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)"


class SqliteClocks(SqliteSession):
    """The part of `memcli.storage.Store` that a sync goes by."""

    def clocks(self, kind: str, keys: Sequence[str]) -> dict[str, Clock]:
        sql = f"SELECT {_COLUMNS} FROM clocks WHERE kind = ? AND key IN"
        found = map(_clock, self._among(sql, keys, before=(kind,)))
        return {each.key: each for each in found}

    def clocks_since(self, revision: int) -> Iterator[Clock]:
        sql = f"SELECT {_COLUMNS} FROM clocks WHERE revision > ? AND kind <> '' ORDER BY revision, kind, key"
        with explained_errors(self.path):
            yield from map(_clock, self._db.execute(sql, (revision,)))

    def clock_revision(self) -> int:
        [(revision,)] = self._rows("SELECT coalesce(max(revision), 0) FROM clocks")
        return int(revision)

    def unclocked(self, kind: str, besides: Collection[str] = ()) -> tuple[list[str], list[str]]:
        known = dict(self._rows("SELECT key, row FROM clocks WHERE kind = ?", (kind,)))
        left_out = f" WHERE area NOT IN ({', '.join('?' * len(besides))})" if kind == "state" else ""
        changed = []
        with explained_errors(self.path):
            for row in self._db.execute(_ROWS[kind] + left_out, list(besides) if left_out else []):
                key = _key(kind, row)
                if known.pop(key, None) != _fingerprint(row):
                    changed.append(key)
        # Of what is gone the row is told by no fingerprint.
        return changed, [key for key, row in known.items() if row]

    def is_clocked(self, kind: str, keys: Sequence[str]) -> set[str]:
        rows, clocks = self._fingerprints(kind, keys), self.clocks(kind, keys)
        return {key for key in keys if key in clocks and clocks[key].row == rows.get(key, "")}

    def put_clocks(self, clocks: Iterable[Clock]) -> None:
        every = list(clocks)
        with self.writing():
            for kind in {each.kind for each in every}:
                some = [each for each in every if each.kind == kind]
                rows = self._fingerprints(kind, [each.key for each in some])
                for each in some:
                    values = (
                        kind,
                        each.key,
                        each.revision,
                        each.via,
                        rows.get(each.key, ""),
                        to_json(each.value),
                    )
                    self._run(_INSERT, values)
            if every:
                self._run(_INSERT, ("", "", max(each.revision for each in every), "", "", "{}"))

    def drop_clocks(self, kind: str, keys: Iterable[str]) -> None:
        with self.writing():
            for key in keys:
                self._run("DELETE FROM clocks WHERE kind = ? AND key = ?", (kind, key))

    def _fingerprints(self, kind: str, keys: Sequence[str]) -> Mapping[str, str]:
        sql = _ROWS[kind]
        if kind == "state":
            names = [json.loads(each) for each in keys if each.startswith("[")]
            where = " WHERE (space, area, key) = (?, ?, ?)"
            rows = [row for each in names for row in self._rows(sql + where, each)]
        else:
            rows = list(self._among(f"{sql} WHERE id IN", keys))
        return {_key(kind, row): _fingerprint(row) for row in rows}


def _key(kind: str, row: Sequence[Any]) -> str:
    return to_json(list(row[:3])) if kind == "state" else str(row[0])


def _clock(row: Sequence[Any]) -> Clock:
    kind, key, revision, via, fingerprint, value = row
    return Clock(kind, key, revision, via, json.loads(value), fingerprint)


def _fingerprint(row: Sequence[Any]) -> str:
    """A digest of a row; to notice a change, so it needs no key, and holds nothing of what the row says."""
    return blake2b(repr(tuple(row)).encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
