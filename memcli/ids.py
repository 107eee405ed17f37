"""Ids: globally unique, sortable by time, easy to type in part.

An id is a ULID (https://github.com/ulid/spec): 48 bits of milliseconds since
1970 and 80 random bits, written as 26 characters of Crockford's base 32. Two
stores can be merged without a clash, and `ORDER BY id` is order of creation.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from memcli.errors import BadInput

ID_LENGTH = 26
ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_RANDOM_BITS = 80

_IDS = rf"(?<![0-9A-Za-z])[0-7][{ALPHABET}]{{{ID_LENGTH - 1}}}(?![0-9A-Za-z])"

# Crockford's rules for letters that people mistake for digits.
_LOOKALIKES = str.maketrans({"O": "0", "I": "1", "L": "1"})


def id_source() -> Callable[[datetime], str]:
    """Return a source of ids, which turns an instant into a ULID.

    Ids from one source increase strictly, also within one millisecond (the random part is then incremented),
    so a batch keeps its order.
    """
    last_ms = -1
    last_random = 0

    def new_id(now: datetime) -> str:
        nonlocal last_ms, last_random
        ms = (now - _EPOCH) // timedelta(milliseconds=1)
        if ms <= last_ms:
            last_random += 1 + int.from_bytes(os.urandom(4))
        else:
            # One bit is left free for increments.
            last_ms, last_random = ms, int.from_bytes(os.urandom(_RANDOM_BITS // 8)) >> 1
        return _encode(last_ms << _RANDOM_BITS | last_random)

    return new_id


def derived_id(key: str, at: datetime | None = None) -> str:
    """Return an id derived from a key, for something that has an id elsewhere; deterministic.

    Its first part encodes `at`, so that it sorts by time; without `at` it sorts before all others.
    """
    ms = max(0, (at - _EPOCH) // timedelta(milliseconds=1)) if at else 0
    import hashlib

    digest = hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()
    return _encode(ms << _RANDOM_BITS | int.from_bytes(digest[: _RANDOM_BITS // 8]))


def is_id(text: str) -> bool:
    """True if `text` is a complete, canonical id."""
    return len(text) == ID_LENGTH and text[0] in "01234567" and not set(text) - set(ALPHABET)


def ids_in(text: str) -> list[str]:
    """Return the complete ids in `text` that are words of their own, in order."""
    return re.findall(_IDS, text)


def without_ids(text: str) -> str:
    """Return `text` without the complete ids that are words of their own: "ID/2" becomes "/2"."""
    return re.sub(_IDS, "", text)


def instant_of_id(memory_id: str) -> datetime:
    """Return when an id was made, as encoded in it."""
    number = 0
    for character in memory_id[:10]:
        number = number * 32 + ALPHABET.index(character)
    return _EPOCH + timedelta(milliseconds=number)


def normalise_fragment(text: str) -> str | None:
    """Return the canonical form of a typed part of an id, or None if it cannot be one.

    Raises BadInput if it is empty: an empty variable names no memory, and would be the beginning of every id.
    """
    fragment = text.strip().lstrip("…").upper().translate(_LOOKALIKES)
    if not fragment:
        raise BadInput("the id is empty; give one, or the head or tail of one (an unset variable?)")
    if len(fragment) > ID_LENGTH or set(fragment) - set(ALPHABET):
        return None
    return fragment


def short_id(memory_id: str, length: int = 8) -> str:
    """Return the end of an id, which tells ids of one batch apart (their beginnings are alike)."""
    return memory_id[-length:]


def _encode(number: int) -> str:
    return "".join(ALPHABET[(number >> shift) & 31] for shift in range(125, -1, -5))
