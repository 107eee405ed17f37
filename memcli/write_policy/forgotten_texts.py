"""Forgotten texts: recognise a text that was erased, from a keyed hash, without having kept the text.

Kept is a keyed hash (HMAC-SHA256, RFC 2104) of the normalised text. The key belongs to the store, so hashes
of two stores cannot be compared.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from datetime import datetime

from memcli.model import EVERYWHERE, new_state
from memcli.storage import Store, areas

# The states of the area FORGOTTEN are named by the hashes; this name is that of the store's own hash key.
FORGOTTEN_KEY = "key"


def foreign_key_name(value: str) -> str:
    """Return the name under which another store's hash key is kept, whose hashes came in with an import."""
    return f"{FORGOTTEN_KEY}-{keyed_hash(b'memcli', str(value))[:16]}"


def is_hash_key(name: str) -> bool:
    """True if a state of the area FORGOTTEN holds a hash key rather than a hash."""
    return name == FORGOTTEN_KEY or name.startswith(f"{FORGOTTEN_KEY}-")


def text_digest(key: bytes, text: str) -> str:
    """Return the keyed hash of a text, ignoring case, spacing and the punctuation around words."""
    return keyed_hash(key, " ".join(plain_words(text)) or " ".join(_plain(text).split()))


def plain_words(text: str) -> list[str]:
    """Return the words of a text as they are compared: case-folded, without punctuation around them."""
    return [word for part in _plain(text).split() if (word := _bare(part))]


def text_digests(key: bytes, text: str) -> tuple[str, str]:
    """Return both hashes that may stand for a text: `text_digest`, and the one that earlier versions made."""
    return text_digest(key, text), keyed_hash(key, " ".join(_plain(text).split()).strip(" .!?,;:'\""))


def find_hash_key(store: Store) -> str | None:
    """Return the store's own hash key in hexadecimal; None if nothing was erased yet."""
    states = store.states((EVERYWHERE,), areas.FORGOTTEN.name, FORGOTTEN_KEY)
    return next((state.value for state in states), None)


def hash_keys(store: Store) -> list[bytes]:
    """Return all keys under which texts may have been hashed: the store's own, and those of imports."""
    states = store.states((EVERYWHERE,), areas.FORGOTTEN.name)
    # The store's own key may also stand under its foreign name (`share_hash_key`), hence the deduplication.
    known = dict.fromkeys(state.value for state in states if is_hash_key(state.key))
    return [bytes.fromhex(each) for each in known]


def hash_key(store: Store, now: datetime) -> bytes:
    """Return the store's own hash key, creating it if there is none yet."""
    import secrets

    if known := find_hash_key(store):
        return bytes.fromhex(known)
    key = secrets.token_bytes(32)
    state = new_state(EVERYWHERE, areas.FORGOTTEN.name, FORGOTTEN_KEY, key.hex(), now)
    store.put_state(state, expected_version=0)
    return hash_key(store, now)


def share_hash_key(store: Store, now: datetime) -> None:
    """Store the own hash key, if there is one, also under its foreign name, which exports carry."""
    if key := find_hash_key(store):
        state = new_state(EVERYWHERE, areas.FORGOTTEN.name, foreign_key_name(key), key, now)
        store.put_state(state, expected_version=0)


def remember_forgotten(store: Store, texts: Sequence[str], now: datetime) -> None:
    """Record the hashes of texts that were erased for good."""
    key = hash_key(store, now)
    for text in texts:
        store.put_state(new_state(EVERYWHERE, areas.FORGOTTEN.name, text_digest(key, text), None, now))


def keyed_hash(key: bytes, plain: str) -> str:
    """Return the HMAC-SHA256 of a text as given, in hexadecimal."""
    import hmac  # loads OpenSSL, and most stores have forgotten nothing for good

    return hmac.new(key, plain.encode("utf-8"), "sha256").hexdigest()


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _bare(word: str) -> str:
    """Return a word without the punctuation around it; inside it tells words apart (1.5 and 15)."""
    start, end = 0, len(word)
    while start < end and _is_punctuation(word[start]):
        start += 1
    while end > start and _is_punctuation(word[end - 1]):
        end -= 1
    return word[start:end]


def _is_punctuation(letter: str) -> bool:
    return unicodedata.category(letter)[0] == "P" or letter in "`~|<>"
