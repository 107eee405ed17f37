"""Knowing a text again that was forgotten for good, without knowing what it said.

Kept is a keyed hash (HMAC-SHA256, RFC 2104) of the normalised text. The key
belongs to the store, so hashes of two stores cannot be compared.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from datetime import datetime

from memcli.model import EVERYWHERE, new_state
from memcli.storage import Store, areas

# Among the hashes, each a key of its own, the name of the store's own key.
FORGOTTEN_KEY = "key"


def foreign_key_name(value: str) -> str:
    """Under which name the key of another store is kept, whose hashes came in with an import."""
    return f"{FORGOTTEN_KEY}-{keyed_hash(b'memcli', str(value))[:16]}"


def is_hash_key(name: str) -> bool:
    """Whether a state of this area is a key rather than a hash."""
    return name == FORGOTTEN_KEY or name.startswith(f"{FORGOTTEN_KEY}-")


def text_digest(key: bytes, text: str) -> str:
    """The keyed hash of a text, the same whatever its case, spaces and the punctuation around its words."""
    return keyed_hash(key, " ".join(plain_words(text)) or " ".join(_plain(text).split()))


def plain_words(text: str) -> list[str]:
    """The words of a text as they are compared: without case, and without punctuation around them."""
    return [word for part in _plain(text).split() if (word := _bare(part))]


def text_digests(key: bytes, text: str) -> tuple[str, str]:
    """The hashes by which a text is known again: `text_digest`, and the one that earlier versions made."""
    return text_digest(key, text), keyed_hash(key, " ".join(_plain(text).split()).strip(" .!?,;:'\""))


def find_hash_key(store: Store) -> str | None:
    """The store's own key for `text_digest`, in hexadecimal; None where nothing was forgotten yet."""
    states = store.states((EVERYWHERE,), areas.FORGOTTEN.name, FORGOTTEN_KEY)
    return next((state.value for state in states), None)


def hash_keys(store: Store) -> list[bytes]:
    """All keys by which something may have been hashed: the store's own, and those that imports brought."""
    states = store.states((EVERYWHERE,), areas.FORGOTTEN.name)
    # Its own may stand among those of others, too: it travels by the name that it has there.
    known = dict.fromkeys(state.value for state in states if is_hash_key(state.key))
    return [bytes.fromhex(each) for each in known]


def hash_key(store: Store, now: datetime) -> bytes:
    """The store's own hash key, made where there is none yet."""
    import secrets

    if known := find_hash_key(store):
        return bytes.fromhex(known)
    key = secrets.token_bytes(32)
    state = new_state(EVERYWHERE, areas.FORGOTTEN.name, FORGOTTEN_KEY, key.hex(), now)
    store.put_state(state, expected_version=0)
    return hash_key(store, now)


def share_hash_key(store: Store, now: datetime) -> None:
    """Have the store's own key, where it has one, stand beside those of others: so named it may travel."""
    if key := find_hash_key(store):
        state = new_state(EVERYWHERE, areas.FORGOTTEN.name, foreign_key_name(key), key, now)
        store.put_state(state, expected_version=0)


def remember_forgotten(store: Store, texts: Sequence[str], now: datetime) -> None:
    """Note by their hashes that these texts were forgotten for good."""
    key = hash_key(store, now)
    for text in texts:
        store.put_state(new_state(EVERYWHERE, areas.FORGOTTEN.name, text_digest(key, text), None, now))


def keyed_hash(key: bytes, plain: str) -> str:
    """The keyed hash of a text as it is given, in hexadecimal."""
    import hmac  # loads OpenSSL, and most stores have forgotten nothing for good

    return hmac.new(key, plain.encode("utf-8"), "sha256").hexdigest()


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _bare(word: str) -> str:
    """A word without the punctuation around it; inside they tell things apart (1.5 and 15)."""
    start, end = 0, len(word)
    while start < end and _is_punctuation(word[start]):
        start += 1
    while end > start and _is_punctuation(word[end - 1]):
        end -= 1
    return word[start:end]


def _is_punctuation(letter: str) -> bool:
    return unicodedata.category(letter)[0] == "P" or letter in "`~|<>"
