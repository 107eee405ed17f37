"""Opening a file of a store: the one place that calls SQLite's `connect`, and where a key is applied.

The store, a backup, a snapshot, a private copy, a file that salvage writes: all come
through `open_database`. A plain file costs nothing more than it did: only what SQLite
does not know for a database is asked for its salt, and a key looked for. What is
encrypted is so by SQLCipher, page by page, the log too: AES-256-CBC with an HMAC-SHA512
each (https://www.zetetic.net/sqlcipher/design/).
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import sqlcipher3.dbapi2 as sqlite

from memcli.system.places import guard_copies

# Ten vectors of 384 float32 fill such a page; with 4 KiB pages a quarter of each
# would stand empty and a scan would take half as long again.
PAGE_SIZE = 16 * 1024
# At the head of an encrypted file, in the clear; the copies of a store share it with the store.
SALT_SIZE = 16

# By salt, the raw keys (32 bytes) that this process knows: asked for once, derived once.
_known: dict[bytes, bytes] = {}


def open_database(path: Path, *, timeout: float = 15.0, like: Path | None = None) -> sqlite.Connection:
    """A connection to the SQLite file at `path`, in autocommit mode, its key applied and its first page read.

    A file that is not there, or empty, begins plain; with `like` it is encrypted as that one
    is, if it is. `timeout` is how long (seconds) others are waited for. Raises what SQLite
    raises (see `file.explained_errors`); WrongKey and NoKey where an encrypted file stays closed.
    """
    connection = sqlite.connect(str(path), timeout=timeout, isolation_level=None)
    try:
        if like is not None and (salt := salt_of(like)):
            _apply(connection, _known.get(salt) or _unlock(connection, like, salt), salt)
        _read_first_page(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def create_database(path: Path, key: bytes, salt: bytes) -> sqlite.Connection:
    """A connection to a new file that is encrypted by this key, under this salt, from its first page on."""
    connection = sqlite.connect(str(path), isolation_level=None)
    _apply(connection, key, salt)
    return connection


def salt_of(path: Path) -> bytes | None:
    """The salt at the head of an encrypted file; None for a plain or an empty one, or none at all.

    Read through SQLite: a descriptor of our own would, on closing, let go of every lock
    that this process holds on the file (https://www.sqlite.org/howtocorrupt.html, 2.2).
    """
    if not path.exists() or not path.stat().st_size:
        return None
    connection = sqlite.connect(str(path), isolation_level=None)
    try:
        return None if _is_readable(connection) else _salt(connection)
    finally:
        connection.close()


def learn_key(salt: bytes, key: bytes) -> None:
    """From now on, in this process, what bears this salt opens by this key (32 bytes)."""
    _known[salt] = key


def key_literal(key: bytes, salt: bytes) -> str:
    """Key and salt as SQLCipher takes them raw: no derivation, so nothing slow in a call."""
    return f"x'{key.hex()}{salt.hex()}'"


def _read_first_page(connection: sqlite.Connection, path: Path) -> None:
    if _is_readable(connection):
        return
    salt = _salt(connection)
    if salt in _known:
        _apply(connection, _known[salt], salt)
        if _is_readable(connection):
            return
    _known[salt] = _unlock(connection, path, salt)


def _unlock(connection: sqlite.Connection, path: Path, salt: bytes) -> bytes:
    """The key that opens the encrypted file at `path`, from wherever keys are kept."""
    from memcli.keys.sources import find_key

    def opens(key: bytes) -> bool:
        _apply(connection, key, salt)
        return _is_readable(connection)

    return find_key(path, salt, opens)


def _apply(connection: sqlite.Connection, key: bytes, salt: bytes) -> None:
    guard_copies(salt)
    connection.execute("PRAGMA cipher_log_level = NONE")  # it would go to stderr
    # Of this process, for every file that takes its key from another: VACUUM INTO, ATTACH.
    connection.execute(f"PRAGMA cipher_default_page_size = {PAGE_SIZE}")
    connection.execute(f'PRAGMA key = "{key_literal(key, salt)}"')
    connection.execute("PRAGMA temp_store = MEMORY")


def _is_readable(connection: sqlite.Connection) -> bool:
    try:
        connection.execute("PRAGMA user_version").fetchone()
    except sqlite.DatabaseError as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite.SQLITE_NOTADB:
            return False
        raise
    return True


def _salt(connection: sqlite.Connection) -> bytes:
    """What stands where an encrypted file has its salt: with any key at all SQLCipher reads it."""
    _apply_none(connection)
    with suppress(sqlite.Error):
        connection.execute("PRAGMA user_version")
    return bytes.fromhex(connection.execute("PRAGMA cipher_salt").fetchone()[0])


def _apply_none(connection: sqlite.Connection) -> None:
    connection.execute("PRAGMA cipher_log_level = NONE")
    connection.execute(f"PRAGMA cipher_default_page_size = {PAGE_SIZE}")
    connection.execute(f"PRAGMA key = \"x'{bytes(32).hex()}'\"")
