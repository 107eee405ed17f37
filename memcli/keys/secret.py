"""Secrets, as a person or program keeps them, and the keys of files derived from them."""

from __future__ import annotations

import os
import re

from memcli.named_tuple import NamedTuple

# scrypt at what OWASP asks for (N = 2^17, r = 8, p = 1; Password Storage Cheat Sheet, 2024):
# 128 MiB and a third of a second. Never change them: another cost gives another key.
_COST, _BLOCK, _LANES = 2**17, 8, 1
KEY_SIZE = 32
_HEX_KEY = re.compile(rf"[0-9a-fA-F]{{{2 * KEY_SIZE}}}")


class Secret(NamedTuple):
    """A secret, and the name of its source for messages. The secret itself is never shown."""

    text: str
    source: str

    def __repr__(self) -> str:
        return f"Secret(from {self.source})"

    @property
    def is_key(self) -> bool:
        """True if it is the key itself, so that nothing has to be derived."""
        return _HEX_KEY.fullmatch(self.text) is not None

    def key(self, salt: bytes) -> bytes:
        """Return the key (32 bytes) for a file with this salt; from a passphrase in a third of a second.

        The passphrase is normalised to NFC, whichever way the keyboard composes accents.
        """
        if self.is_key:
            return bytes.fromhex(self.text)
        import hashlib
        import unicodedata

        passphrase = unicodedata.normalize("NFC", self.text).encode("utf-8", "surrogateescape")
        return hashlib.scrypt(
            passphrase, salt=salt, n=_COST, r=_BLOCK, p=_LANES, maxmem=2**28, dklen=KEY_SIZE
        )


def new_secret(source: str) -> Secret:
    """Return a new random key."""
    return Secret(os.urandom(KEY_SIZE).hex(), source)
