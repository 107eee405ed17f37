"""Stores and their copies by location: opened, restored, repaired. Backends are imported on demand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from memcli.config.location import Address, Location
from memcli.errors import NotFound, StoreUnusable
from memcli.messages import Command, message
from memcli.model import EVERYWHERE
from memcli.storage import Store, areas

if TYPE_CHECKING:
    from memcli.storage.known_copies import StoreCopy
    from memcli.storage.reports import Erasure, Repair, RestoredStore


def open_store(
    location: Location, *, create: bool = True, busy_timeout: float = 15.0, force: bool = False
) -> Store:
    """Open the store at `location`, a file or an address, creating or migrating it if needed.

    With `force` one that is flagged as damaged is written to all the same. Raises NotFound with
    `create=False` if there is none, else StoreUnusable. Backends are imported on demand.
    """
    store = _opened(location, create=create, busy_timeout=busy_timeout, force=force)
    # Only on a server: an incoming file has another name until it is complete.
    if isinstance(location, Address) and any(store.states((EVERYWHERE,), areas.INCOMING.name)):
        store.close()
        raise StoreUnusable(
            f"{location}: another store is being copied there",
            by_hand=message(Command("copy-store FROM TO"), " again goes on with it"),
        )
    return store


def _opened(location: Location, *, create: bool, busy_timeout: float, force: bool) -> Store:
    if isinstance(location, Address):
        _check_driver(location)
        from memcli.storage.postgres.store import PostgresStore

        return PostgresStore(location, create=create, busy_timeout=busy_timeout, force=force)
    from memcli.storage.sqlite.store import SqliteStore

    return SqliteStore(location, create=create, busy_timeout=busy_timeout, force=force)


def _check_driver(address: Address) -> None:
    from importlib.util import find_spec

    if find_spec("psycopg") is None:
        raise StoreUnusable(f"{address}: the driver is not installed: pip install 'memcli[postgres]'")


def open_to_copy(location: Location, busy_timeout: float) -> Store:
    """Open the store at `location` to read all of it, without changing it. Raises NotFound, StoreUnusable."""
    if isinstance(location, Address):
        return open_store(location, create=False, busy_timeout=busy_timeout)
    return open_copy(location, busy_timeout=busy_timeout)


def open_incoming(location: Location, busy_timeout: float) -> Store:
    """Open, or create, the store that another is copied into; until complete, `open_store` refuses it."""
    return _opened(location, create=True, busy_timeout=busy_timeout, force=False)


def drop_incoming(location: Location) -> None:
    """Remove an incoming copy that is not what it should be. Raises StoreUnusable."""
    if isinstance(location, Address):
        from memcli.storage.postgres.connection import drop_store

        drop_store(location)
        return
    from memcli.system.places import SIDE_FILES

    for tail in ("", *SIDE_FILES):
        location.with_name(location.name + tail).unlink(missing_ok=True)


def copies_beside(location: Path) -> list[StoreCopy]:
    """Return the copies beside a store, by path, whether it can be opened or not."""
    from memcli.storage.known_copies import Records
    from memcli.storage.sqlite.file.copies import find_copies

    return find_copies(location, Records({}, ()))


def drop_parts(store: Store) -> None:
    """Drop unfinished copies that lost their writer; nothing while a copy is being made."""
    from memcli.storage.errands import COPYING, only_one

    parts = [copy.path for copy in store.copies() if copy.is_part]
    if parts:
        with suppress(StoreUnusable), only_one(store, COPYING, wait=False) as alone:
            for path in parts if alone else ():
                store.drop_copy(path)


def holds_nothing(copy: Path) -> bool:
    """True if the file of a copy is empty, and no log beside it holds its content. Raises OSError."""
    from memcli.storage.sqlite.file import copies

    return copies.holds_nothing(copy)


def open_copy(path: Path, *, busy_timeout: float = 15.0) -> Store:
    """Open a copy of a store for reading, without changing it, even if its schema is older.

    Raises NotFound, StoreUnusable.
    """
    from memcli.storage.sqlite.store import SqliteStore

    return SqliteStore(path, busy_timeout=busy_timeout, is_copy=True)


def restore_store(
    location: Path,
    copy: Path,
    at: datetime,
    settle: Callable[[Store | None, Store], Erasure],
    *,
    busy_timeout: float = 15.0,
    force: bool = False,
) -> RestoredStore:
    """Replace the store at `location` by a copy; the store is kept beside it first.

    The copy is not changed. `settle` gets the current store (None if there is none that can be read) and
    the one that replaces it: it writes into the latter what has to stay of the former, and returns what has
    to be removed from it. Other processes see all of it at once. Killed at any instant, the store is either
    the old or the new one. Raises NotFound, StoreUnusable if the copy is no sound store, and nothing was
    changed; WrongKey if no key opens the store at `location`, which `force` sets aside.
    """
    from memcli.storage.sqlite.replacement.restoring import restore

    return restore(location, copy, at, settle, busy_timeout=busy_timeout, force=force)


def repair_store(location: Path, at: datetime, *, accept: bool = False, busy_timeout: float = 15.0) -> Repair:
    """Repair what of the store at `location` can be repaired, whether it can be opened or not.

    With `accept`, rows whose content nothing proves are accepted as they are, and unreadable ones are
    dropped. A damaged file is set aside before it is changed. Raises StoreUnusable if nothing can be
    salvaged; then nothing was changed.
    """
    from memcli.storage.sqlite.repair.repair import repair

    return repair(location, at, accept=accept, busy_timeout=busy_timeout)


def flag_store(location: Path, found: Iterable[str]) -> None:
    """Record durably that the store at `location`, which cannot even be opened, is damaged."""
    from memcli.storage.sqlite.file.damage import flag

    flag(location, found)


@contextmanager
def scratch_copy(location: Path, *, busy_timeout: float = 15.0) -> Iterator[Store]:
    """Yield a temporary copy of the store at `location`, which may be written to; the store is untouched.

    Raises NotFound if there is none, StoreUnusable.
    """
    import tempfile

    from memcli.storage.sqlite.file.reading_copy import private_copy, remove_copy

    if not location.exists():
        raise NotFound(f"{location}: no store there")
    copy = None
    try:
        copy = private_copy(location, busy_timeout, Path(tempfile.gettempdir()))
        store = open_store(copy, create=False, busy_timeout=busy_timeout)
        try:
            yield store
        finally:
            store.close()
    except StoreUnusable as error:
        if copy:
            error.rename(copy, location)
        # An error inside may be about another store.
        if str(location) in error.what or str(location) in error.about:
            error.name_store(location)
        raise
    finally:
        if copy:
            remove_copy(copy)
