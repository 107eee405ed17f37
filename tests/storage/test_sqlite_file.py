"""The file: private, refused where it is not ours, backed up before it changes."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import sys
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
import sqlcipher3.dbapi2 as sqlite
from sqlite_utils import Database

from memcli.errors import NewerStore, NotFound, StoreDamaged, StoreFull, StoreUnusable, WrongKey
from memcli.memories import Memories
from memcli.model import Filter
from memcli.storage.sqlite.file import database_file as sqlite_file
from memcli.storage.sqlite.file import errors, opening
from memcli.storage.sqlite.tables.migrations import migrations
from memcli.storage.sqlite.tables.schema import SCHEMA_VERSION
from memcli.storage.stores import open_copy, open_store
from memcli.write_policy.drafts import Draft
from tests.storage import older

posix = pytest.mark.skipif(sys.platform == "win32", reason="modes are POSIX")


@posix
@pytest.mark.parametrize("asked", [0, 0o777])
def test_the_file_and_its_log_are_the_owners_alone(tmp_path: Path, asked: int) -> None:
    """Whatever the umask gives others, or takes from the owner."""
    umask = os.umask(asked)
    try:
        store = open_store(tmp_path / "new" / "m.db")
    finally:
        os.umask(umask)
    with store.writing():
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "new").iterdir()}
    store.close()
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o700
    assert set(modes) >= {"m.db", "m.db-wal"}
    assert set(modes.values()) == {0o600}


def test_no_store_is_made_unless_asked(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="m.db"):
        open_store(tmp_path / "m.db", create=False)
    assert not list(tmp_path.iterdir())


def test_what_is_no_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    path.write_bytes(b"these are my notes, not a database" * 99)
    before = path.read_bytes()
    with pytest.raises(WrongKey, match="m.db"):
        open_store(path)
    assert path.read_bytes() == before


def test_another_programs_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE photos (id)")
    other.close()
    before = path.read_bytes()
    with pytest.raises(StoreDamaged, match="not a memcli store"):
        open_store(path)
    assert path.read_bytes() == before


def test_another_programs_database_is_no_copy_of_a_store(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE photos (id)")
    with pytest.raises(StoreDamaged, match="not a memcli store"):
        open_copy(path)


def test_nothing_writes_to_a_copy_that_is_opened_to_be_read(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with closing(open_store(path)) as store:
        copy = store.back_up(datetime(2026, 5, 3, tzinfo=UTC))
    with closing(open_copy(copy)) as opened, pytest.raises(sqlite.OperationalError, match="readonly"):
        opened.connection.execute("DELETE FROM memories")  # type: ignore[attr-defined]


def test_a_store_is_written_anew_only_where_there_is_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Trying would take long, and fill the disk of everybody else."""
    path = tmp_path / "m.db"
    room = shutil.disk_usage(tmp_path)._replace(free=1000)
    with closing(open_store(path)) as store:
        monkeypatch.setattr(shutil, "disk_usage", lambda folder: room)
        with pytest.raises(StoreFull, match="make room"):
            store.scrub(thoroughly=True)


def test_a_newer_store_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    open_store(path).close()
    with sqlite3.connect(path) as other:
        other.execute("PRAGMA user_version = 9999")
    other.close()
    before = path.read_bytes()
    with pytest.raises(NewerStore, match="9999"):
        open_store(path)
    assert path.read_bytes() == before


def test_a_damaged_file_is_reported(memories: Memories, own_home: Path) -> None:
    for n in range(300):
        memories.remember(f"fact number {n} about the world")
    memories.close()
    path = own_home / "memory.db"
    data = bytearray(path.read_bytes())
    for start in range(opening.PAGE_SIZE, len(data), opening.PAGE_SIZE):
        data[start : start + 4000] = b"\xde\xad\xbe\xef" * 1000
    path.write_bytes(data)
    with pytest.raises(StoreUnusable, match=r"memory\.db"):
        list(open_store(path).select(Filter()))


@pytest.mark.parametrize(
    "query", ["SELECT * FROM locked_full_readonly_rows", "SELECT json_extract('{', '$.malformed')"]
)
def test_an_error_is_told_by_its_code_whatever_its_words(tmp_path: Path, query: str) -> None:
    connection = sqlite.connect(":memory:")
    with pytest.raises(StoreUnusable, match="SQLite refuses") as told, errors.explained_errors(tmp_path):
        connection.execute(query).fetchall()
    assert type(told.value) is StoreDamaged
    connection.close()


def test_python_and_datasette_can_read_every_table(memories: Memories, own_home: Path) -> None:
    """No table needs an extension: what opens an SQLite file opens a store."""
    memories.remember(Draft(text="a readable fact", kind="fact"))
    memories.close()
    plain = sqlite3.connect(own_home / "memory.db")
    names = [
        row[0] for row in plain.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")
    ]
    for name in names:
        plain.execute(f"SELECT * FROM {name} LIMIT 1").fetchall()
    assert plain.execute("SELECT text FROM facts").fetchall() == [("a readable fact",)]
    plain.close()


# Migrations. `older.at(n)` makes a store as the first n migrations leave it; each later
# migration gets a case here that fills such a store with data first.


def test_links_of_an_older_store_are_found_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "m.db"
    older.at(path, 1, monkeypatch)
    former = sqlite3.connect(path)
    for link_id, subject in (("1", "Ann"), ("2", "ann")):
        values = (
            link_id,
            "s",
            subject,
            "is",
            "ANN",
            None,
            1.0,
            None,
            None,
            "2026-01-01T00:00:00.000Z",
            None,
            "{}",
        )
        former.execute(f"INSERT INTO links VALUES ({', '.join('?' * 12)})", values)
    former.commit()
    former.close()
    store = open_store(path)
    assert [link.id for link in store.links(("s",), touching=["aNN"])] == ["1", "2"]
    store.close()


def test_a_new_store_has_every_index_that_its_questions_rest_on(tmp_path: Path) -> None:
    wanted = {
        "clocks_by_revision": ("clocks", "revision"), "history_by_change": ("history", "change"),
        "history_by_memory": ("history", "memory"), "link_names_by_link": ("link_names", "link"),
        "memories_by_expiry": ("memories", "expires_at"), "memories_by_session": ("memories", "session"),
        "memories_by_replaced_by": ("memories", "replaced_by"),
        "memories_by_space": ("memories", "space, ended_at, kind, expires_at, valid_until"),
        "memories_by_supersedes": ("memories", "supersedes"), "vectors_by_memory": ("vectors", "memory"),
        "memory_tags_by_memory": ("memory_tags", "memory"),
    }  # fmt: skip
    path = tmp_path / "m.db"
    open_store(path).close()
    with closing(opening.open_database(path)) as db:
        sql = "SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
        found = {name: (table, said) for name, table, said in db.execute(sql)}
    assert {*wanted} <= {*found}
    for name, (table, columns) in wanted.items():
        assert found[name][0] == table and columns in found[name][1], found[name]
    # Of what most memories have not, only those stand in it that have it.
    for name in ("memories_by_expiry", "memories_by_session", "memories_by_supersedes",
                 "memories_by_replaced_by", "history_by_change"):  # fmt: skip
        column = wanted[name][1]
        assert f"WHERE {column} IS NOT NULL" in found[name][1], found[name]


def test_every_migration_is_numbered_and_counted() -> None:
    names = [migration.name for migration in migrations()._migrations]
    assert [int(name[1:4]) for name in names] == list(range(1, SCHEMA_VERSION + 1))


def test_a_failing_migration_leaves_the_store_as_it_was_and_a_backup(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "m.db"
    older.at(path, SCHEMA_VERSION, monkeypatch)
    newer = migrations()

    @newer()
    def m999_half(db: Database) -> None:
        db.execute("CREATE TABLE half (id)")
        raise RuntimeError("power cut")

    with monkeypatch.context() as patch:
        patch.setattr("memcli.storage.sqlite.tables.migrations.migrations", lambda: newer)
        patch.setattr(sqlite_file, "SCHEMA_VERSION", SCHEMA_VERSION + 1)
        with pytest.raises(RuntimeError):
            open_store(path)
    after = sqlite3.connect(path)
    assert after.execute("SELECT count(*) FROM sqlite_master WHERE name = 'half'").fetchone() == (0,)
    after.close()
    open_store(path).close()
    [backup] = tmp_path.glob("m.db.before-schema-*")
    assert sqlite3.connect(backup).execute("SELECT count(*) FROM memories").fetchone() == (0,)
    if sys.platform != "win32":
        assert stat.S_IMODE(backup.stat().st_mode) == 0o600


def test_every_connection_is_set_to_overwrite_what_it_deletes(memories: Memories, own_home: Path) -> None:
    connection, hindrance = sqlite_file.connect(own_home / "memory.db", create=True, busy_timeout=1)
    assert hindrance is None
    assert connection.execute("PRAGMA secure_delete").fetchone() == (1,)
    assert connection.execute("PRAGMA foreign_keys").fetchone() == (1,)
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert isinstance(connection, sqlite.Connection)
    connection.close()


def test_vectors_lost_by_other_means_are_wanting(memories: Memories) -> None:
    memories.remember("the heron stands at the lock")
    everything = Filter(spaces=None, live=False)
    assert memories.store.wanting(everything) == []
    with sqlite3.connect(memories.store.location) as direct:
        direct.execute("DELETE FROM vectors")
    direct.close()
    assert memories.store.wanting(everything) == [1]


def test_a_store_of_schema_5_knows_what_is_wanting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "older.db"
    older.at(path, 5, monkeypatch)
    older.fill(path)
    with sqlite3.connect(path) as direct:
        direct.execute("INSERT INTO models VALUES (1, 'm', 'w', 1, 1)")
        direct.execute(
            "INSERT INTO vectors (memory, model, part, vector) SELECT seq, 1, 0, x'0000803f' FROM memories"
        )
        direct.execute("DELETE FROM vectors WHERE memory IN (3, 5)")
        # What another model has read the one in use has not.
        direct.execute("INSERT INTO models VALUES (2, 'before', 'w', 1, 0)")
        direct.execute("INSERT INTO vectors (memory, model, part, vector) VALUES (5, 2, 0, x'0000803f')")
    direct.close()
    store = open_store(path)
    assert store.wanting(Filter(spaces=None, live=False)) == [5, 3]
    store.close()
