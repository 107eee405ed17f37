"""Opening a file of a store: the one place that calls SQLite's `connect`, and where a key is applied.

The store, a backup, a snapshot, a private copy, a file that salvage writes: all are opened by
`open_database`. A plain file costs nothing extra: only if SQLite does not recognise a database is its salt
read, and a key looked for. Encryption is by SQLCipher, page by page, including the log: AES-256-CBC with an
HMAC-SHA512 each (https://www.zetetic.net/sqlcipher/design/).
"""

from __future__ import annotations

from contextlib import closing, suppress
from pathlib import Path

import sqlcipher3.dbapi2 as sqlite

from memcli.messages import Command, message
from memcli.system.places import guard_copies

# Ten vectors of 384 float32 fill such a page; with 4 KiB pages a quarter of each would stay empty and a
# scan would take half as long again.
PAGE_SIZE = 16 * 1024
# The salt is in the clear at the head of an encrypted file; the copies of a store share it.
SALT_SIZE = 16

# How long (seconds) other processes are waited for by default.
_PATIENCE = 15.0

# The raw keys (32 bytes) that this process knows, by salt: asked for once, derived once.
_known: dict[bytes, bytes] = {}


def open_database(
    path: Path, *, timeout: float = _PATIENCE, like: Path | None = None, named: Path | None = None
) -> sqlite.Connection:
    """Return a connection to the SQLite file at `path`, in autocommit mode, its key applied.

    Its first page has been read. A missing or empty file begins plain; with `like` it is encrypted like
    that one. `timeout` is how long (seconds) other processes are waited for; `named` is the owner's name
    for the file, if this is a copy. Raises what SQLite raises (see `errors.explained_errors`); WrongKey and
    NoKey if an encrypted file stays closed.
    """
    if like is not None and (bears := salt_of(like)):
        return _checked(_keyed(path, _known.get(bears) or _unlock(like, bears), bears, timeout))
    # Twice: if the file was just replaced, the one that was opened holds random bytes (see `conversion`).
    # And each time with a new connection: one on which a wrong key was tried cannot write afterwards.
    salt = b""
    for _ in range(2):
        connection = _plain(path, timeout)
        if _is_readable(connection):
            return connection
        salt = _salt(connection)
    key = _known.get(salt)
    if key is None or not is_opened_by(path, key, salt):
        key = _known[salt] = _unlock(path, salt, named)
    return _checked(_keyed(path, key, salt, timeout))


def create_database(path: Path, key: bytes, salt: bytes) -> sqlite.Connection:
    """Return a connection to a new file encrypted with this key, under this salt, from its first page on."""
    return _keyed(path, key, salt, _PATIENCE)


def open_in_memory(path: Path) -> sqlite.Connection:
    """Return a connection to a copy in memory of the file at `path`, without its log.

    Read without locks and without anything beside it; an encrypted one is plain in memory. Raises what
    SQLite raises; WrongKey and NoKey if it stays closed.
    """
    address = f"{path.as_uri()}?immutable=1"
    source = sqlite.connect(address, uri=True, isolation_level=None)
    if not _is_readable(source):
        salt = _salt(source)
        key = _known.get(salt) or _unlock(path, salt)
        return _decrypted_in_memory(address, key_literal(key, salt))
    copy = sqlite.connect(":memory:", isolation_level=None)
    try:
        [(size,)] = source.execute("PRAGMA page_size")
        copy.execute(f"PRAGMA page_size = {size}")
        source.backup(copy)
    except BaseException:
        copy.close()
        raise
    finally:
        source.close()
    return copy


def _decrypted_in_memory(address: str, literal: str) -> sqlite.Connection:
    # SQLite's backup API does not decrypt pages.
    copy = sqlite.connect("file::memory:", uri=True, isolation_level=None)
    try:
        copy.execute(f"PRAGMA page_size = {PAGE_SIZE}")
        copy.execute(f"PRAGMA cipher_default_page_size = {PAGE_SIZE}")
        copy.execute("ATTACH ? AS source KEY ?", (address, literal))
        copy.execute("SELECT sqlcipher_export('main', 'source')")
        for pragma in ("user_version", "application_id"):
            [(number,)] = copy.execute(f"PRAGMA source.{pragma}")
            copy.execute(f"PRAGMA {pragma} = {number}")
        copy.execute("DETACH source")
    except BaseException:
        copy.close()
        raise
    return copy


def salt_of(path: Path) -> bytes | None:
    """Return the salt at the head of an encrypted file; None for a plain, empty or missing one.

    Read through SQLite: closing a descriptor of our own would release every lock that this process holds on
    the file (https://www.sqlite.org/howtocorrupt.html, 2.2).
    """
    if not path.exists() or not path.stat().st_size:
        return None
    # Immutable: without locks, log and shared memory, so that neither a writer nor a full disk is in the way.
    connection = sqlite.connect(f"{path.absolute().as_uri()}?immutable=1", uri=True, isolation_level=None)
    try:
        is_plain = _is_readable(connection)
    except sqlite.DatabaseError as error:
        # Corrupt, but with a database header: while a checkpoint is under way (or was stopped by a full disk)
        # the file is shorter than its first page says; the write-ahead log has the rest.
        if getattr(error, "sqlite_errorcode", 0) & 0xFF != sqlite.SQLITE_CORRUPT:
            raise
        is_plain = True
    if is_plain:
        connection.close()
        return None
    return _salt(connection)


def learn_key(salt: bytes, key: bytes) -> None:
    """From now on, in this process, open files with this salt by this key (32 bytes)."""
    _known[salt] = key


def known_key(salt: bytes) -> bytes | None:
    """Return the key for this salt, if this process knows it."""
    return _known.get(salt)


def key_literal(key: bytes, salt: bytes) -> str:
    """Return key and salt in SQLCipher's raw form: no derivation, so nothing slow in a call."""
    return f"x'{key.hex()}{salt.hex()}'"


def _plain(path: Path, timeout: float) -> sqlite.Connection:
    return sqlite.connect(str(path), timeout=timeout, isolation_level=None)


def _keyed(path: Path, key: bytes, salt: bytes, timeout: float) -> sqlite.Connection:
    guard_copies(salt)
    connection = _plain(path, timeout)
    _apply(connection, key_literal(key, salt))
    connection.execute("PRAGMA temp_store = MEMORY")
    return connection


def _apply(connection: sqlite.Connection, literal: str) -> None:
    connection.execute("PRAGMA cipher_log_level = NONE")  # it would write to stderr
    # Process-wide, for files that inherit the key of another: VACUUM INTO, ATTACH.
    connection.execute(f"PRAGMA cipher_default_page_size = {PAGE_SIZE}")
    connection.execute(f'PRAGMA key = "{literal}"')


def _unlock(path: Path, salt: bytes, named: Path | None = None) -> bytes:
    """Return the key that opens the encrypted file at `path`, from wherever keys are kept."""
    from memcli.errors import StoreDamaged, WrongKey
    from memcli.keys.sources import find_key

    tried: list[bytes] = []

    def opens(key: bytes) -> bool:
        tried.append(key)
        return is_opened_by(path, key, salt)

    try:
        return find_key(path, salt, opens, named or path)
    except WrongKey as error:
        if copy := _copy_opened(path, tried, salt):
            raise StoreDamaged(
                f"{named or path}: the first page of the file is damaged: the key is right, for it "
                f"opens {copy.name} beside it",
                left="nothing was touched",
                by_hand=message(
                    "go back to a backup: ", Command("backup list"), ", ", Command("backup restore")
                ),
            ) from error
        raise


def _copy_opened(path: Path, keys: list[bytes], salt: bytes) -> Path | None:
    """Return a copy beside the file that one of the keys opens under the file's own salt.

    No two keys share a salt, so that proves a key right.
    """
    from memcli.storage.known_copies import Records
    from memcli.storage.sqlite.file.copies import find_copies

    for copy in find_copies(path, Records({}, ())) if keys else ():
        with suppress(sqlite.Error, OSError):
            opened = (is_opened_by(copy.path, key, salt) for key in keys)
            if copy.path.is_file() and salt_of(copy.path) == salt and any(opened):
                return copy.path
    return None


def is_opened_by(path: Path, key: bytes, salt: bytes) -> bool:
    """True if this key opens the encrypted file at `path`, with this salt. Raises SQLite's errors."""
    with closing(_keyed(path, key, salt, _PATIENCE)) as connection:
        return _is_readable(connection)


def _checked(connection: sqlite.Connection) -> sqlite.Connection:
    """Return the connection after reading its first page; close it if that fails."""
    try:
        connection.execute("PRAGMA user_version").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection


def _is_readable(connection: sqlite.Connection) -> bool:
    """True if it is a database, with this key; closed on any other error."""
    try:
        connection.execute("PRAGMA user_version").fetchone()
    except sqlite.DatabaseError as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite.SQLITE_NOTADB:
            return False
        connection.close()
        raise
    return True


def _salt(connection: sqlite.Connection) -> bytes:
    """Return the bytes at the place of the salt; closes the connection.

    With any key at all, SQLCipher reads it.
    """
    try:
        _apply(connection, f"x'{bytes(32).hex()}'")
        _is_readable(connection)
        return bytes.fromhex(connection.execute("PRAGMA cipher_salt").fetchone()[0])
    finally:
        connection.close()
