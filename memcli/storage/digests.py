"""Digests of rows, by which a row as memcli wrote it is told from one that a disk or program has changed.

A digest is BLAKE2b of 8 bytes (RFC 7693; 1 in 2^64 that a change is missed), kept as a signed big-endian
integer, of a JSON object: the columns that it covers, by name in alphabetical order, without those that are
NULL, as `json.dumps` writes it without spaces and in ASCII; a BLOB is its hexadecimal digits. So a column
that is added later and is NULL changes no digest.

Whatever writes a row writes its digest, too. A row that is found damaged keeps the digest that it has, so
that it stays recognisable as damaged, even if a part of it is overwritten.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from memcli.model import FIELD_NAMES
from memcli.named_tuple import NamedTuple
from memcli.system.blake2b import blake2b
from memcli.text.printable import one_line

# The columns that a recall updates, which have a digest of their own.
_USE = ("access_count", "accessed_at")


class Digest(NamedTuple):
    """One digest of the rows of a table: its column, the columns it covers, and the row's key."""

    table: str
    column: str
    covers: tuple[str, ...]
    key: tuple[str, ...]


MEMORY = Digest("memories", "digest", tuple(sorted({*FIELD_NAMES} - {*_USE})), ("seq",))
USE = Digest("memories", "use_digest", (*_USE, "id"), ("seq",))
LINK = Digest(
    "links", "digest",
    ("confidence", "created_at", "data", "ended_at", "evidence", "id", "object", "relation", "space",
     "subject", "valid_from", "valid_until"),
    ("id",),
)  # fmt: skip
STATE = Digest(
    "states", "digest",
    ("area", "created_at", "expires_at", "key", "space", "updated_at", "value", "version"),
    ("space", "area", "key"),
)  # fmt: skip
HISTORY = Digest(
    "history", "digest",
    ("action", "actor", "after", "at", "before", "change", "memory", "reason", "undoes"), ("number",),
)  # fmt: skip
MODEL = Digest("models", "digest", ("dimensions", "in_use", "name", "weights"), ("number",))
VECTOR = Digest("vectors", "digest", ("memory", "model", "part", "vector"), ("number",))
ALL = (MEMORY, USE, LINK, STATE, HISTORY, MODEL, VECTOR)


def _hex(value: bytes) -> str:
    return value.hex()


encoded = json.JSONEncoder(separators=(",", ":"), default=_hex).encode


def digest_of(digest: Digest, row: Mapping[str, Any]) -> int:
    """Return the digest of a row given by column names; columns that it does not cover are ignored."""
    return digest_of_values(digest, [row[name] for name in digest.covers])


def digest_of_values(digest: Digest, values: Sequence[Any]) -> int:
    """Return the digest of a row given by the values of the columns that it covers, in order."""
    held = {name: value for name, value in zip(digest.covers, values, strict=True) if value is not None}
    hashed = blake2b(encoded(held).encode(), digest_size=8).digest()
    return int.from_bytes(hashed, "big", signed=True)


class DamagedRow(NamedTuple):
    """A row that does not match its digest: its kind, name, and space (None if it has none)."""

    kind: str
    name: str
    space: str | None


def printed(name: object) -> str:
    """Return a row's name for messages, even if it is damaged."""
    if isinstance(name, bytes):
        name = name.decode(errors="replace")[:60]
    return one_line(name) if isinstance(name, str) else repr(name)[:60]
