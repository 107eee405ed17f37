"""A store that may only be read: everything that asks is answered, everything that writes is told so."""

from __future__ import annotations

import ctypes
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import sqlcipher3.dbapi2 as sqlite

from memcli.errors import ReadOnlyStore, StoreBusy, StoreUnusable
from memcli.memories import Memories
from memcli.storage import Store
from memcli.storage.reports import Erasure
from memcli.storage.sqlite.file import database_file as sqlite_file
from memcli.storage.sqlite.file import reading_copy as sqlite_copy
from memcli.storage.sqlite.file.opening import PAGE_SIZE, open_database
from memcli.storage.sqlite.repair.repair import repair
from memcli.storage.sqlite.replacement import restoring
from memcli.storage.stores import open_store
from tests.conftest import Run, TickingClock, make_memories

NOW = datetime(2026, 5, 3, tzinfo=UTC)
# Linux capabilities by which root passes by permission bits (linux/capability.h), and how to drop one.
_PASS_BY = (1, 2)
_PR_CAPBSET_DROP = 24


def bound_by_permissions() -> None:
    """In a child: be root no more, as far as files go."""
    if sys.platform == "linux" and os.geteuid() == 0:
        for capability in _PASS_BY:
            ctypes.CDLL(None).prctl(_PR_CAPBSET_DROP, capability)


def is_bound() -> bool:
    """Whether a child can be kept from writing where the bits say so."""
    if sys.platform == "win32":
        return False
    if os.geteuid():
        return True
    with tempfile.NamedTemporaryFile() as file:
        Path(file.name).chmod(0o400)
        probe = ["test", "!", "-w", file.name]
        return subprocess.run(probe, preexec_fn=bound_by_permissions, check=False).returncode == 0


bits = pytest.mark.skipif(not is_bound(), reason="permission bits bind nobody here")


@pytest.fixture
def closed(own_home: Path) -> Iterator[Path]:
    """A folder with a store, closed to writers for the test's length."""
    folder = own_home / "data"
    folder.mkdir(exist_ok=True)
    yield folder
    folder.chmod(0o700)


def close(folder: Path) -> None:
    for file in folder.iterdir():
        file.chmod(0o400)
    folder.chmod(0o500)


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


READS: tuple[tuple[str, ...], ...] = (
    ("list",), ("recall", "tea"), ("recall", "tea", "--json"), ("export", "--history"), ("stats",),
    ("history",),
    ("list", "--as-of", "now"), ("recall", "tea", "--as-of", "now"), ("context",), ("doctor",),
    ("rule", "list"),
    ("remember", "the cat is black", "--dry-run"), ("correct", "{id}", "I prefer tea", "--dry-run"),
    ("space", "list"), ("forget", "--tag", "t", "--dry-run"), ("profile",),
)  # fmt: skip
WRITES: tuple[tuple[str, ...], ...] = (
    ("remember", "the cat is black"), ("forget", "--tag", "t"), ("undo",), ("task", "start", "goal"),
    ("log", "hello"), ("rule", "on", "medical"), ("space", "rename", "default", "x"), ("reindex",),
    ("forget", "--tag", "t", "--hard", "--yes"), ("block", "set", "a", "b"), ("consolidate",),
)  # fmt: skip


@bits
def test_all_that_asks_is_answered_and_nothing_is_written(
    mem: Run, closed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMCLI_RECALL_LOG", "query")
    ident = mem("remember", "I prefer tea to coffee", "--tag", "t").stdout.strip()
    close(closed)
    before = contents(closed)
    temporary = closed.parent / "tmp"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    for line in (*READS, ("show", ident), ("why", ident), ("similar", ident)):
        done = mem(*(word.format(id=ident) for word in line), preexec_fn=bound_by_permissions)
        assert done.returncode in (0, 1 if line[0] == "similar" else 0), (line, done)
        assert "may only be read" not in done.stderr and "Traceback" not in done.stderr
    batch = mem("remember", "--batch", "--dry-run", input="a\nb\na", preexec_fn=bound_by_permissions)
    assert batch.returncode == 0 and "1 known already" in batch.stderr
    for line in (*WRITES, ("confirm", ident)):
        done = mem(*line, preexec_fn=bound_by_permissions)
        assert done.returncode == 4 and done.stderr.count("\n") == 1 and done.stdout == "", (line, done)
        assert str(closed) in done.stderr, line
    assert contents(closed) == before and not list(temporary.glob("mem-*"))


@bits
def test_a_file_alone_may_be_closed(mem: Run, closed: Path) -> None:
    mem("remember", "I prefer tea to coffee")
    (closed / "memory.db").chmod(0o400)
    assert "tea" in mem("recall", "tea", preexec_fn=bound_by_permissions).stdout
    assert mem("remember", "more tea", preexec_fn=bound_by_permissions).returncode == 4
    (closed / "memory.db").chmod(0o000)
    done = mem("list", preexec_fn=bound_by_permissions)
    assert done.returncode == 4 and "permissions" in done.stderr and done.stderr.count("\n") == 1


@pytest.fixture
def reading(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if nothing could be written: what the operating system says of it stays out of these tests."""
    monkeypatch.setattr(sqlite_file, "is_writable", lambda path: False)


def test_what_stands_in_the_log_only_is_read_too(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A writer is at work, or was killed: the last commits are not in the file itself."""
    path = own_home / "memory.db"
    with make_memories(path, TickingClock()) as writer:
        writer.remember("the cat is black")
        crashed = own_home / "crashed"
        crashed.mkdir()
        for name in ("memory.db", "memory.db-wal"):
            shutil.copy(own_home / name, crashed / name)
        with monkeypatch.context() as patch:
            patch.setattr(sqlite_file, "is_writable", lambda path: False)
            for place in (path, crashed / "memory.db"):
                before = contents(place.parent) if place.parent == crashed else {}
                with make_memories(place, TickingClock()) as reader:
                    assert [each.text for each in reader.store.select(reader.within())] == [
                        "the cat is black"
                    ]
                    with pytest.raises(ReadOnlyStore):
                        reader.remember("the dog is white")
                assert not before or contents(crashed) == before
        writer.remember("the cow is brown")


def test_a_copy_taken_while_somebody_writes_is_taken_again(
    memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = Path(memories.store.location)
    memories.remember("the cat is black")
    copied: list[str] = []
    copy = shutil.copyfile

    def interrupted(source: Any, target: Any) -> Any:
        done = copy(source, target)
        if not copied:
            memories.remember("the dog is white")
        copied.append(str(source))
        return done

    monkeypatch.setattr(shutil, "copyfile", interrupted)
    monkeypatch.setattr(sqlite_file, "is_writable", lambda path: False)
    store = open_store(path)
    assert sorted(each.text for each in store.select(memories.within())) == [
        "the cat is black", "the dog is white",
    ]  # fmt: skip
    store.close()
    assert len(copied) >= 4


def test_who_is_written_all_the_time_is_busy(
    memories: Memories, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    states = iter(range(10**6))
    monkeypatch.setattr(sqlite_copy, "_state", lambda path: [(next(states), 0, 0), None, None])
    with pytest.raises(StoreBusy, match="try again"):
        sqlite_copy.private_copy(Path(memories.store.location), 0.1, tmp_path)


@pytest.mark.skipif(sys.platform == "win32", reason="folders cannot be locked there")
def test_what_a_killed_reader_left_the_next_one_removes(memories: Memories, tmp_path: Path) -> None:
    import fcntl

    path = Path(memories.store.location)
    left, used, foreign = (
        Path(tempfile.mkdtemp(prefix=prefix, dir=tmp_path))
        for prefix in ("mem-copy-", "mem-copy-", "mem-notes-")
    )
    for each in (left, used, foreign):
        (each / "memory.db").write_bytes(b"words")
    descriptor = os.open(used, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    copy = sqlite_copy.private_copy(path, 1, tmp_path)
    assert copy.exists() and not left.exists() and used.exists() and foreign.exists()
    other = sqlite_copy.private_copy(path, 1, tmp_path)
    assert copy.exists()
    for each in (copy, other):
        sqlite_copy.remove_copy(each)
        assert not each.exists()
    os.close(descriptor)


def test_a_copy_is_its_owners_alone_and_goes(
    own_home: Path, reading: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = own_home / "tmp"
    place.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(place))
    seen: list[int] = []
    connect = sqlite.connect

    def looked(file: str, **options: Any) -> Any:
        seen.append(stat.S_IMODE(Path(file).parent.stat().st_mode))
        return connect(file, **options)

    (own_home / "memory.db").touch()
    monkeypatch.setattr(sqlite, "connect", looked)
    open_store(own_home / "memory.db").close()
    if sys.platform != "win32":
        assert seen == [0o700]
    assert list(place.iterdir()) == [] and (own_home / "memory.db").stat().st_size == 0
    monkeypatch.setattr("memcli.system.temporary.temporary_places", lambda: iter([place / "nowhere"]))
    monkeypatch.setattr("memcli.storage.sqlite.file.reading_copy.memory_copy", lambda path: None)
    with pytest.raises(StoreUnusable, match="TMPDIR"):
        open_store(own_home / "memory.db")


@pytest.mark.parametrize("is_legible", [True, False])
def test_what_may_only_be_read_is_neither_mended_nor_replaced_nor_set_aside(
    kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_legible: bool
) -> None:
    def settle(before: Store | None, after: Store) -> Erasure:
        raise AssertionError("a store that is to take the place was made")

    copy = shutil.copy(kept, tmp_path / "copy.db")
    if is_legible:
        with closing(open_database(kept)) as db:
            db.execute("UPDATE memories SET text = 'the mill grinds oats'")
    else:
        whole = kept.read_bytes()
        kept.write_bytes(whole[: 4 * PAGE_SIZE] + bytes(len(whole) - 4 * PAGE_SIZE))
    before = contents(kept.parent)
    monkeypatch.setattr(sqlite_file, "is_writable", lambda path: False)
    if is_legible:
        with pytest.raises(ReadOnlyStore):
            repair(kept, NOW, accept=False, busy_timeout=1)
    with pytest.raises(ReadOnlyStore):
        restoring.restore(kept, Path(copy), NOW, settle, busy_timeout=1, force=True)
    assert contents(kept.parent) == before
