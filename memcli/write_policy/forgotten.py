"""Knowing a text again that was forgotten for good, without knowing what it said.

Kept is a keyed hash (HMAC-SHA256, RFC 2104) of the normalised text. The key
belongs to the store, so hashes of two stores cannot be compared.
"""

from __future__ import annotations

import hmac
import unicodedata


def digest(key: bytes, text: str) -> str:
    """The keyed hash of a text, the same for what differs only in case, spaces or punctuation at its ends."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    plain = " ".join(folded.split()).strip(" .!?,;:'\"")
    return hmac.new(key, plain.encode("utf-8"), "sha256").hexdigest()
