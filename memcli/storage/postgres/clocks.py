"""Clocks of records: what a sync knows of their changes, with the fingerprints of the rows at that time."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from memcli.model import EVERYWHERE
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
from memcli.storage.ledger import Clock, state_key
from memcli.storage.postgres.retry import retried
from memcli.storage.postgres.session import PostgresSession
from memcli.storage.rows import to_json

_INSERT = f"INSERT INTO memcli.clocks (space, {CLOCK_COLUMNS}) VALUES (%s, %s, %s, %s, %s, %s, %s)"
_DROP = "DELETE FROM memcli.clocks WHERE kind = %s AND key = ANY(%s)"


class PostgresClocks(PostgresSession):
    """The part of `memcli.storage.Store` that sync uses."""

    def clocks(self, kind: str, keys: Sequence[str]) -> dict[str, Clock]:
        sql = f"SELECT {CLOCK_COLUMNS} FROM memcli.clocks WHERE kind = %s AND key = ANY"
        found = map(clock_from_row, self._among(sql, keys, before=(kind,)))
        return {each.key: each for each in found}

    def clocks_since(self, revision: int) -> Iterator[Clock]:
        sql = f"SELECT {CLOCK_COLUMNS} FROM memcli.clocks WHERE revision > %s AND kind <> ''"
        yield from map(
            clock_from_row, self._portions(sql, [revision], ("revision", "kind", "key"), (2, 0, 1))
        )

    def clock_revision(self) -> int:
        [(revision,)] = self._rows("SELECT coalesce(max(revision), 0) FROM memcli.clocks")
        return int(revision)

    def unclocked(self, kind: str, besides: Collection[str] = ()) -> tuple[list[str], list[str]]:
        known = dict(self._rows("SELECT key, row FROM memcli.clocks WHERE kind = %s AND row <> ''", (kind,)))
        where, values = (" WHERE area <> ALL(%s)", [list(besides)]) if kind == "state" else ("", [])
        select, changed = _select(kind, noted_columns(kind)), []
        for key, told in fingerprints(kind, self._rows(select + where, values)):
            if known.pop(key, None) != told:
                changed.append(key)
        return changed, list(known)

    def is_clocked(self, kind: str, keys: Sequence[str]) -> set[str]:
        rows, clocks = self._fingerprints(kind, keys), self.clocks(kind, keys)
        return {key for key in keys if key in clocks and clocks[key].row == rows.get(key, "")}

    def is_sound(self, kind: str, keys: Sequence[str]) -> set[str]:
        return sound_keys(kind, self._named(kind, keys, covered_columns(kind)))

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
                # Record the highest revision, so that the one of a dropped clock is not reused.
                highest = max(each.revision for each in every.values())
                self._run(_DROP, ("", [""]))
                self._run(_INSERT, (EVERYWHERE, "", "", highest, "", "", "{}"))

    @retried
    def drop_clocks(self, kind: str, keys: Iterable[str]) -> None:
        with self.writing():
            self._run(_DROP, (kind, list(keys)))

    def _spaces(self, kind: str, keys: Sequence[str]) -> dict[str, str]:
        """Return the spaces of records by key; those of deleted ones are unknown."""
        if kind == "state":
            return {state_key(*name): name[0] for name in state_names(keys)}
        return dict(self._among(f"SELECT id, space FROM memcli.{table_of(kind)} WHERE id = ANY", keys))

    def _fingerprints(self, kind: str, keys: Sequence[str]) -> dict[str, str]:
        return dict(fingerprints(kind, self._named(kind, keys, noted_columns(kind))))

    def _named(self, kind: str, keys: Sequence[str], columns: str) -> Iterator[Sequence[Any]]:
        """Yield these columns of these records; a deleted state has none."""
        select = _select(kind, columns)
        if kind != "state":
            yield from self._among(f"{select} WHERE id = ANY", keys)
            return
        for name in state_names(keys):
            yield from self._rows(f"{select} WHERE (space, area, key) = (%s, %s, %s)", name)


def _select(kind: str, columns: str) -> str:
    return f"SELECT {columns} FROM memcli.{table_of(kind)}"
