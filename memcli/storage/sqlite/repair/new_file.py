"""New file in place of a damaged one: what can be read of the latter is copied into it, row by row."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import sqlcipher3.dbapi2 as sqlite

from memcli.errors import NewerStore, StoreDamaged
from memcli.messages import Command, message
from memcli.model import Filter
from memcli.storage import digests
from memcli.storage.digests import Digest, digest_of
from memcli.storage.reports import Repair
from memcli.storage.rows import UNREADABLE, is_readable
from memcli.storage.sqlite.file.alone import being_alone
from memcli.storage.sqlite.file.conversion_lock import sync_whole, take_place
from memcli.storage.sqlite.file.copies import making_copy, real_file, repair_prefix
from memcli.storage.sqlite.file.database_file import make_like
from memcli.storage.sqlite.file.errors import explained_os_errors
from memcli.storage.sqlite.file.setting_aside import copy_bytes, set_aside
from memcli.storage.sqlite.repair import salvage
from memcli.storage.sqlite.repair.disk_errors import passing_damage
from memcli.storage.sqlite.repair.row_mender import RowMender
from memcli.storage.sqlite.store import SqliteStore

_ALL = Filter(spaces=None, live=False)


def salvage_into_new_file(path: Path, at: datetime, *, accept: bool, busy_timeout: float) -> Repair:
    """Salvage what can be read of the store at `path` into a new file, which then has its name.

    Raises what SQLite raises, StoreUnusable, also if nothing is left to salvage, and NewerStore for one
    that is just newer.
    """
    path = real_file(path)
    with (
        explained_os_errors(path),
        making_copy(path, patience=busy_timeout),
        being_alone(path, busy_timeout) as gate,
        _folder(path) as folder,
    ):
        damaged, new = folder / "damaged.db", folder / "new.db"
        copy_bytes(path, damaged)
        try:
            opened = salvage.open_damaged(damaged)
        except NewerStore as error:
            error.rename(damaged, path)
            raise
        with closing(opened) as db:
            make_like(new, damaged, busy_timeout)
            with (
                closing(SqliteStore(new, busy_timeout=busy_timeout)) as store,
                RowMender(db, path, accept=accept) as mender,
            ):
                with store.writing():
                    recovered = _fill(store, db, mender, at)
                    if not (store.count(_ALL) or any(store.links()) or any(store.states())):
                        raise StoreDamaged(
                            f"{path}: nothing of it can be salvaged",
                            left="nothing was changed",
                            by_hand=message("go back to a backup: ", Command("backup list")),
                        )
                    store.rebuild()
                done = mender.report()
        sync_whole(new)
        aside = set_aside(path, at)
        take_place(gate, new, path)
    return done._replace(recovered=recovered, rebuilt=True, salvaged=True, set_aside=aside)


def keep_aside(path: Path, at: datetime) -> Path:
    """Keep a copy of a damaged file and its log, byte for byte; this process must not have it open."""
    with explained_os_errors(path), making_copy(path, patience=15.0):
        return set_aside(real_file(path), at)


@contextmanager
def _folder(path: Path) -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix=repair_prefix(path), dir=path.parent))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _fill(store: SqliteStore, db: sqlite.Connection, mender: RowMender, at: datetime) -> tuple[str, ...]:
    """Write what can be read into the new store; return which memories came from their history only."""
    broken: set[str] = set()
    seqs: set[Any] = set()
    for digest, columns in _TABLES.items():
        for values in salvage.readable_rows(db, digest, columns, broken):
            row = dict(zip((*digest.key, *columns), values, strict=True))
            # A row from a zeroed page.
            if not any(row[name] for name in columns):
                continue
            kept = _kept(digest, row, mender)
            if kept is None:
                continue
            if digest is digests.VECTOR and kept["memory"] not in seqs:
                continue
            names = list(kept)
            marks = ", ".join("?" * len(names))
            sql = f"INSERT OR IGNORE INTO {digest.table} ({', '.join(names)}) VALUES ({marks})"
            store.connection.execute(sql, list(kept.values()))
            if digest is digests.MEMORY:
                seqs.add(kept["seq"])
    _list_wanting(store.connection, db)
    for table in sorted(broken - {"vectors", "models"}):
        mender.lost[f"some of {table}, it is not known which"] = None
    return _recover(store, db, mender, at, broken="memories" in broken)


def _kept(digest: Digest, row: dict[str, Any], mender: RowMender) -> dict[str, Any] | None:
    """Return a row for the new file; None if it is not kept."""
    for each in (digest, *([digests.USE] if digest is digests.MEMORY else ())):
        if row[each.column] == digest_of(each, row):
            continue
        if digest is digests.VECTOR:
            return None  # made anew
        mended = mender.mend(each, row)
        if mended is None or not is_readable(digest.table, mended):
            if mended is not None:
                mender.give_up(each, row)
            return None
        row = mended
    return row


_TABLES: dict[Digest, tuple[str, ...]] = {
    each: (*dict.fromkeys((*each.covers, each.column, *extra)),)
    for each, extra in (
        (digests.MODEL, ()),
        (digests.MEMORY, (*digests.USE.covers, digests.USE.column)),
        (digests.LINK, ()),
        (digests.STATE, ()),
        (digests.HISTORY, ()),
        (digests.VECTOR, ()),
    )
}


def _list_wanting(new: sqlite.Connection, db: sqlite.Connection) -> None:
    """List memories with a beginning's vectors only as wanting; `rebuild` lists those without any."""
    begun: list[Any] = []
    with passing_damage():
        begun = db.execute("SELECT memory FROM wanting").fetchall()
    new.execute("DELETE FROM wanting")
    for (seq,) in begun:
        if isinstance(seq, int):
            sql = "INSERT OR IGNORE INTO wanting (memory) SELECT seq FROM memories WHERE seq = ?"
            new.execute(sql, (seq,))


def _recover(
    store: SqliteStore, db: sqlite.Connection, mender: RowMender, at: datetime, *, broken: bool
) -> tuple[str, ...]:
    """Restore memories that are gone except for their history; list those of which nothing is known."""
    here = {row[0] for row in store.connection.execute("SELECT id FROM memories")}
    known = salvage.known_ids(db)
    if broken:
        sql = "SELECT DISTINCT memory FROM history WHERE before IS NULL AND instr(after, '\"text\"')"
        known |= {row[0] for row in store.connection.execute(sql)}
    recovered = []
    with RowMender(store.connection, store.path, accept=False) as historian:
        for memory_id in sorted(known - here):
            try:
                memory = historian.remembered(memory_id)
            except UNREADABLE:
                memory = None
            name = f"memory {memory_id}"
            if memory is None:
                mender.lost[name] = None
                continue
            store.put([memory], None, at)
            mender.lost.pop(name, None)
            recovered.append(name)
    return tuple(recovered)
