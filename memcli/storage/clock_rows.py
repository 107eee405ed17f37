"""Clock rows: which columns and digests of a record's row a clock covers, for any engine."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from memcli.storage.digests import LINK, MEMORY, STATE, USE, Digest, digest_of_values
from memcli.storage.ledger import Clock
from memcli.storage.rows import to_json

CLOCK_COLUMNS = "kind, key, revision, via, row, clock"
# By kind, the digests of a row, which show that it was changed; and the columns that identify it.
_DIGESTS: dict[str, tuple[Digest, ...]] = {"memory": (MEMORY, USE), "link": (LINK,), "state": (STATE,)}
_NAMES = {"memory": ("id",), "link": ("id",), "state": ("space", "area", "key")}


def table_of(kind: str) -> str:
    """Return the table of the records of a kind."""
    return _DIGESTS[kind][0].table


def noted_columns(kind: str) -> str:
    """Return the columns that a clock notes: those of the record's name, then its digests."""
    return ", ".join((*_NAMES[kind], *(each.column for each in _DIGESTS[kind])))


def covered_columns(kind: str) -> str:
    """Return the columns of `noted_columns`, and after them those that the digests cover."""
    covered = (name for digest in _DIGESTS[kind] for name in digest.covers)
    return ", ".join((noted_columns(kind), *covered))


def fingerprints(kind: str, rows: Iterable[Sequence[Any]]) -> Iterator[tuple[str, str]]:
    """Return the keys and fingerprints (stored digests) of rows of `noted_columns`."""
    size = len(_NAMES[kind])
    return ((_key(row[:size]), ".".join(map(str, row[size:]))) for row in rows)


def sound_keys(kind: str, rows: Iterable[Sequence[Any]]) -> set[str]:
    """Return the keys of those rows of `covered_columns` that match their digests."""
    names, digests, sound = len(_NAMES[kind]), _DIGESTS[kind], set[str]()
    for row in rows:
        values, told = list(row[names + len(digests) :]), []
        for digest in digests:
            told.append(digest_of_values(digest, values[: len(digest.covers)]))
            del values[: len(digest.covers)]
        if told == list(row[names : names + len(digests)]):
            sound.add(_key(row[:names]))
    return sound


def state_names(keys: Iterable[str]) -> Iterator[list[str]]:
    """Yield space, area and key of keyed values by their keys; deleted ones have a hash, and are left out."""
    return (json.loads(key) for key in keys if key.startswith("["))


def clock_from_row(row: Sequence[Any]) -> Clock:
    """Return a clock from a row of CLOCK_COLUMNS."""
    kind, key, revision, via, fingerprint, value = row
    return Clock(kind, key, revision, via, json.loads(value), fingerprint)


def _key(names: Sequence[Any]) -> str:
    return to_json(list(names)) if len(names) > 1 else str(names[0])
