"""Mender of damaged rows: find the former content, proven by its digest; nothing is guessed.

A digest of 8 bytes tells not only that a row is damaged but whether a candidate is what was written. Tried
are, in this order: that the digest itself was hit; what history and the copies of the store say; and, for
rows that are not too long, every change of one byte.
"""

from __future__ import annotations

import struct
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from hashlib import blake2b
from typing import Any

from memcli.model import Event
from memcli.storage.digests import Digest, digest_of, encoded
from memcli.storage.rows import to_json
from memcli.times import to_iso

Row = dict[str, Any]

# The most bytes of a row that is searched for a changed one (255 candidates a byte, a few microseconds each);
# and the seconds spent on searching in all.
_LENGTH, _SECONDS = 4000, 120.0
# The widths in which SQLite stores integers (https://www.sqlite.org/fileformat2.html#record_format).
_WIDTHS = (1, 2, 3, 4, 6, 8)


class Mender:
    """Repairs rows of one store, within its time limit."""

    def __init__(self) -> None:
        self._ends = time.monotonic() + _SECONDS

    def mend(self, digest: Digest, row: Row, written: Any, elsewhere: Iterable[Row]) -> Row | None:
        """Return the row (of the columns that the digest covers) as it was written; None without a proof.

        `written` is the digest in the row, `elsewhere` are rows that may be the former one.
        """
        if not isinstance(written, int):
            return None
        if _one_byte_apart(digest_of(digest, row), written):
            return row
        for candidate in elsewhere:
            if candidate.keys() >= {*digest.covers} and digest_of(digest, candidate) == written:
                return {name: candidate[name] for name in digest.covers}
        return self._searched(digest, row, written)

    def _searched(self, digest: Digest, row: Row, written: int) -> Row | None:
        if sum(len(value) for value in row.values() if isinstance(value, str | bytes)) > _LENGTH:
            return None
        wanted = written.to_bytes(8, "big", signed=True)
        # Flipped bits first, which are more frequent than replaced bytes.
        for masks in (_BITS, _OTHERS):
            for name in digest.covers:
                if row[name] is None or time.monotonic() > self._ends:
                    continue
                before, after = _around(digest, row, name)
                for value in _changed(row[name], masks):
                    hashed = before.copy()
                    hashed.update(encoded(value).encode() + after)
                    if hashed.digest() == wanted:
                        return {**row, name: value}
        return None


_BITS = tuple(1 << bit for bit in range(8))
_OTHERS = tuple(mask for mask in range(1, 256) if mask not in _BITS)


def _one_byte_apart(digest: int, written: int) -> bool:
    """True if the digest itself was hit: being wrong in one byte only happens by chance in 1 of 10^15."""
    apart = (digest ^ written).to_bytes(9, "big", signed=True)[-8:]
    return sum(byte != 0 for byte in apart) == 1


def _around(digest: Digest, row: Row, name: str) -> tuple[Any, bytes]:
    """Return what is hashed before a column's value, as a hash state, and the bytes after it."""
    held = [each for each in digest.covers if row[each] is not None]
    place = held.index(name)
    parts = [f"{encoded(each)}:{encoded(row[each])}" for each in held]
    before = "{" + "".join(f"{part}," for part in parts[:place]) + f"{encoded(name)}:"
    after = "".join(f",{part}" for part in parts[place + 1 :]) + "}"
    return blake2b(before.encode(), digest_size=8), after.encode()


def _changed(value: Any, masks: tuple[int, ...]) -> Iterator[Any]:
    """Yield what a value may have been before one byte of it was changed."""
    if isinstance(value, str | bytes):
        raw = bytearray(value.encode() if isinstance(value, str) else value)
        for place in range(len(raw)):
            for mask in masks:
                raw[place] ^= mask
                with suppress(UnicodeDecodeError):
                    yield raw.decode()
                raw[place] ^= mask
        return
    if isinstance(value, float):
        for packed in _with_changes(struct.pack(">d", value), masks):
            yield struct.unpack(">d", packed)[0]
        if not value.is_integer():
            return
    # A number without a fraction is stored as an integer, whatever its column.
    for width in _WIDTHS:
        with suppress(OverflowError):
            for packed in _with_changes(int(value).to_bytes(width, "big", signed=True), masks):
                yield type(value)(int.from_bytes(packed, "big", signed=True))


def _with_changes(value: bytes, masks: tuple[int, ...]) -> Iterator[bytes]:
    raw = bytearray(value)
    for place in range(len(raw)):
        for mask in masks:
            raw[place] ^= mask
            yield bytes(raw)
            raw[place] ^= mask


def remembered_memory(events: Iterable[Event]) -> Row | None:
    """Return a memory's columns from its history lines, oldest first; None if they begin too late.

    Use and confirmation counts that are not recorded are those of a new one.
    """
    columns: Row = {}
    for event in events:
        if event.before is None and "text" in (event.after or {}):
            columns = {"id": event.memory, "created_at": to_iso(event.at)}
        columns |= {**(event.after or {}), "updated_at": to_iso(event.at)}
    if "text" not in columns or "created_at" not in columns:
        return None
    for name in ("tags", "data"):
        columns[name] = to_json(columns.get(name) or ([] if name == "tags" else {}))
    columns["trusted"] = int(bool(columns.get("trusted", True)))
    return columns


def candidates(row: Mapping[str, Any], remembered: Row | None) -> Iterator[Row]:
    """Yield what a damaged memory may have been by its history: as a whole, or in one field."""
    if remembered is None:
        return
    known = {name: value for name, value in remembered.items() if name in row}
    recorded = {name: value for name, value in known.items() if name not in ("created_at", "updated_at")}
    yield {**row, **recorded}
    yield {**row, **known}
    yield {**row, **known, "created_at": row["created_at"]}
    yield {**row, **known, "updated_at": row["updated_at"]}
    for name, value in known.items():
        yield {**row, name: value}
