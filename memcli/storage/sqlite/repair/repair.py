"""Repair of a damaged store: in place what can be proven or derived, else by salvage into a new file.

The damaged file is never destroyed: before its first row is changed it is set aside, byte for byte, as a
copy of the store (`CopyKind.DAMAGED`).
"""

from __future__ import annotations

import re
from contextlib import closing
from datetime import datetime
from pathlib import Path

from memcli.errors import NewerStore, NoKey, StoreBusy, StoreCut, StoreDamaged, StoreUnusable, WrongKey
from memcli.messages import Command, message
from memcli.storage.digests import VECTOR, printed
from memcli.storage.reports import Finding, Repair
from memcli.storage.sqlite.checks.check import check_content
from memcli.storage.sqlite.checks.derived import FOREIGN, foreign_triggers
from memcli.storage.sqlite.file.copies import making_copy
from memcli.storage.sqlite.file.damage import clear_flag, flag
from memcli.storage.sqlite.file.errors import explained_errors
from memcli.storage.sqlite.file.opening import open_database
from memcli.storage.sqlite.repair.new_file import keep_aside, salvage_into_new_file
from memcli.storage.sqlite.repair.row_mender import RowMender
from memcli.storage.sqlite.repair.salvage import check_not_newer
from memcli.storage.sqlite.repair.vanished import recover_vanished
from memcli.storage.sqlite.store import SqliteStore
from memcli.storage.sqlite.tables.digests import each_row
from memcli.storage.sqlite.tables.schema import APPLICATION_ID

# Messages of SQLite's check about indexes, which are rebuilt, and values, which are repaired separately.
_NO_STRUCTURE = re.compile(
    r"(?:row|rowid) .*(?:missing from|values differ from|not at end of) |wrong # of entries in index"
    r"|non-unique entry in index|malformed inverted index|CHECK constraint failed|NULL value in"
    r"|(?:TEXT|NUMERIC|REAL|INT) value in|unable to validate the inverted index"
)


def repair(path: Path, at: datetime, *, accept: bool, busy_timeout: float) -> Repair:
    """See `memcli.storage.stores.repair_store`."""
    aside = None
    try:
        found = _damage(path, busy_timeout)
        if not found:
            _clean_up(path, busy_timeout)
            clear_flag(path)
            return Repair()
        if all(map(_is_mended_in_place, found)):
            # While this process has the file closed: closing a descriptor would release SQLite's locks on it.
            _require_writable(path, busy_timeout)
            aside = keep_aside(path, at) if any(map(_loses_something, found)) else None
            done = _mend_in_place(path, at, accept, busy_timeout)
            left = _damage(path, busy_timeout)
            if not left:
                clear_flag(path)
            if all(each.name == "rows" for each in left):
                return done._replace(set_aside=aside)
    except StoreCut as error:
        if not error.salvageable:
            raise
    except NewerStore:
        # Checked before anything is copied or locked. If only the version number is newer, a bit has
        # flipped: salvage.
        with explained_errors(path), closing(open_database(path, timeout=busy_timeout)) as db:
            check_not_newer(db, path)
    except StoreDamaged:
        pass  # in place nothing more can be done
    return _salvaged(path, at, accept, busy_timeout)


def _opened(path: Path, busy_timeout: float) -> closing[SqliteStore]:
    """Open the store, even if it is flagged as damaged."""
    return closing(SqliteStore(path, create=False, busy_timeout=busy_timeout, force=True))


def _damage(path: Path, busy_timeout: float) -> list[Finding]:
    with (
        _opened(path, busy_timeout) as store,
        explained_errors(path),
    ):
        return [each for each in check_content(store.connection) if each.damage]


def _clean_up(path: Path, busy_timeout: float) -> None:
    """Remove an interrupted repair's leftovers, and restore the write-ahead log; nothing else."""
    with _opened(path, busy_timeout) as store:
        if not store.hindrance:
            with making_copy(path, patience=busy_timeout), store.writing():
                pass


def _require_writable(path: Path, busy_timeout: float) -> None:
    """Raise ReadOnlyStore if nothing can be repaired, before anything is set aside."""
    with _opened(path, busy_timeout) as store:
        if store.hindrance:
            raise store.hindrance


def _is_mended_in_place(finding: Finding) -> bool:
    if finding.name == "tables":
        return all(_NO_STRUCTURE.search(line) for line in finding.detail.split("; "))
    if finding.name == "schema":
        return not any(each.startswith(("table", "index", "view", "trigger")) for each in finding.rows)
    return True


def _loses_something(finding: Finding) -> bool:
    """True if repairing it in place removes something that the owner may want to look at."""
    return finding.name in ("rows", "references") or any(each.startswith(FOREIGN) for each in finding.rows)


def _mend_in_place(path: Path, at: datetime, accept: bool, busy_timeout: float) -> Repair:
    with (
        _opened(path, busy_timeout) as store,
        store.writing(),
        explained_errors(path),
        RowMender(store.connection, path, accept=accept) as mender,
    ):
        db = store.connection
        triggers = foreign_triggers(db)
        for name, _ in triggers:
            quoted = name.replace('"', '""')
            db.execute(f'DROP TRIGGER "{quoted}"')
        db.execute("REINDEX")
        mender.mend_all()
        recovered = recover_vanished(store, mender, at)
        for (number,), _, sound in list(each_row(db, VECTOR)):
            if not sound:
                db.execute("DELETE FROM vectors WHERE number = ?", (number,))
        db.execute("DELETE FROM vectors WHERE memory NOT IN (SELECT seq FROM memories)")
        db.execute("DELETE FROM wanting WHERE memory NOT IN (SELECT seq FROM memories)")
        db.execute(
            "UPDATE sqlite_sequence SET seq = (SELECT coalesce(max(number), 0) FROM history) "
            "WHERE name = 'history'"
        )
        db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        store.rebuild()
    removed = tuple(f"trigger {printed(name)} on {printed(table)}" for name, table in triggers)
    return mender.report()._replace(rebuilt=True, removed=removed, recovered=recovered)


def _salvaged(path: Path, at: datetime, accept: bool, busy_timeout: float) -> Repair:
    try:
        with explained_errors(path):
            done = salvage_into_new_file(path, at, accept=accept, busy_timeout=busy_timeout)
    except (StoreBusy, NewerStore, NoKey, WrongKey):
        raise
    except StoreUnusable as error:
        raise StoreUnusable(
            f"{path}: nothing can be salvaged ({error.what.removeprefix(f'{path}: ')})",
            left="nothing was changed",
            by_hand=message("go back to a backup: ", Command("backup list")),
        ) from error
    if done.doubtful:
        flag(path, [f"rows: {each}" for each in done.doubtful])
    else:
        clear_flag(path)
    return done
