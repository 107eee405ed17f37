"""Typed passphrases: the key from one is kept in a process that shows a full screen afterwards.

A screen opens its store again and again, and nobody could type a passphrase into it: the key of the first
one is kept in this process as long as the screen is open, and nothing more is asked.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from memcli.keys.secret import Secret

_kept: list[Secret] | None = None


@contextmanager
def kept_while_open() -> Iterator[None]:
    """Inside this context, keep the key of the first passphrase that opens a store, and ask for no other."""
    global _kept  # noqa: PLW0603 - one terminal a process
    _kept = []
    try:
        yield
    finally:
        _kept = None


def note_key(key: bytes) -> None:
    """Keep a key derived from a passphrase, inside `kept_while_open`; else do nothing."""
    if _kept is not None:
        _kept.append(Secret(key.hex(), "the passphrase"))


def kept_secrets() -> list[Secret]:
    """Return the secrets that are kept."""
    return list(_kept or ())
