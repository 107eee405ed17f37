"""From a secret (what a person or a program keeps) to the key of a file."""

from __future__ import annotations

import os
import re

from memcli.named_tuple import NamedTuple

# scrypt at what OWASP asks for (N = 2^17, r = 8, p = 1; Password Storage Cheat Sheet, 2024):
# 128 MiB and a third of a second. Another cost would be another key: they are not to be changed.
_COST, _BLOCK, _LANES = 2**17, 8, 1
KEY_SIZE = 32
_HEX_KEY = re.compile(rf"[0-9a-fA-F]{{{2 * KEY_SIZE}}}")


class Secret(NamedTuple):
    """What a source gave, and which source, for messages. It is shown nowhere."""

    text: str
    source: str

    def __repr__(self) -> str:
        return f"Secret(from {self.source})"

    @property
    def is_key(self) -> bool:
        """Whether it is the key itself, so that nothing has to be derived."""
        return _HEX_KEY.fullmatch(self.text) is not None

    def key(self, salt: bytes) -> bytes:
        """The key (32 bytes) for the file that bears this salt; of a passphrase it takes a third of a second.

        The passphrase is taken as NFC, whatever the keyboard made of its accents.
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
    """A new random key."""
    return Secret(os.urandom(KEY_SIZE).hex(), source)
