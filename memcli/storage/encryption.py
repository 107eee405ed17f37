"""Encryption of a whole store: encrypt, decrypt or change the key, in place and with its copies."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from memcli.named_tuple import NamedTuple

if TYPE_CHECKING:
    from memcli.storage import Store

_SALT_SIZE = 16


class FileKey(NamedTuple):
    """The key of a file: 32 bytes, and the salt in its header (16 bytes). It is shown nowhere."""

    key: bytes
    salt: bytes

    def __repr__(self) -> str:
        return f"FileKey(salt={self.salt.hex()})"


class Converted(NamedTuple):
    """The copies of the store that were converted with it, and those that were not, with the reason."""

    copies: tuple[Path, ...]
    left: tuple[tuple[Path, str], ...]
    not_overwritten: tuple[tuple[Path, str], ...] = ()
    """Files whose former content may still be found, with the reason."""


def new_salt() -> bytes:
    """Return a new salt for a store that is to be encrypted."""
    return os.urandom(_SALT_SIZE)


def store_salt(location: Path) -> bytes | None:
    """Return the salt of an encrypted store; None for a plain or missing one. Raises StoreUnusable."""
    from memcli.storage.sqlite.file.errors import explained_errors
    from memcli.storage.sqlite.file.opening import salt_of

    with explained_errors(location):
        return salt_of(location)


def own_salt(store: Store) -> bytes | None:
    """Return the salt of an open store; None for a plain one, and on a server, whose operator encrypts."""
    return None if store.path is None else store_salt(store.path)


def store_key(location: Path, salt: bytes) -> bytes:
    """Return the key of the encrypted store at `location`. Raises NoKey, WrongKey, StoreUnusable."""
    from memcli.storage.sqlite.file.errors import explained_errors
    from memcli.storage.sqlite.file.opening import known_key, open_database

    with explained_errors(location):
        open_database(location).close()
    return known_key(salt) or b""


def convert_store(location: Path, target: FileKey | None, busy_timeout: float) -> Converted:
    """Encrypt the store at `location` with `target`, whatever it is now; None decrypts it.

    Atomic, whenever it is interrupted; processes that want the store meanwhile wait. Its copies are
    converted, too, and the old files' content is overwritten. Raises StoreBusy if another process keeps it
    open, StoreUnusable if there is no room: then it is as it was.
    """
    from memcli.storage.sqlite.replacement.conversion import convert_store

    return convert_store(location, target, busy_timeout)


def opens_with(location: Path, key: FileKey) -> bool:
    """True if this key opens the file with its salt; the key is then cached here. Raises StoreUnusable."""
    from memcli.storage.sqlite.file.errors import explained_errors
    from memcli.storage.sqlite.file.opening import is_opened_by, learn_key

    with explained_errors(location):
        is_opened = is_opened_by(location, key.key, key.salt)
    if is_opened:
        learn_key(key.salt, key.key)
    return is_opened
