"""Beside each record its clock: what a sync knows of its changes, and the row as it was then."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from memcli.model import EVERYWHERE
from memcli.storage.digests import LINK, MEMORY, STATE, USE, Digest, digest_of_values
from memcli.storage.ledger import Clock
from memcli.storage.postgres.retrying import retried
from memcli.storage.postgres.session import PostgresSession
from memcli.storage.rows import to_json

# By kind the digests of a row, which tell that it was changed; and by which columns it is named.
_DIGESTS: dict[str, tuple[Digest, ...]] = {"memory": (MEMORY, USE), "link": (LINK,), "state": (STATE,)}
_NAMES = {"memory": ("id",), "link": ("id",), "state": ("space", "area", "key")}
_COLUMNS = "kind, key, revision, via, row, clock"
_INSERT = f"INSERT INTO memcli.clocks (space, {_COLUMNS}) VALUES (%s, %s, %s, %s, %s, %s, %s)"
_DROP = "DELETE FROM memcli.clocks WHERE kind = %s AND key = ANY(%s)"


class PostgresClocks(PostgresSession):
    """The part of `memcli.storage.Store` that a sync goes by."""

    def clocks(self, kind: str, keys: Sequence[str]) -> dict[str, Clock]:
        sql = f"SELECT {_COLUMNS} FROM memcli.clocks WHERE kind = %s AND key = ANY"
        found = map(_clock, self._among(sql, keys, before=(kind,)))
        return {each.key: each for each in found}

    def clocks_since(self, revision: int) -> Iterator[Clock]:
        sql = f"SELECT {_COLUMNS} FROM memcli.clocks WHERE revision > %s AND kind <> ''"
        yield from map(_clock, self._portions(sql, [revision], ("revision", "kind", "key"), (2, 0, 1)))

    def clock_revision(self) -> int:
        [(revision,)] = self._rows("SELECT coalesce(max(revision), 0) FROM memcli.clocks")
        return int(revision)

    def unclocked(self, kind: str, besides: Collection[str] = ()) -> tuple[list[str], list[str]]:
        known = dict(self._rows("SELECT key, row FROM memcli.clocks WHERE kind = %s AND row <> ''", (kind,)))
        where, values = (" WHERE area <> ALL(%s)", [list(besides)]) if kind == "state" else ("", [])
        names, changed = _NAMES[kind], []
        for row in self._rows(_select(kind) + where, values):
            key = _key(row[: len(names)])
            if known.pop(key, None) != _fingerprint(row[len(names) :]):
                changed.append(key)
        return changed, list(known)

    def is_clocked(self, kind: str, keys: Sequence[str]) -> set[str]:
        rows, clocks = self._fingerprints(kind, keys), self.clocks(kind, keys)
        return {key for key in keys if key in clocks and clocks[key].row == rows.get(key, "")}

    def is_sound(self, kind: str, keys: Sequence[str]) -> set[str]:
        covered = [name for digest in _DIGESTS[kind] for name in digest.covers]
        size, sound = len(_NAMES[kind]), set()
        for row in self._named(kind, keys, _select(kind, covered)):
            values = list(row[size + len(_DIGESTS[kind]) :])
            told = []
            for digest in _DIGESTS[kind]:
                told.append(digest_of_values(digest, values[: len(digest.covers)]))
                del values[: len(digest.covers)]
            if told == list(row[size : size + len(told)]):
                sound.add(_key(row[:size]))
        return sound

    @retried
    def put_clocks(self, clocks: Iterable[Clock]) -> None:
        every = {(each.kind, each.key): each for each in clocks}
        with self.writing():
            for kind in {each.kind for each in every.values()}:
                some = [each for each in every.values() if each.kind == kind]
                keys = [each.key for each in some]
                rows, spaces = self._fingerprints(kind, keys), self._spaces(kind, keys)
                self._run(_DROP, (kind, keys))
                self._run_each(
                    _INSERT,
                    [
                        (spaces.get(each.key, EVERYWHERE), kind, each.key, each.revision, each.via,
                         rows.get(each.key, ""), to_json(each.value))
                        for each in some
                    ],
                )  # fmt: skip
            if every:
                # For the highest revision: that of a clock which is dropped is not used again.
                highest = max(each.revision for each in every.values())
                self._run(_DROP, ("", [""]))
                self._run(_INSERT, (EVERYWHERE, "", "", highest, "", "", "{}"))

    @retried
    def drop_clocks(self, kind: str, keys: Iterable[str]) -> None:
        with self.writing():
            self._run(_DROP, (kind, list(keys)))

    def _spaces(self, kind: str, keys: Sequence[str]) -> dict[str, str]:
        """The spaces of records by key; of those that are gone none is known."""
        if kind == "state":
            return {key: str(json.loads(key)[0]) for key in keys if key.startswith("[")}
        table = _DIGESTS[kind][0].table
        return dict(self._among(f"SELECT id, space FROM memcli.{table} WHERE id = ANY", keys))

    def _fingerprints(self, kind: str, keys: Sequence[str]) -> dict[str, str]:
        size = len(_NAMES[kind])
        return {_key(row[:size]): _fingerprint(row[size:]) for row in self._named(kind, keys, _select(kind))}

    def _named(self, kind: str, keys: Sequence[str], select: str) -> Iterator[Sequence[Any]]:
        """The rows of these records; a state that is gone is named by a hash, and has none."""
        if kind != "state":
            yield from self._among(f"{select} WHERE id = ANY", keys)
            return
        for name in (json.loads(each) for each in keys if each.startswith("[")):
            yield from self._rows(f"{select} WHERE (space, area, key) = (%s, %s, %s)", name)


def _select(kind: str, further: Sequence[str] = ()) -> str:
    digests = _DIGESTS[kind]
    columns = (*_NAMES[kind], *(each.column for each in digests), *further)
    return f"SELECT {', '.join(columns)} FROM memcli.{digests[0].table}"


def _key(names: Sequence[Any]) -> str:
    return to_json(list(names)) if len(names) > 1 else str(names[0])


def _fingerprint(digests: Sequence[Any]) -> str:
    """A row as its clock notes it: by the digests that were written with it."""
    return ".".join(map(str, digests))


def _clock(row: Sequence[Any]) -> Clock:
    kind, key, revision, via, fingerprint, value = row
    return Clock(kind, key, revision, via, json.loads(value), fingerprint)
