"""What a connection to a store keeps to: how long it waits, what a copy in memory is, what is on record."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import sqlcipher3.dbapi2 as sqlite

from memcli.errors import NewerStore, NotFound, ReadOnlyStore, StoreBusy, StoreCut, StoreUnusable, WrongKey
from memcli.memories import Memories
from memcli.model import Filter
from memcli.storage import errands
from memcli.storage.encryption import FileKey, convert_store
from memcli.storage.known_copies import CopyKind, StoreCopy
from memcli.storage.lookup import space_names
from memcli.storage.sqlite import session
from memcli.storage.sqlite.file import (
    conversion_lock,
    copies,
    damage,
    database_file,
    errors,
    leftovers,
    reading_copy,
    room,
)
from memcli.storage.sqlite.file.alone import being_alone
from memcli.storage.sqlite.file.opening import PAGE_SIZE, learn_key, open_database, open_in_memory
from memcli.storage.sqlite.tables.schema import APPLICATION_ID, SCHEMA_VERSION
from memcli.storage.stores import open_store, scratch_copy
from memcli.system import deferred, locks, temporary
from memcli.upkeep.copies import backups
from memcli.write_policy.drafts import Draft
from tests.standin import WIDTH
from tests.storage import older
from tests.storage.conftest import refused

KEY = FileKey(bytes(32), bytes(16))


def pragma(db: object, name: str) -> int:
    [(value,)] = db.execute(f"PRAGMA {name}")  # type: ignore[attr-defined]
    return int(value)


def test_who_was_in_a_hurry_once_waits_as_always_afterwards(memories: Memories) -> None:
    db = memories.store.connection  # type: ignore[attr-defined]
    before = pragma(db, "busy_timeout")
    with memories.store.writing(patience=0.01):
        assert (pragma(db, "busy_timeout"), pragma(db, "synchronous")) == (10, 1)
    assert before > 10 and (pragma(db, "busy_timeout"), pragma(db, "synchronous")) == (before, 2)
    memories.store.scrub(thoroughly=False, patience=0.02)
    assert pragma(db, "busy_timeout") == before


def test_what_is_read_in_one_go_is_as_it_stood_when_that_began(memories: Memories) -> None:
    kept = memories.remember("the mill grinds rye")
    with closing(open_store(Path(memories.store.location))) as reader:
        with reader.reading():
            memories.remember("an owl hoots")
            assert [each.id for each in reader.select(Filter())] == [kept.id]
        assert len([*reader.select(Filter())]) == 2


@pytest.mark.parametrize(
    ("told", "code", "is_answered"),
    [
        (ReadOnlyStore, sqlite.SQLITE_CANTOPEN, True), (StoreUnusable, sqlite.SQLITE_IOERR, True),
        (StoreUnusable, sqlite.SQLITE_IOERR | 10 << 8, True), (StoreUnusable, sqlite.SQLITE_ERROR, False),
        (StoreUnusable, sqlite.SQLITE_MISUSE, False),
    ],
)  # fmt: skip
def test_a_store_that_the_disk_will_not_open_is_read_from_a_copy_and_what_is_wrong_otherwise_is_said(
    kept: Path, told: type[StoreUnusable], code: int, is_answered: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    connected = database_file._connect

    def refusing(file: Path, *args: Any, is_copy: bool = False) -> sqlite.Connection:
        if is_copy:
            return connected(file, *args, is_copy=True)
        raise told("the disk will not") from refused(code)

    monkeypatch.setattr(database_file, "_connect", refusing)
    if not is_answered:
        with pytest.raises(StoreUnusable, match="the disk will not"):
            open_store(kept)
        return
    with closing(open_store(kept)) as store:
        assert [each.text for each in store.select(Filter())] == ["the mill grinds rye"]
        with pytest.raises(ReadOnlyStore, match="the disk will not"), store.writing():
            pass


@pytest.mark.parametrize("is_encrypted", [False, True])
def test_a_copy_in_memory_is_a_store_of_its_version(memories: Memories, is_encrypted: bool) -> None:
    memories.remember("the mill grinds rye")
    path = Path(memories.store.location)
    memories.store.close()
    if is_encrypted:
        convert_store(path, KEY, 5)
        learn_key(KEY.key, KEY.salt)
    with closing(open_in_memory(path)) as copy:
        assert pragma(copy, "application_id") == APPLICATION_ID
        assert pragma(copy, "user_version") == pragma(open_database(path), "user_version")
        assert copy.execute("SELECT count(*) FROM memories").fetchone() == (1,)


def test_a_backup_that_is_not_made_is_not_on_record(
    memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    memories.remember("the mill grinds rye")
    store = memories.store
    kept = store.make_copy(CopyKind.BACKUP, "20260101T000000Z", memories.now())
    on_record = {each.path for each in store.copies()}

    def fail(*given: object) -> None:
        raise StoreUnusable("no room")

    monkeypatch.setattr("memcli.storage.sqlite.own_copies.back_up", fail)
    for label in ("20260101T000000Z", "20260202T000000Z"):
        with pytest.raises(StoreUnusable, match="no room"):
            store.make_copy(CopyKind.BACKUP, label, memories.now())
    assert {each.path for each in store.copies()} == on_record == {kept} and kept.exists()


def test_what_a_killed_conversion_left_of_a_store_that_is_gone_is_cleaned_up_and_makes_none(
    tmp_path: Path,
) -> None:
    path, lock, begun = (
        tmp_path / name for name in ("m.db", "m.db.conversion", f"m.db{conversion_lock.NEW}")
    )
    lock.write_text(str(path))
    begun.write_bytes(b"half of it")
    conversion_lock.wait_for_conversion(path, 1)
    assert not (path.exists() or begun.exists())


@pytest.mark.parametrize("is_given_up", [False, True])
def test_who_has_a_file_open_that_was_given_up_finds_no_store_in_it(
    tmp_path: Path, is_given_up: bool
) -> None:
    file, said = tmp_path / "memory.db", b"SQLite format 3\0" + bytes(PAGE_SIZE)
    file.write_bytes(said)
    with file.open("rb") as opened_before:
        with being_alone(file, 1):
            if is_given_up:
                file.unlink()
        assert (opened_before.read() == said) is not is_given_up


def test_of_a_mount_that_may_only_be_read_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = {}
    for number in (30, 13):
        error = OSError(number, "no")
        monkeypatch.setattr(room, "write_error", lambda folder, error=error: error)
        said[number] = room.lack_of_right(tmp_path / "memory.db")
    assert "mounted read-only" in said[30] and "not writable" in said[13]


def test_below_a_file_there_is_no_store(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("x")
    with pytest.raises(StoreUnusable, match="cannot be reached|cannot be used|no folder"):
        open_store(tmp_path / "plain" / "memory.db").close()


@pytest.mark.parametrize(
    ("log", "force", "is_gone"), [(False, True, False), (True, True, True), (True, False, True)]
)
def test_a_store_begins_anew_only_where_nothing_is_left_of_one(
    tmp_path: Path, log: bool, force: bool, is_gone: bool
) -> None:
    path = tmp_path / "memory.db"
    if log:
        path.with_name("memory.db-wal").write_bytes(b"x" * 64)
    try:
        damage.check_not_cut(path, None, force=force)
        assert not is_gone
    except StoreUnusable as error:
        assert is_gone and "memory.db" in str(error)


@pytest.mark.parametrize(
    ("noted", "committed", "wanted", "is_put_off"),
    [(True, False, True, True), (True, True, True, False), (False, False, True, False),
     (True, False, False, False)],
)  # fmt: skip
def test_only_where_nothing_but_uses_was_noted_may_the_end_be_put_off(
    memories: Memories, monkeypatch: pytest.MonkeyPatch, noted: bool, committed: bool, wanted: bool,
    is_put_off: bool,
) -> None:  # fmt: skip
    kept = memories.remember("the mill grinds rye")
    memories.store.close()
    with closing(open_store(Path(memories.store.location))) as store:
        if committed:
            store.put([replace(kept, text="the mill grinds oats")], None, memories.now())
        if noted:
            with store.writing(patience=0.1):
                store.touch([kept.id], memories.now())
        later: list[object] = []
        monkeypatch.setattr(deferred, "is_enabled", lambda: wanted)
        monkeypatch.setattr(deferred, "defer", later.append)
        store.close()
        assert bool(later) is is_put_off


def test_no_extension_is_loaded_by_a_statement(memories: Memories) -> None:
    db = memories.store.connection  # type: ignore[attr-defined]
    database_file.load_vector_functions(db)
    assert db.execute("SELECT vec_version()").fetchone()
    with pytest.raises(sqlite.Error, match="not authorized"):
        db.execute("SELECT load_extension('nothing')")


def test_a_sample_of_vectors_is_of_what_is_meant_of_the_model_in_use_and_whole(memories: Memories) -> None:
    db = memories.store.connection  # type: ignore[attr-defined]
    here = Filter(spaces=("default",), live=False)
    memories.remember("the mill grinds rye")
    barn = memories.in_space("barn")
    for n in range(3):
        barn.remember(f"owl {n} hoots at night")
    [vector] = memories.store.sample_vectors(here, 10)
    assert len(vector) == 4 * WIDTH
    assert [each for _, each in memories.store.each_vector(here)] == [vector]
    assert len(memories.store.sample_vectors(Filter(spaces=None), 10)) == 4
    assert len(memories.store.sample_vectors(Filter(spaces=None), 2)) == 2
    db.execute("UPDATE vectors SET vector = substr(vector, 2) WHERE memory = 1")
    assert memories.store.sample_vectors(here, 10) == [] == [*memories.store.each_vector(here)]
    db.execute("PRAGMA foreign_keys = OFF")
    db.execute("UPDATE vectors SET model = model + 1")
    assert memories.store.sample_vectors(Filter(spaces=None), 10) == []


def test_where_no_lock_can_be_made_the_store_says_why_it_may_only_be_read(
    memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path) -> int:
        raise StoreUnusable(f"{path}: the lock cannot be made (Read-only file system)")

    monkeypatch.setattr(locks, "_taken", refuse)
    with pytest.raises(StoreUnusable, match="the lock"), memories.store.alone(".errand", busy="busy"):
        pass
    monkeypatch.setattr(memories.store, "hindrance", ReadOnlyStore("the disk is mounted read-only"))
    with pytest.raises(ReadOnlyStore, match="mounted"), memories.store.alone(".errand", busy="busy"):
        pass


@pytest.mark.parametrize("is_replaced", [False, True])
def test_who_closes_later_removes_no_log_of_a_file_that_took_the_place(
    memories: Memories, monkeypatch: pytest.MonkeyPatch, is_replaced: bool
) -> None:
    path, later = Path(memories.store.location), list[Callable[[], None]]()
    kept = memories.remember("the mill grinds rye")
    memories.store.close()
    store = open_store(path)
    with store.writing(patience=0.1):
        store.touch([kept.id], memories.now())
    monkeypatch.setattr(deferred, "is_enabled", lambda: True)
    monkeypatch.setattr(deferred, "defer", later.append)
    store.close()
    log = path.with_name(f"{path.name}-wal")
    if is_replaced:
        path.rename(path.with_name("old.db"))
        path.write_bytes(b"another")
    assert log.stat().st_size
    later[0]()
    # Of its own file the log is in that, and gone.
    assert log.exists() is is_replaced
    assert is_replaced or b"mill" in path.read_bytes()


def test_who_was_alone_with_a_file_lets_go_of_it(kept: Path) -> None:
    before = open_files(kept)
    with being_alone(kept, 1):
        pass
    assert open_files(kept) == before
    with closing(open_store(kept, busy_timeout=1)) as store:
        assert list(store.select(Filter()))


def open_files(beside: Path) -> set[str]:
    """What this process has open in a folder, where that can be known."""
    found = set()
    for each in Path("/proc/self/fd").glob("*"):
        with suppress(OSError):
            found.add(str(each.readlink()))
    return {each for each in found if each.startswith(str(beside.parent))}


def test_whoever_reads_a_private_copy_leaves_nothing_of_it(kept: Path, tmp_path: Path) -> None:
    within = tmp_path / "room"
    within.mkdir()
    copy = reading_copy.private_copy(kept, 1, within)
    assert copy.read_bytes() == kept.read_bytes()
    reading_copy.remove_copy(copy)
    assert not list(within.iterdir()) and not open_files(within / "x")
    assert room.write_error(within) is None
    assert not list(within.iterdir()) and not open_files(within / "x")


def test_what_was_written_while_it_was_copied_is_copied_anew(
    kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.utime(kept, (0, 0))
    copied = shutil.copyfile

    def beside_a_writer(source: str, target: Path) -> None:
        copied(source, target)
        kept.write_bytes(b"written since")

    monkeypatch.setattr(shutil, "copyfile", beside_a_writer)
    (within := tmp_path / "room").mkdir()
    assert not reading_copy._copy_if_still(kept, within) and not list(within.iterdir())


@pytest.mark.parametrize(
    ("content", "force", "told", "words"),
    [
        (b"Dear diary, today", False, WrongKey, "is a text file"),
        (b"\x8f\x01\xfe" * 9, False, StoreCut, "cut to 27 bytes"),
        (b"S", False, StoreCut, "cut to 1 byte;"),
        (None, False, StoreCut, "the file is gone; .*say `mem --force"),
    ],
)
def test_a_file_that_is_no_store_names_the_ways_that_help(
    tmp_path: Path, content: bytes | None, force: bool, told: type[Exception], words: str
) -> None:
    path = tmp_path / "memory.db"
    if content is None:
        path.with_name("memory.db.backup-20261122T031500Z").write_bytes(b"x" * 200)
    else:
        path.write_bytes(content)
    with pytest.raises(told, match=words):
        damage.check_not_cut(path, None if content is None else len(content), force=force)
    if content is None:
        damage.check_not_cut(path, None, force=True)


def test_only_what_a_killed_process_left_is_taken_away_and_nobody_is_kept_waiting_for_it(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held, left = (kept.with_name(f"{kept.name}{tail}") for tail in (errands.SYNCING, errands.ERASING))
    taken: list[Path] = []

    def hold(lock: Path, **options: Any) -> Any:
        taken.append(lock)
        return locks.hold_lock(lock, **options)

    monkeypatch.setattr(leftovers, "hold_lock", hold)
    monkeypatch.setattr(leftovers, "making_copy", lambda *given, **named: pytest.fail("no copy was left"))
    leftovers.clear_leftovers(kept)
    assert taken == []
    left.touch()
    with locks.hold_lock(held, busy="held", patience=0):
        leftovers.clear_leftovers(kept)
        assert taken == [left] and held.exists()
    assert not left.exists()


def test_a_scratch_copy_of_no_store_is_none(tmp_path: Path) -> None:
    with (
        pytest.raises(NotFound, match=f"{tmp_path}/none.db: no store there"),
        scratch_copy(tmp_path / "none.db"),
    ):
        pass
    assert not list(tmp_path.iterdir())


def test_without_the_functions_for_vectors_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with closing(open_database(Path(":memory:"))) as db, pytest.raises(ImportError, match="not installed"):
        database_file.load_vector_functions(db)


def test_what_is_so_of_the_store_when_something_fails_is_said_as_it_is(kept: Path) -> None:
    with closing(open_store(kept)) as store:
        told = store._kept  # type: ignore[attr-defined]
        assert told() == errors.UNCHANGED
        [known] = store.select(Filter())
        with store.writing(patience=0.1):
            store.touch([known.id], known.created_at)
        assert told() == errors.UNCHANGED
        store.put([replace(known, text="the mill grinds oats")], None, known.created_at)
        assert told() == errors.STAYS


@pytest.mark.parametrize("by", ["rows", "each"])
@pytest.mark.parametrize("words", ["database is locked", "Could not decode to UTF-8 column 'text'"])
def test_only_what_cannot_be_decoded_is_asked_once_more(kept: Path, by: str, words: str) -> None:
    asked: list[str] = []

    class Failing:
        text_factory: Any = str

        def execute(self, sql: str, values: object) -> list[tuple[int]]:
            asked.append(sql)
            if len(asked) == 1:
                raise refused(sqlite.SQLITE_BUSY, words)
            return [(1,)]

    with closing(session.SqliteSession(kept)) as store, pytest.MonkeyPatch.context() as patch:
        patch.setattr(store, "_db", failing := Failing())
        ask = store._rows if by == "rows" else store._each
        if words.startswith("Could not"):
            assert [*ask("SELECT 1")] == [(1,)] and len(asked) == 2
            assert failing.text_factory is not str
            return
        # Who waited as long as he may waits no second time.
        with pytest.raises(StoreBusy):
            [*ask("SELECT 1")]
        assert len(asked) == 1 and failing.text_factory is str


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a process has one lock of its own on a file")
def test_who_looks_at_the_bytes_of_a_store_keeps_its_locks_on_it(memories: Memories) -> None:
    memories.remember("the mill grinds rye")
    path = Path(memories.store.location)
    for _ in range(2):
        assert list(memories.store.traces([b"an owl that nobody wrote of"], ["owl"])) == []
    with pytest.raises(StoreBusy, match="has the store open"), being_alone(path, 0):
        pass


def test_who_passed_the_gate_before_it_was_closed_is_waited_for(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[sqlite.Connection] = []

    def arrive(seconds: float) -> None:
        if not opened:
            opened.append(open_database(kept))
            opened[0].execute("SELECT count(*) FROM memories").fetchone()

    monkeypatch.setattr("memcli.storage.sqlite.file.alone.time.sleep", arrive)
    with pytest.raises(StoreBusy, match="has the store open"), being_alone(kept, 0):
        pass
    opened[0].close()


@pytest.mark.parametrize("writes", [False, True])
def test_who_writes_has_a_log_again_that_was_taken(kept: Path, writes: bool) -> None:
    with closing(open_database(kept)) as db:
        db.execute("PRAGMA journal_mode = DELETE")
    with closing(open_store(kept)) as store:
        [known] = store.select(Filter())
        if writes:
            store.put([replace(known, text="the mill grinds oats")], None, known.created_at)
    with closing(open_database(kept)) as db:
        assert db.execute("PRAGMA journal_mode").fetchone() == ("wal" if writes else "delete",)


@pytest.mark.parametrize("version", [4, 8])
def test_an_older_copy_is_read_in_memory_as_of_now_and_nothing_is_made_beside_it(
    tmp_path: Path, version: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "old.db"
    older.at(path, version, monkeypatch)
    monkeypatch.setattr(temporary, "temporary_places", list)
    before = {each.name: each.read_bytes() for each in tmp_path.iterdir()}
    with closing(database_file.connect_for_reading(path, busy_timeout=1)) as copy:
        assert pragma(copy, "user_version") == SCHEMA_VERSION
        assert copy.execute("SELECT count(*) FROM clocks").fetchone() == (0,)
    assert {each.name: each.read_bytes() for each in tmp_path.iterdir()} == before


@pytest.mark.parametrize(
    ("size", "log", "copy", "ways"),
    [
        (0, True, False, ["doctor --repair", "away"]), (27, False, False, ["restore FILE", "away"]),
        (27, True, True, ["restore memory.db.backup-1", "doctor --repair", "away"]),
        (None, False, True, ["restore memory.db.backup-1", "--force"]),
        (None, True, True, ["restore memory.db.backup-1", "doctor --repair"]),
        (None, True, False, ["doctor --repair"]),
    ],
)  # fmt: skip
def test_of_a_file_that_was_cut_each_way_out_is_named_that_there_is_and_no_other(
    tmp_path: Path, size: int | None, log: bool, copy: bool, ways: list[str]
) -> None:
    path = tmp_path / "memory.db"
    if size is not None:
        path.write_bytes(b"\x8f" * size)
    path.with_name("memory.db-wal").write_bytes(b"x" * 64 * log)
    if copy:
        path.with_name("memory.db.backup-1").write_bytes(b"x" * 200)
    with pytest.raises(StoreCut) as caught:
        damage.check_not_cut(path, size, force=False)
    said = str(caught.value)
    named = ("restore memory.db.backup-1", "doctor --repair", "restore FILE", "move it away", "--force")
    assert [each for each in named if each in said] == [each.replace("away", "move it away") for each in ways]
    assert caught.value.salvageable is log
    # An empty log tells of nothing, as of a store that was closed.
    if not (size or copy):
        path.with_name("memory.db-wal").write_bytes(b"")
        damage.check_not_cut(path, size, force=False)


def test_what_fails_within_a_transaction_ends_it_only_with_all_of_it(kept: Path) -> None:
    with closing(open_store(kept)) as store:
        [known] = store.select(Filter())
        now = known.created_at
        with store.writing():
            store.put([replace(known, text="the mill grinds oats")], None, now)
            with suppress(ValueError), store.writing():
                raise ValueError
            store.put([replace(known, text="the mill grinds oats", tags=("mill",))], None, now)
        assert [(each.text, each.tags) for each in store.select(Filter())] == [
            ("the mill grinds oats", ("mill",))
        ]
        with suppress(ValueError), store.writing():
            store.put([known], None, now)
            raise ValueError
        assert [each.text for each in store.select(Filter())] == ["the mill grinds oats"]


def test_a_file_takes_the_place_of_another_once_the_log_of_that_is_gone_for_good(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A power cut between the two must leave no log that would be taken for the new file's."""
    fresh, log, lock = (kept.with_name(name) for name in ("fresh.db", f"{kept.name}-wal", "lock"))
    fresh.write_bytes(b"whole")
    log.write_bytes(b"of the old one")
    before, synced = kept.read_bytes(), list[tuple[bool, bytes]]()
    monkeypatch.setattr(
        conversion_lock, "sync_folder", lambda folder: synced.append((log.exists(), kept.read_bytes()))
    )
    with lock.open("w+b") as file:
        conversion_lock.take_place(file.fileno(), fresh, kept)
    assert synced == [(False, before), (False, b"whole")]
    # It is done: nobody who opens the store next has anything to end.
    assert lock.read_bytes() == b""


@pytest.mark.parametrize("is_same", [True, False])
def test_what_a_killed_conversion_left_beside_its_store_is_cleaned_up(kept: Path, is_same: bool) -> None:
    new, old = (kept.with_name(kept.name + tail) for tail in (conversion_lock.NEW, conversion_lock.OLD))
    with closing(open_database(kept)) as db:
        db.execute("PRAGMA journal_mode = DELETE")
    content = kept.read_bytes()
    new.write_bytes(b"half of it")
    if is_same:
        old.hardlink_to(kept)
    else:
        old.write_bytes(b"as it was before")
    lock = kept.with_name(f"{kept.name}.conversion")
    lock.write_text(f"{kept}\n{kept.with_name('copy')}")
    conversion_lock.wait_for_conversion(kept, 1)
    assert not new.exists() and not old.exists()
    with closing(open_database(kept)) as db:
        # Its log is back, and nothing of it was overwritten.
        assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert db.execute("SELECT count(*) FROM memories").fetchone() == (1,)
    assert len(kept.read_bytes()) == len(content)


def test_of_two_files_that_take_a_place_one_after_the_other_a_killed_second_is_brought_to_an_end(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = kept.read_bytes()
    first, second = (kept.with_name(name) for name in ("a much longer name than the other", "second"))
    first.write_bytes(b"of no more use")
    second.write_bytes(content)
    lock, left = kept.with_name(f"{kept.name}.conversion"), b""
    with locks.hold_lock(lock, busy="in use") as gate:
        conversion_lock.take_place(gate, first, kept)
        with monkeypatch.context() as patch, suppress(KeyboardInterrupt):
            patch.setattr(conversion_lock, "_rename", killed)
            conversion_lock.take_place(gate, second, kept)
        left = lock.read_bytes()
    lock.write_bytes(left)
    conversion_lock.wait_for_conversion(kept, 1)
    assert kept.read_bytes() == content and not second.exists()


def killed(*given: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize("create", [True, False])
def test_a_store_whose_new_file_has_not_its_name_yet_is_that_file(kept: Path, create: bool) -> None:
    """Who put it there was killed in between."""
    kept.rename(fresh := kept.with_name("fresh.db"))
    kept.with_name(f"{kept.name}.conversion").write_text(f"{conversion_lock._FRESH}{fresh}")
    with closing(open_store(kept, create=create)) as store:
        assert [each.text for each in store.select(Filter())] == ["the mill grinds rye"]
    assert not fresh.exists()


def test_what_is_overwritten_is_so_from_its_beginning_wherever_it_was_read_to(tmp_path: Path) -> None:
    (path := tmp_path / "old").write_bytes(b"rye" * 999)
    with path.open("r+b", buffering=0) as file:
        file.read(2000)
        conversion_lock.overwrite(file)
    assert path.stat().st_size == 2997 and b"ryerye" not in path.read_bytes()


def test_a_copy_that_was_dropped_is_not_on_record(memories: Memories, tmp_path: Path) -> None:
    memories.remember("the mill grinds rye")
    memories.store.copy_to(copy := tmp_path / "elsewhere.db", memories.now())
    assert [each.path for each in memories.store.copies()] == [copy]
    memories.store.drop_copy(copy)
    assert memories.store.copies() == [] and not copy.exists()


@pytest.mark.parametrize(("is_newer", "left"), [(False, 1), (True, 0)])
def test_a_copy_in_memory_is_prepared_like_any_other(
    kept: Path, monkeypatch: pytest.MonkeyPatch, is_newer: bool, left: int
) -> None:
    monkeypatch.setattr(temporary, "temporary_places", lambda: ())
    if is_newer:
        with closing(open_database(kept)) as db:
            db.execute("PRAGMA user_version = 999")
        with pytest.raises(NewerStore, match="written by a newer memcli"):
            database_file._connect_to_copy(kept, kept, 1)
        return
    with closing(database_file._connect_to_copy(kept, kept, 1)) as copy:
        assert pragma(copy, "foreign_keys") == left


def test_a_file_that_is_refused_as_a_copy_is_not_kept_open(tmp_path: Path) -> None:
    with closing(open_database(path := tmp_path / "theirs.db")) as db:
        db.execute("CREATE TABLE letters (text)")
    with pytest.raises(StoreUnusable) as refusal:
        database_file.connect_for_reading(path, busy_timeout=1)
    assert refusal.value and not open_files(path)


def test_where_nobody_can_look_nothing_is_called_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = StoreCopy(tmp_path / "x.db", CopyKind.BACKUP, "x", None, True)
    assert copies.is_gone(copy) and copies._is_home(tmp_path / "x.db", tmp_path / "y.db")
    assert backups._is_gone(copy.path)

    def closed(self: Path, **options: object) -> bool:
        raise PermissionError(13, "permission denied")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "is_dir", closed)
        patch.setattr(Path, "exists", closed)
        found = copies.is_gone(copy), copies._is_home(tmp_path / "x.db", tmp_path / "y.db")
        assert (*found, backups._is_gone(copy.path)) == (False, False, False)


def test_a_row_is_named_in_one_line_whatever_its_name_is() -> None:
    assert damage.row_name("memory", "A1") == "memory A1"
    assert "\n" not in damage.row_name("link", "a\nb")
    assert damage.row_name("state", b"\xff") == "state \ufffd"
    assert len(damage.row_name("state", tuple(range(99)))) < 70


def test_below_a_file_nothing_is_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreUnusable, match="cannot be made"):
        database_file._make_private_file(tmp_path / "file" / "m.db")


def test_copies_of_a_store_that_is_encrypted_so_already_follow_it(kept: Path) -> None:
    learn_key(KEY.salt, KEY.key)
    plain = kept.with_name(f"{kept.name}.backup-20260101T000000Z")
    shutil.copyfile(kept, plain)
    convert_store(kept, KEY, 1)
    assert b"SQLite format" not in plain.read_bytes()
    shutil.copyfile(kept, other := kept.with_name(f"{kept.name}.backup-20260102T000000Z"))
    with closing(open_store(kept)) as store:
        store.note_copy(kept.parent / "stick" / "x.db", CopyKind.BACKUP, datetime(2026, 5, 3, tzinfo=UTC))
    with closing(open_database(kept)) as db:
        db.execute("ATTACH ? AS plain KEY ''", (str(late := kept.with_name(f"{kept.name}.backup-late")),))
        db.execute("SELECT sqlcipher_export('plain')")
    done = convert_store(kept, KEY, 1)
    assert done.copies == (late,) and b"SQLite format" not in late.read_bytes()
    assert [path.name for path, _ in done.left] == ["x.db"] and "out of reach" in done.left[0][1]
    assert other.exists()


def test_nobody_is_alone_with_a_file_that_another_has_open(kept: Path) -> None:
    with closing(open_store(kept)) as store:
        assert list(store.select(Filter()))
        with pytest.raises(StoreBusy, match="has the store open"), being_alone(kept, 0.05):
            pass


def test_a_cut_store_whose_log_is_left_is_told_that_it_can_be_salvaged(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    path.with_name("memory.db-wal").write_bytes(b"log" * 99)
    with pytest.raises(StoreCut, match="doctor --repair` salvages what its log memory.db-wal still holds"):
        damage.check_not_cut(path, None, force=True)


@pytest.mark.parametrize("discards", [False, True])
def test_a_store_that_lost_its_log_has_it_back_with_the_first_write_that_stays(
    kept: Path, discards: bool
) -> None:
    with closing(open_database(kept)) as db:
        db.execute("PRAGMA journal_mode = DELETE")
    with closing(open_store(kept)) as store:
        db = store.connection  # type: ignore[attr-defined]
        if discards:
            with store.discarding(), store.writing():
                pass
        assert db.execute("PRAGMA journal_mode").fetchone() == ("delete",)
        with store.writing():
            assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_word_index_that_was_rebuilt_is_in_one_piece(memories: Memories) -> None:
    for number in range(3):
        memories.remember(f"the mill grinds {number} sacks of rye")
    db = memories.store.connection  # type: ignore[attr-defined]
    pieces = "SELECT count(DISTINCT segid) FROM word_index_idx"
    assert db.execute(pieces).fetchone()[0] > 1
    memories.store.rebuild()
    assert db.execute(pieces).fetchone()[0] == 1


def test_what_is_shredded_is_overwritten_on_the_disk_before_its_name_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (path := tmp_path / "old").write_bytes(b"rye" * 999)
    on_disk: list[bytes] = []
    monkeypatch.setattr(os, "fsync", lambda descriptor: on_disk.append(path.read_bytes()))
    conversion_lock.shred(path)
    assert len(on_disk[-1]) == 2997 and b"ryerye" not in on_disk[-1] and not path.exists()


def test_a_scratch_copy_is_closed_and_gone_afterwards(kept: Path) -> None:
    with scratch_copy(kept) as copy:
        assert [each.text for each in copy.select(Filter())] == ["the mill grinds rye"]
        there = Path(copy.location)
    assert not there.exists()
    with pytest.raises(StoreUnusable, match="closed"):
        [*copy.select(Filter())]


def test_the_log_is_told_of_each_change_once_and_of_none_that_was_taken_back(
    memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    monkeypatch.setenv("MEMCLI_LOG", "log")
    monkeypatch.setattr(
        "memcli.system.activity_log.note_committed", lambda changes: told.extend(each[2] for each in changes)
    )
    first = memories.remember("the mill grinds rye")
    with suppress(KeyError), memories.store.writing():
        memories.remember("an owl hoots")
        raise KeyError
    second = memories.remember("the boat is red")
    assert told == [first.id, second.id]


def test_a_space_whose_memories_have_all_ended_is_still_a_space(memories: Memories) -> None:
    kept = memories.remember(Draft(text="the mill grinds rye", space="work"))
    memories.end([kept.id], "outdated")
    assert space_names(memories.store) == ["work"]


@pytest.mark.parametrize("is_moved", [False, True])
def test_of_a_killed_conversion_a_second_name_goes_and_the_store_stays_wherever_it_is(
    kept: Path, is_moved: bool
) -> None:
    conversion_lock.beside(kept, conversion_lock.OLD).hardlink_to(kept)
    there = kept.rename(kept.with_name("moved.db")) if is_moved else kept
    conversion_lock.clean_up_file(kept)
    assert not conversion_lock.beside(kept, conversion_lock.OLD).exists()
    with closing(open_store(there)) as store:
        assert [each.text for each in store.select(Filter())] == ["the mill grinds rye"]


@pytest.mark.parametrize("runtime", ["", "nowhere", "there"])
def test_a_copy_is_made_in_a_folder_that_is_there_and_was_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, runtime: str
) -> None:
    (tmp_path / "there").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / runtime) if runtime else "")
    folders = [*temporary.temporary_places()]
    assert all(each.is_dir() and each.resolve() != tmp_path for each in folders)
    assert (tmp_path / runtime in folders) is (runtime == "there")


@pytest.mark.parametrize("is_there", [False, True])
def test_of_a_killed_conversion_the_old_file_is_overwritten(tmp_path: Path, is_there: bool) -> None:
    if is_there:
        (tmp_path / "m.db").write_bytes(b"new")
    (old := conversion_lock.beside(tmp_path / "m.db", conversion_lock.OLD)).write_bytes(b"rye" * 999)
    with old.open("rb") as file:
        conversion_lock.clean_up_file(tmp_path / "m.db")
        assert b"ryerye" not in file.read()
    assert not old.exists() and (tmp_path / "m.db").exists() is is_there
