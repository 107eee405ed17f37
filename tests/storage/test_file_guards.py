"""What is said of a file that SQLite refuses, what opening one changes, and what is read of a damaged one."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import sqlcipher3.dbapi2 as sqlite

from memcli.errors import (
    NotFound,
    ReadOnlyStore,
    StoreBusy,
    StoreDamaged,
    StoreFull,
    StoreUnusable,
    WrongKey,
)
from memcli.memories import Memories
from memcli.storage.sqlite.file import database_file, errors
from memcli.storage.sqlite.file.opening import (
    PAGE_SIZE,
    open_database,
)
from memcli.storage.sqlite.tables import migrations
from memcli.storage.sqlite.tables.schema import APPLICATION_ID, SCHEMA_VERSION
from memcli.storage.stores import open_store
from memcli.upkeep.copies.backups import make_backup
from tests.storage.conftest import refused

PATH = Path("/nowhere/m.db")


@pytest.mark.parametrize(
    ("code", "lack", "told", "words"),
    [
        (sqlite.SQLITE_BUSY, None, StoreBusy, "another process is writing"),
        (sqlite.SQLITE_LOCKED, "no room", StoreBusy, "another process is writing"),
        (sqlite.SQLITE_BUSY | 2 << 8, None, StoreBusy, "another process"),
        (sqlite.SQLITE_NOTADB, None, WrongKey, "is not a memcli store, or it is encrypted"),
        (sqlite.SQLITE_CORRUPT, None, StoreDamaged, "damaged .so it is.; half of it"),
        (sqlite.SQLITE_READONLY, None, ReadOnlyStore, "cannot be opened for writing"),
        (sqlite.SQLITE_CANTOPEN, None, ReadOnlyStore, "check the permissions"),
        (sqlite.SQLITE_READONLY, "no room", StoreFull, "no room; half of it. Make room"),
        (sqlite.SQLITE_FULL, None, StoreFull, "no space left on the device; half of it"),
        (sqlite.SQLITE_FULL, "quota", StoreFull, "quota"),
        (sqlite.SQLITE_IOERR, None, StoreUnusable, "SQLite refuses: so it is; run"),
        (sqlite.SQLITE_IOERR, "no room", StoreFull, "no room"),
        (sqlite.SQLITE_ERROR, "no room", StoreFull, "no room; half of it"),
        (sqlite.SQLITE_ERROR, None, StoreDamaged, "refuses: so it is; half of it. Run"),
        (0, "no room", StoreUnusable, "refuses: so it is; run"),
    ],
)
def test_what_sqlite_says_becomes_one_line_with_the_way_out(
    code: int, lack: str | None, told: type[StoreUnusable], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(errors, "_lack_of_room", lambda path, failed=False: lack)
    with (
        pytest.raises(StoreUnusable, match=words) as caught,
        errors.explained_errors(PATH, kept=lambda: "half of it"),
    ):
        raise refused(code)
    assert type(caught.value) is told and str(PATH) in str(caught.value)


def test_names_that_are_no_text_and_words_of_the_system_are_told_too() -> None:
    with pytest.raises(StoreDamaged, match="damaged"), errors.explained_errors(PATH):
        b"\xff".decode("utf-8")
    for error, words in (
        (OSError(errno.ENOENT, "gone", "/other"), "/other: cannot be used .gone."),
        (OSError("odd"), "/nowhere/m.db: cannot be used .odd."),
    ):
        with pytest.raises(StoreUnusable, match=words), errors.explained_os_errors(PATH):
            raise error


@pytest.mark.parametrize(
    ("made", "told", "words"),
    [("", NotFound, "no file there"), ("file", StoreDamaged, "is empty"), ("folder", NotFound, "no file")],
)
def test_what_is_no_copy_is_not_read_as_one(
    tmp_path: Path, made: str, told: type[Exception], words: str
) -> None:
    path = tmp_path / "copy.db"
    {"": lambda: None, "file": path.touch, "folder": path.mkdir}[made]()
    with pytest.raises(told, match=words):
        database_file.connect_for_reading(path, busy_timeout=1)


@pytest.mark.parametrize("version", [0, SCHEMA_VERSION])
def test_another_programs_database_is_neither_read_nor_written(tmp_path: Path, version: int) -> None:
    path = tmp_path / "theirs.db"
    with closing(open_database(path)) as db:
        db.execute("CREATE TABLE letters (text)")
        db.execute(f"PRAGMA user_version = {version}")
    before = path.read_bytes()
    with pytest.raises(StoreUnusable):
        database_file.connect_for_reading(path, busy_timeout=1).close()
    with pytest.raises(StoreUnusable):
        open_store(path).close()
    assert path.read_bytes() == before


def test_a_store_that_was_cut_is_no_new_one_beside_its_copy(memories: Memories) -> None:
    memories.remember("the owl hoots")
    path = Path(memories.store.location)
    make_backup(memories)
    memories.close()
    for left in (b"", b"S"):
        path.write_bytes(left)
        with pytest.raises(StoreUnusable):
            open_store(path).close()
        assert path.read_bytes() == left


def test_a_store_is_a_file_and_no_folder_and_no_device(tmp_path: Path) -> None:
    for path, what in ((tmp_path, "a folder"), (Path("/dev/null"), "not a regular file")):
        with pytest.raises(StoreUnusable, match=f"is {what}"):
            database_file.connect(path, create=True, busy_timeout=1)
    with pytest.raises(NotFound, match="no store there"):
        database_file.connect(tmp_path / "m.db", create=False, busy_timeout=1)


def test_a_copy_with_a_log_beside_it_is_read_aside_and_stays_as_it_is(kept: Path) -> None:
    kept.with_name(f"{kept.name}-wal").write_bytes(b"")
    before = {each.name: each.read_bytes() for each in kept.parent.iterdir() if each.is_file()}
    with closing(database_file.connect_for_reading(kept, busy_timeout=1)) as copy:
        assert copy.execute("SELECT count(*) FROM memories").fetchone() == (1,)
        assert copy.execute("PRAGMA database_list").fetchone()[2] != str(kept)
    assert {each.name: each.read_bytes() for each in kept.parent.iterdir() if each.is_file()} == before


@pytest.mark.parametrize("is_folder", [False, True])
def test_a_copy_that_may_not_be_written_or_whose_folder_may_not_is_read_aside(
    kept: Path, is_folder: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = kept.parent if is_folder else kept
    may = os.access
    monkeypatch.setattr(
        os, "access", lambda path, mode: not (Path(path) == closed and mode & os.W_OK) and may(path, mode)
    )
    with closing(database_file.connect_for_reading(kept, busy_timeout=1)) as copy:
        assert copy.execute("PRAGMA database_list").fetchone()[2] != str(kept)
        assert copy.execute("SELECT count(*) FROM memories").fetchone() == (1,)


def test_a_copy_is_opened_in_place_and_for_reading_alone(kept: Path) -> None:
    with closing(database_file.connect_for_reading(kept, busy_timeout=1)) as copy:
        assert copy.execute("PRAGMA database_list").fetchone()[2] == str(kept)
        with pytest.raises(sqlite.Error, match="readonly"):
            copy.execute("DELETE FROM memories")


def test_a_store_that_could_not_be_made_leaves_no_empty_file_but_nobody_elses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*given: Any, **options: Any) -> None:
        raise StoreFull("no room", "no room")

    monkeypatch.setattr(database_file, "_connect", fail)
    for beside, content, stays in ((False, b"", False), (True, b"", True), (False, b"theirs", True)):
        path = tmp_path / f"m{beside}{len(content)}.db"
        if content:
            path.write_bytes(content)
        if beside:
            path.with_name(f"{path.name}-journal").touch()
        with pytest.raises(StoreFull):
            database_file._make_store(path, path, 1)
        assert path.exists() is stays


def test_a_new_store_keeps_to_what_it_promises(tmp_path: Path) -> None:
    db, hindrance = database_file.connect(tmp_path / "m.db", create=True, busy_timeout=1)
    with closing(db):
        told = {
            name: db.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("foreign_keys", "secure_delete", "synchronous", "auto_vacuum", "page_size",
                         "journal_mode", "application_id", "user_version")
        }  # fmt: skip
    assert hindrance is None and told == {
        "foreign_keys": 1, "secure_delete": 1, "synchronous": 2, "auto_vacuum": 2, "page_size": PAGE_SIZE,
        "journal_mode": "wal", "application_id": APPLICATION_ID, "user_version": SCHEMA_VERSION,
    }  # fmt: skip
    assert stat.S_IMODE((tmp_path / "m.db").stat().st_mode) == 0o600


def test_a_migration_that_fails_leaves_no_half_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Failing:
        def apply(self, database: Any) -> None:
            database.conn.execute("CREATE TABLE half (x)")
            raise ValueError("no further")

    monkeypatch.setattr(migrations, "migrations", Failing)
    with closing(open_database(tmp_path / "m.db")) as db:
        with pytest.raises(ValueError, match="no further"):
            database_file._prepare(db, tmp_path / "m.db", 1, is_copy=False)
        assert not db.in_transaction
        assert db.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,)


def test_a_backup_that_does_not_pass_its_check_is_refused(
    kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Damaged:
        def execute(self, sql: str) -> Damaged:
            return self

        def fetchone(self) -> tuple[str]:
            return ("row 1\n missing",)

        def close(self) -> None:
            """Nothing to close."""

    with closing(open_database(kept)) as db:
        database_file.back_up(db, tmp_path / "sound.db")
        monkeypatch.setattr(database_file, "open_database", lambda path: Damaged())
        with pytest.raises(StoreDamaged, match="does not pass SQLite's check: row 1 missing"):
            database_file.back_up(db, tmp_path / "copy.db")


def test_who_wants_a_log_waits_for_neighbours_and_not_for_ever() -> None:
    class Busy:
        tried = 0

        def execute(self, sql: str) -> None:
            self.tried += 1
            if self.tried < 3:
                raise refused(sqlite.SQLITE_BUSY)

    database_file.use_wal(patient := Busy(), 5)
    assert patient.tried == 3
    hurried = Busy()
    hurried.tried = -(10**9)
    with pytest.raises(sqlite.OperationalError):
        database_file.use_wal(hurried, -1)
