"""Encrypting in place: nothing is lost beside writers or cut off; nothing is left in the clear."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
import sqlcipher3.dbapi2 as sqlite

from memcli.errors import StoreBusy, StoreDamaged, StoreUnusable
from memcli.model import Change, Filter
from memcli.storage import Store
from memcli.storage.encryption import FileKey, convert_store, store_salt
from memcli.storage.reports import UNREAD
from memcli.storage.sqlite.erasing.erasure import contents
from memcli.storage.sqlite.file import conversion_lock, opening
from memcli.storage.sqlite.file.opening import PAGE_SIZE, open_database
from memcli.storage.sqlite.replacement import conversion
from memcli.storage.stores import open_store, repair_store
from tests.storage.test_store import memory

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs fork and links")
AT = datetime(2026, 5, 3, tzinfo=UTC)
NEEDLE = "Zorbanella the cat"
ONE = FileKey(b"1" * 32, b"a" * 16)
TWO = FileKey(b"2" * 32, b"b" * 16)


@pytest.fixture(autouse=True)
def keys() -> None:
    for each in (ONE, TWO):
        opening.learn_key(each.salt, each.key)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "data" / "memory.db"
    fill(path)
    return path


def fill(path: Path) -> None:
    store = open_store(path)
    store.put([memory(f"{NEEDLE} {number}", tags=["pets"]) for number in range(20)], Change("add", "cli"), AT)
    store.back_up(AT)
    store.close()


def texts(path: Path) -> list[str]:
    store = open_store(path, create=False)
    try:
        return sorted(each.text for each in store.select(Filter(spaces=None, live=False)))
    finally:
        store.close()


def names(path: Path) -> set[str]:
    # An empty lock file that a killed holder leaves is taken over by the next.
    return {each.name for each in path.parent.iterdir()} - {"memory.db.copying"}


def in_the_clear(path: Path) -> list[str]:
    return [each.name for each in path.parent.iterdir() if NEEDLE.encode() in each.read_bytes()]


def test_the_store_and_its_backups_are_encrypted_rekeyed_and_decrypted(path: Path) -> None:
    before, files = texts(path), names(path)
    for target in (ONE, TWO, None, ONE):
        done = convert_store(path, target, 5)
        assert len(done.copies) == 1
        assert not done.left
        assert names(path) == files
        assert texts(path) == before
        assert store_salt(path) == (target.salt if target else None)
        assert store_salt(done.copies[0]) == store_salt(path)
        assert (in_the_clear(path) == []) == (target is not None)
        store = open_store(path)
        findings = list(store.check())
        store.close()
        assert [each.name for each in findings if not each.ok] == [UNREAD]  # there is no model here


@pytest.mark.parametrize("lost", ["DELETE FROM new.memories", "DROP TABLE new.links"])
def test_a_file_that_does_not_hold_all_takes_no_stores_place(
    path: Path, monkeypatch: pytest.MonkeyPatch, lost: str
) -> None:
    before, files = texts(path), names(path)
    number = conversion._number

    def lose(connection: sqlite.Connection, pragma: str) -> int:
        if pragma == "application_id":
            connection.execute(lost)
        return number(connection, pragma)

    monkeypatch.setattr(conversion, "_number", lose)
    with pytest.raises(StoreDamaged, match="is not the same as the store; nothing was changed"):
        convert_store(path, ONE, 5)
    assert texts(path) == before and names(path) == files and not store_salt(path)


def test_pages_journal_and_schema_stay_as_they_were(path: Path) -> None:
    def pragmas() -> list[Any]:
        connection = opening.open_database(path)
        asked = ("page_size", "auto_vacuum", "application_id", "user_version", "journal_mode")
        found = [str(connection.execute(f"PRAGMA {name}").fetchone()[0]) for name in asked]
        schema = connection.execute(
            "SELECT type, name, sql FROM sqlite_master ORDER BY type, name"
        ).fetchall()
        connection.close()
        return [*found, schema]

    plain = pragmas()
    convert_store(path, ONE, 5)
    assert pragmas() == plain


def test_a_fault_once_copies_are_converted_does_not_say_that_nothing_was_changed(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(open_store(path)) as store:
        copy = store.back_up(AT)

    put_beside = conversion._kept_beside

    def unread(file: Path, old: Path) -> Any:
        if file == path:
            raise OSError(5, "Input/output error")
        return put_beside(file, old)

    with monkeypatch.context() as patch, pytest.raises(StoreUnusable, match="it is as it was, copies of it"):
        patch.setattr(conversion, "_kept_beside", unread)
        convert_store(path, ONE, 5)
    assert (store_salt(path), store_salt(copy)) == (None, ONE.salt)
    assert convert_store(path, ONE, 5).left == () and store_salt(path) == ONE.salt


def test_who_has_it_open_is_waited_for_and_then_named(path: Path) -> None:
    store, before = open_store(path), path.read_bytes()[:16]
    with pytest.raises(StoreBusy, match="nothing was changed"):
        convert_store(path, ONE, 0.3)
    store.put([memory("written after that")], Change("add", "cli"), AT)
    store.close()
    assert path.read_bytes()[:16] == before
    assert "written after that" in texts(path)
    assert not [name for name in names(path) if "convert" in name or "conversion" in name]


@posix
def test_a_file_with_two_names_is_not_converted(path: Path) -> None:
    path.with_name("other.db").hardlink_to(path)
    with pytest.raises(StoreUnusable, match="hard link"):
        convert_store(path, ONE, 1)
    assert store_salt(path) is None


@posix
def test_a_store_behind_a_symlink_stays_behind_it(path: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.db"
    link.symlink_to(path)
    convert_store(link, ONE, 5)
    assert link.is_symlink()
    assert store_salt(path) == ONE.salt
    assert in_the_clear(path) == []


def test_a_copy_that_cannot_be_converted_is_named(path: Path) -> None:
    bad = path.with_name("memory.db.backup-mine")
    bad.write_bytes(b"SQLite format 3\0" + bytes(5000))
    done = convert_store(path, ONE, 5)
    assert [copy for copy, _ in done.left] == [bad]
    # The store itself is changed by then.
    assert "nothing was" not in done.left[0][1] and ".converted" not in done.left[0][1]
    assert store_salt(path) == ONE.salt


def test_the_log_of_a_store_that_was_cut_is_left_and_named(path: Path) -> None:
    aside = path.with_name("memory.db.damaged-20260101T000000Z")
    log = aside.with_name(f"{aside.name}-wal")
    aside.touch()
    log.write_bytes(b"what somebody said" * 100)
    done = convert_store(path, ONE, 5)
    assert [copy for copy, _ in done.left] == [aside] and log.stat().st_size == 1800


def test_one_that_fails_leaves_the_store_with_its_log(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lock = conversion._lock_exclusively

    def fail(*given: Any, **named: Any) -> None:
        lock(*given, **named)
        raise sqlite.OperationalError("disk I/O error")

    monkeypatch.setattr(conversion, "_lock_exclusively", fail)
    with pytest.raises(StoreUnusable):
        convert_store(path, ONE, 5)
    with closing(open_database(path)) as db:
        assert db.execute("PRAGMA journal_mode").fetchone()[0] == "wal"


CONVERSIONS = [(None, ONE), (ONE, TWO), (ONE, None)]


@posix
@pytest.mark.parametrize(("source", "target"), CONVERSIONS, ids=["encrypt", "rekey", "decrypt"])
def test_killed_at_any_line_it_is_as_before_or_as_after(
    path: Path, source: FileKey | None, target: FileKey | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if source:
        convert_store(path, source, 5)
    before, files, saved = (
        texts(path),
        names(path),
        {each: each.read_bytes() for each in path.parent.iterdir()},
    )
    salts = {source.salt if source else None, target.salt if target else None}
    seen = set()
    monkeypatch.setattr(conversion_lock, "_SETTLING", 0)
    # With a step of 1 it takes minutes.
    for last in count(1, 30):
        for each in path.parent.iterdir():
            each.unlink()
        for each, content in saved.items():
            each.write_bytes(content)
        if not killed_at(last, lambda: convert_store(path, target, 5)):
            break
        assert texts(path) == before, f"killed at line {last}"
        salt = store_salt(path)
        assert salt in salts
        seen.add(salt)
        assert names(path) == files, f"killed at line {last}"
        assert not (salt and target and in_the_clear(path)), f"killed at line {last}"
        assert sum(map(bool, (salt, in_the_clear(path)))) == 1 or target is None or salt is None
    assert seen == salts


def killed_at(last: int, work: Callable[[], object]) -> bool:
    """Whether a process that did this was killed at this line of the conversion's, having come so far."""
    files = (conversion.__file__, conversion_lock.__file__)
    child = os.fork()
    if child == 0:
        lines = 0

        def trace(frame: FrameType, event: str, argument: object) -> Any:
            nonlocal lines
            file, name = frame.f_code.co_filename, frame.f_code.co_name
            if file not in files or name in ("_compare", "overwrite"):
                return None
            if event == "line":
                lines += 1
                if lines == last:
                    os._exit(9)
            return trace

        sys.settrace(trace)
        try:
            work()
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9


WRITER = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from memcli.model import Change
from memcli.storage.stores import open_store, repair_store
from memcli.storage.sqlite.file import opening
from tests.storage.test_store import memory

opening.learn_key(b"a" * 16, b"1" * 32)
path, name = Path(sys.argv[1]), sys.argv[2]
number = 0
print("ready", flush=True)
while not path.with_name("stop").exists():
    number += 1
    store = open_store(path, busy_timeout=60)
    store.put([memory(f"{name}-{number}")], Change("add", "cli"), datetime.now(UTC))
    print(f"{name}-{number}", flush=True)
    store.close()
"""


def test_no_acknowledged_write_is_lost_beside_eight_writers(path: Path) -> None:
    root = str(Path(conversion.__file__).parents[4])
    environment = {**os.environ, "PYTHONPATH": root}
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path), f"w{number}"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment,
        )
        for number in range(8)
    ]  # fmt: skip
    said: list[list[str]] = [[] for _ in writers]
    readers = [
        threading.Thread(target=lambda each=each, lines=lines: lines.extend(each.stdout or ()))
        for each, lines in zip(writers, said, strict=True)
    ]
    try:
        for reader in readers:
            reader.start()
        while not all(said):
            time.sleep(0.05)
        for target in (ONE, None, ONE):
            convert_store(path, target, 60)
            time.sleep(0.3)
    finally:
        path.with_name("stop").touch()
        ended = [writer.wait(90) for writer in writers]
        for reader in readers:
            reader.join()
    assert ended == [0] * 8, [writer.stderr.read()[-300:] for writer in writers if writer.stderr]
    acknowledged = {line.strip() for lines in said for line in lines} - {"ready"}
    assert len(acknowledged) > 8
    assert acknowledged <= set(texts(path))
    assert in_the_clear(path) == []


def test_an_erasure_is_proven_on_what_an_encrypted_file_says(path: Path) -> None:
    [backup] = convert_store(path, ONE, 5).copies
    store: Store = open_store(path)
    one = next(store.select(Filter(spaces=None)))
    needle = one.text.encode()
    assert needle in b"".join(contents(path))
    store.erase([one.id], Change("erase", "cli"), AT)
    store.scrub()
    assert store.traces([needle], []) == []
    store.close()
    assert needle not in b"".join(contents(path))
    # What a copy says is seen, too.
    assert needle in b"".join(contents(backup))
    assert b"Zorbanella" in b"".join(contents(path))


def test_a_converted_file_has_pages_as_large_as_any_other(path: Path) -> None:
    for key in (ONE, None):
        convert_store(path, key, 5)
        with closing(open_database(path)) as db:
            [(size,)] = db.execute("PRAGMA page_size")
            assert int(size) == PAGE_SIZE  # the cipher's own answer is a text


def test_without_links_the_old_file_is_overwritten_all_the_same(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(*_: object) -> None:
        raise OSError(1, "no links here")

    with closing(open_database(path)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    monkeypatch.setattr(Path, "hardlink_to", none)
    with path.open("rb") as before:
        assert NEEDLE.encode() in before.read()
        assert not convert_store(path, ONE, 5).not_overwritten
        before.seek(0)
        assert NEEDLE.encode() not in before.read()


def test_what_cannot_be_overwritten_is_said_and_not_that_nothing_was_changed(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: Path) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(conversion, "shred", broken)
    done = convert_store(path, ONE, 5)
    assert store_salt(path) == ONE.salt and "overwritten" in done.not_overwritten[0][1]


def test_a_store_that_lost_its_log_to_a_full_disk_has_it_back_when_it_is_written_to(path: Path) -> None:
    def mode() -> str:
        with closing(open_database(path)) as db:
            return str(db.execute("PRAGMA journal_mode").fetchone()[0])

    def lose_log() -> None:
        with closing(open_database(path)) as db:
            db.execute("PRAGMA journal_mode = DELETE")
        assert mode() == "delete"

    lose_log()
    texts(path)
    assert mode() == "delete"  # who reads writes nothing
    store = open_store(path)
    store.put([memory("one more")], Change("add", "cli"), AT)
    store.close()
    assert mode() == "wal"
    lose_log()
    repair_store(path, AT)
    assert mode() == "wal"
