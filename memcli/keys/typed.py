"""What was typed at the terminal for a store, kept by a process that shows a screen afterwards.

A screen opens its store again and again, and nobody could type a passphrase into it: the key that the
first one gave is kept in this process, for as long as the screen stands, and nothing is asked any more.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from memcli.keys.secret import Secret

_kept: list[Secret] | None = None


@contextmanager
def kept_while_open() -> Iterator[None]:
    """Inside, the first passphrase that opens a store is kept, and no other is asked for."""
    global _kept  # noqa: PLW0603 - one terminal a process
    _kept = []
    try:
        yield
    finally:
        _kept = None


def note_key(key: bytes) -> None:
    """Keep the key that was made of a passphrase, where one is kept at all."""
    if _kept is not None:
        _kept.append(Secret(key.hex(), "the passphrase"))


def kept_secrets() -> list[Secret]:
    """What is kept."""
    return list(_kept or ())
