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

# Crockford's rules for what people mistype.
_LOOKALIKES = str.maketrans({"O": "0", "I": "1", "L": "1"})


def id_source() -> Callable[[datetime], str]:
    """Make a source of ids: instant in, ULID out.

    Ids from one source increase strictly, also within one millisecond (the
    random part is then counted up by one), so a batch keeps its order.
    """
    last_ms = -1
    last_random = 0

    def new_id(now: datetime) -> str:
        nonlocal last_ms, last_random
        ms = (now - _EPOCH) // timedelta(milliseconds=1)
        if ms <= last_ms:
            last_random += 1 + int.from_bytes(os.urandom(4))
        else:
            # One bit is left free to count up into.
            last_ms, last_random = ms, int.from_bytes(os.urandom(_RANDOM_BITS // 8)) >> 1
        return _encode(last_ms << _RANDOM_BITS | last_random)

    return new_id


def derived_id(key: str, at: datetime | None = None) -> str:
    """The id of what has one elsewhere: of equal keys and instants it is the same, whenever it is asked for.

    Its head says `at`, so that it stands in order of time; without that it stands first of all.
    """
    ms = max(0, (at - _EPOCH) // timedelta(milliseconds=1)) if at else 0
    import hashlib

    digest = hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()
    return _encode(ms << _RANDOM_BITS | int.from_bytes(digest[: _RANDOM_BITS // 8]))


def is_id(text: str) -> bool:
    """Whether `text` is a complete, canonical id."""
    return len(text) == ID_LENGTH and text[0] in "01234567" and not set(text) - set(ALPHABET)


def ids_in(text: str) -> list[str]:
    """The complete ids in `text` that stand as words of their own, in order."""
    return re.findall(_IDS, text)


def without_ids(text: str) -> str:
    """`text` without the complete ids in it that stand as words of their own: "ID/2" is "/2"."""
    return re.sub(_IDS, "", text)


def instant_of_id(memory_id: str) -> datetime:
    """When an id was made, as it says itself."""
    number = 0
    for character in memory_id[:10]:
        number = number * 32 + ALPHABET.index(character)
    return _EPOCH + timedelta(milliseconds=number)


def normalise_fragment(text: str) -> str | None:
    """The canonical form of part of an id as typed, or None if it cannot be one.

    Raises BadInput where there is nothing: an empty variable names no memory, and is the head of all.
    """
    fragment = text.strip().lstrip("…").upper().translate(_LOOKALIKES)
    if not fragment:
        raise BadInput("the id is empty; give one, or the head or tail of one (an unset variable?)")
    if len(fragment) > ID_LENGTH or set(fragment) - set(ALPHABET):
        return None
    return fragment


def short_id(memory_id: str, length: int = 8) -> str:
    """The end of an id, which tells ids of one batch apart (their heads are alike)."""
    return memory_id[-length:]


def _encode(number: int) -> str:
    return "".join(ALPHABET[(number >> shift) & 31] for shift in range(125, -1, -5))
