"""Encrypting a whole store, decrypting it, giving it another key: in place, its copies with it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from memcli.named_tuple import NamedTuple

if TYPE_CHECKING:
    from memcli.storage import Store

_SALT_SIZE = 16


class FileKey(NamedTuple):
    """What a file is encrypted by: 32 bytes, and the salt at its head (16). It is shown nowhere."""

    key: bytes
    salt: bytes

    def __repr__(self) -> str:
        return f"FileKey(salt={self.salt.hex()})"


class Converted(NamedTuple):
    """The copies of the store that were converted with it, and those that were not, with why."""

    copies: tuple[Path, ...]
    left: tuple[tuple[Path, str], ...]
    not_overwritten: tuple[tuple[Path, str], ...] = ()
    """Where what there was before may still be found, with why."""


def new_salt() -> bytes:
    """The salt of a store that is to be encrypted."""
    return os.urandom(_SALT_SIZE)


def store_salt(location: Path) -> bytes | None:
    """The salt of an encrypted store; None of a plain one, or where there is none. Raises StoreUnusable."""
    from memcli.storage.sqlite.file.errors import explained_errors
    from memcli.storage.sqlite.file.opening import salt_of

    with explained_errors(location):
        return salt_of(location)


def own_salt(store: Store) -> bytes | None:
    """The salt of an open store; None of a plain one, and of one on a server, whose operator encrypts."""
    return None if store.path is None else store_salt(store.path)


def store_key(location: Path, salt: bytes) -> bytes:
    """The key that opens the encrypted store at `location`. Raises NoKey, WrongKey, StoreUnusable."""
    from memcli.storage.sqlite.file.errors import explained_errors
    from memcli.storage.sqlite.file.opening import known_key, open_database

    with explained_errors(location):
        open_database(location).close()
    return known_key(salt) or b""


def convert_store(location: Path, target: FileKey | None, busy_timeout: float) -> Converted:
    """Encrypt the store at `location` by `target`, whatever it is now; None decrypts it.

    All or nothing, whenever it is cut off; who wants the store meanwhile waits. Its copies are
    converted, too, and what the old files held is overwritten. Raises StoreBusy where another
    process keeps it open, StoreUnusable where there is no room: then it is as it was.
    """
    from memcli.storage.sqlite.replacement.conversion import convert_store

    return convert_store(location, target, busy_timeout)


def opens_with(location: Path, key: FileKey) -> bool:
    """Whether this key opens what bears its salt; then it is known in this process. Raises StoreUnusable."""
    from memcli.storage.sqlite.file.errors import explained_errors
    from memcli.storage.sqlite.file.opening import is_opened_by, learn_key

    with explained_errors(location):
        is_opened = is_opened_by(location, key.key, key.salt)
    if is_opened:
        learn_key(key.salt, key.key)
    return is_opened
