"""A full disk: what asks is answered, what writes says the true cause, and whether anything was changed."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
import sqlcipher3.dbapi2 as sqlite

from memcli.errors import DamagedRow, ReadOnlyStore, StoreFull, StoreUnusable
from memcli.memories import Memories
from memcli.model import Filter
from memcli.storage import areas
from memcli.storage.sqlite.checks import check
from memcli.storage.sqlite.file import database_file as sqlite_file
from memcli.storage.sqlite.file import errors, room
from memcli.storage.stores import open_store
from memcli.system.temporary import temporary_places
from memcli.tiers.context import blocks
from memcli.upkeep.reindex import reindex_store
from tests.conftest import Run, TickingClock, make_memories
from tests.storage.conftest import refused

ASKS: tuple[tuple[str, ...], ...] = (
    ("list",), ("recall", "tea"), ("recall", "tea", "--json"), ("export", "--history"), ("stats",),
    ("context",), ("history",), ("list", "--as-of", "now"), ("profile",), ("similar", "{id}"),
    ("show", "{id}"), ("why", "{id}"),
)  # fmt: skip
WRITES: tuple[tuple[str, ...], ...] = (
    ("remember", "the dog is white"), ("forget", "{id}"), ("forget", "--hard", "{id}"), ("reindex",),
    ("consolidate",), ("log", "hello"), ("block", "set", "a", "b"),
    ("backup", "create"), ("snapshot", "create", "s"),
)  # fmt: skip


def mounted(folder: Path, size: str) -> bool:
    """Whether a file system of this size could be put there."""
    if sys.platform != "linux" or os.geteuid() or not shutil.which("mount"):
        return False
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    return subprocess.run(command, check=False, capture_output=True).returncode == 0


def fill(folder: Path) -> Path:
    with (folder / "fill").open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError as error:
            assert error.errno == errno.ENOSPC
    return folder / "fill"


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A file system of 2 MiB, with a store in it at `MEMCLI_DB`."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if not mounted(disk, "2m"):
        pytest.skip("nothing can be mounted here")
    monkeypatch.setenv("MEMCLI_DB", str(disk / "memory.db"))
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def said_of(done: subprocess.CompletedProcess[str]) -> str:
    assert done.stderr.count("\n") == 1, done
    return done.stderr


def test_all_that_asks_is_answered_with_the_cause_and_nothing_is_written(mem: Run, small: Path) -> None:
    ident = mem("remember", "I prefer tea to coffee").stdout.strip()
    filler = fill(small)
    before = (small / "memory.db").read_bytes()
    for line in ASKS:
        done = mem(*(word.format(id=ident) for word in line))
        assert done.returncode == (1 if line[0] == "similar" else 0), (line, done)
        assert "no space left on the device" in said_of(done), line
    assert "I prefer tea to coffee" in mem("recall", "tea").stdout
    found = [json.loads(line) for line in mem("doctor", "--json").stdout.splitlines()]
    assert [(each["name"], "no space left" in each["detail"]) for each in found if not each["ok"]] == [
        ("disk", True)
    ]
    for line in WRITES:
        done = mem(*(word.format(id=ident) for word in line))
        assert done.returncode == 4 and done.stdout == "", (line, done)
        assert "no space left on the device; nothing was changed" in said_of(done), line
    assert (small / "memory.db").read_bytes() == before
    filler.unlink()
    assert mem("list").stderr == "" and mem("remember", "the dog is white").returncode == 0


def test_going_back_to_a_copy_without_room_names_the_room(mem: Run, small: Path) -> None:
    mem("remember", "the dog is white")
    assert mem("backup", "create").returncode == 0
    fill(small)
    refused = mem("backup", "restore", "latest", "--yes")
    assert refused.returncode == 4 and "no space left" in refused.stderr and "writable" not in refused.stderr
    assert "nothing was changed" in refused.stderr
    assert mem("list").returncode == 0


def test_what_was_not_yet_in_the_file_is_read_from_the_log(mem: Run, small: Path, tmp_path: Path) -> None:
    with make_memories(tmp_path / "memory.db", TickingClock()) as writer:
        writer.remember("I prefer tea to coffee")
        for name in ("memory.db", "memory.db-wal"):  # as a killed writer leaves them
            shutil.copy(tmp_path / name, small / name)
    fill(small)
    assert "I prefer tea to coffee" in mem("list").stdout


def test_without_room_for_a_copy_in_one_folder_another_is_taken(
    mem: Run, small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mem("remember", "I prefer tea to coffee")
    fill(small)
    for temporary in (small, tmp_path / "nowhere"):
        monkeypatch.setenv("TMPDIR", str(temporary))
        assert "I prefer tea to coffee" in mem("list").stdout
        assert not list(small.glob("mem-*"))


@pytest.mark.skipif(sys.platform == "win32", reason="no resource limits")
def test_where_files_may_not_grow_the_cause_is_that(mem: Run) -> None:
    def bound(size: int) -> Callable[[], None]:
        import resource

        return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    mem("remember", "I prefer tea to coffee")
    for size in (0, 1000):
        done = mem("recall", "tea", preexec_fn=bound(size))
        assert "I prefer tea to coffee" in done.stdout and "ulimit" in said_of(done)
    done = mem("remember", "the dog is white", preexec_fn=bound(100_000))
    assert done.returncode == 4 and "ulimit -f); nothing was changed" in said_of(done)


@pytest.mark.skipif(sys.platform == "win32", reason="no resource limits")
@pytest.mark.parametrize("is_encrypted", [False, True])
def test_a_copy_or_a_log_that_may_not_grow_any_further_names_the_limit(
    mem: Run, tmp_path: Path, is_encrypted: bool
) -> None:
    def bound(size: int) -> Callable[[], None]:
        import resource

        return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    mem("remember", "I prefer tea to coffee")
    if is_encrypted:
        assert mem("encrypt", "--key-file", str(tmp_path / "key")).returncode == 0
    store = Path(mem("path").stdout.strip())
    many = "".join(f"depot {n} keeps {n * 37} crates of nails behind bay {n * 3}\n" for n in range(300))
    commands = (("backup", "create"), ("snapshot", "create", "s"), ("remember", "--batch"))
    for size in (100 << 10, store.stat().st_size - 5000, store.stat().st_size + 90_000):
        for command in commands[: 2 if size < store.stat().st_size else 3]:
            given = many if command[0] == "remember" else None
            done = mem(*command, preexec_fn=bound(size), **({"input": given} if given else {}))
            if done.returncode == 0:
                assert size > store.stat().st_size or command[0] == "remember", (command, size)
                continue
            assert done.returncode == 4 and "may not grow any larger here (ulimit -f)" in done.stderr, done
            assert "disk I/O" not in done.stderr and not list(store.parent.glob("*.part*"))


def test_with_room_nowhere_it_is_read_in_memory(
    own_home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = own_home / "memory.db"
    with make_memories(path, TickingClock()) as memories:
        memories.remember("I prefer tea to coffee")
    monkeypatch.setattr(sqlite_file, "is_writable", lambda path: False)
    monkeypatch.setattr("memcli.system.temporary.temporary_places", lambda: iter([tmp_path / "nowhere"]))
    with make_memories(path, TickingClock()) as memories:
        assert [each.text for each in memories.store.select(Filter())] == ["I prefer tea to coffee"]
        with pytest.raises(ReadOnlyStore):
            memories.remember("the dog is white")
    path.with_name("memory.db-wal").write_bytes(b"something that would be missed")
    with pytest.raises(StoreUnusable, match="TMPDIR"):
        open_store(path)


def test_the_folder_at_hand_is_none_for_copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert tmp_path not in list(temporary_places())


def test_a_store_that_could_not_be_made_leaves_nothing(
    own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*given: object, **options: object) -> None:
        raise StoreFull("no space left on the device")

    monkeypatch.setattr(sqlite_file, "_connect", full)
    with pytest.raises(StoreFull):
        open_store(own_home / "new" / "memory.db")
    assert not list(own_home.rglob("memory.db*"))


def test_nothing_was_changed_is_said_only_where_it_is_so(
    memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    memories.remember("I prefer tea to coffee")
    store = memories.store

    def full(*given: object) -> None:
        raise refused(sqlite.SQLITE_FULL, "database or disk is full")

    store._committed = False  # type: ignore[attr-defined]
    with monkeypatch.context() as patch, pytest.raises(StoreFull, match="nothing was changed"):
        patch.setattr(store, "_derive", lambda *given: explained(store, full))
        store.rebuild()
    with monkeypatch.context() as patch, pytest.raises(StoreFull, match="before that stays"):
        patch.setattr(store, "put_vectors", lambda *given: explained(store, full))
        reindex_store(memories)


def test_what_was_begun_before_a_write_knows_of_it_when_it_fails(
    memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the reader of a sync, which goes on between what is taken in."""
    store, full = memories.store, refused(sqlite.SQLITE_FULL, "database or disk is full")
    store._committed = False  # type: ignore[attr-defined]
    with pytest.raises(StoreFull, match="before that stays"), store._explained():  # type: ignore[attr-defined]
        memories.remember("I prefer tea to coffee")
        raise full

    class Full:
        def execute(self, *given: object) -> None:
            raise full

    asking = (lambda: store.clocks_since(0), lambda: store.unclocked("memory"), store.check, store.links)
    for asks in asking:
        with monkeypatch.context() as patch, pytest.raises(StoreFull, match="before that stays"):
            patch.setattr(store, "_db", Full())
            list(asks())


def test_a_damaged_row_that_is_met_after_a_write_is_not_said_to_have_stopped_all(memories: Memories) -> None:
    store = memories.store
    one, other = memories.remember("I prefer tea to coffee"), memories.remember("the dog is white")
    db = store.connection  # type: ignore[attr-defined]
    db.execute("UPDATE memories SET created_at = 'never' WHERE id = ?", (other.id,))
    for kept, first in (("nothing was changed", None), ("before that stays", one)):
        store._committed = False  # type: ignore[attr-defined]
        if first:
            memories.end([first.id], "over")
        with pytest.raises(DamagedRow, match=kept):
            store.put([replace(other, text="the dog is black")], memories.change("edit"), memories.now())


@pytest.mark.parametrize(
    ("code", "is_damage"),
    [(sqlite.SQLITE_CORRUPT, True), (sqlite.SQLITE_BUSY, False), (sqlite.SQLITE_FULL, False),
     (sqlite.SQLITE_NOMEM, False)],
)  # fmt: skip
def test_doctor_takes_no_disk_and_no_neighbour_for_damage(code: int, is_damage: bool) -> None:
    if is_damage:
        assert check._words_of(refused(code, "malformed")) == "malformed"
        return
    with pytest.raises(sqlite.OperationalError):
        check._words_of(refused(code, "not now"))


def explained(store: object, raises: Callable[[], None]) -> None:
    with store._explained():  # type: ignore[attr-defined]
        raises()


@pytest.mark.parametrize(
    ("number", "why"), [(errno.ENOSPC, "no space"), (errno.EDQUOT, "quota"), (errno.EFBIG, "ulimit")]
)
def test_the_cause_is_asked_of_the_system(
    own_home: Path, monkeypatch: pytest.MonkeyPatch, number: int, why: str
) -> None:
    """SQLite says "disk I/O error" for all of them."""
    monkeypatch.setattr(room, "write_error", lambda folder: OSError(number, os.strerror(number)))
    with pytest.raises(StoreFull, match=why), errors.explained_errors(own_home / "memory.db"):
        raise refused(sqlite.SQLITE_IOERR, "disk I/O error")


def test_where_no_log_can_be_kept_beside_the_store_every_command_says_so_in_a_line(
    mem: Run, small: Path, tmp_path: Path
) -> None:
    """A mount that may only be read, of a store plain and encrypted: SQLite itself cannot open it there."""
    key, elsewhere = tmp_path / "key", tmp_path / "folder"
    elsewhere.mkdir()
    convert = (("encrypt", "--key-file", str(key)), ("rekey", "--key-file", f"{key}2"), ("decrypt",))
    mem("remember", "I prefer tea to coffee")
    for _ in range(2):
        subprocess.run(["mount", "-o", "remount,ro", str(small)], check=True)
        before = (small / "memory.db").read_bytes()
        for line in (*convert, ("sync", str(elsewhere)), ("consolidate",), ("snapshot", "create", "a")):
            done = mem(*line)
            assert done.returncode in (2, 4) and done.stdout == "", (line, done)
            said_of(done)
        assert "mounted read-only" in said_of(mem("backup"))
        assert mem("doctor").returncode == mem("doctor", "--repair").returncode == 0
        assert (small / "memory.db").read_bytes() == before
        subprocess.run(["mount", "-o", "remount,rw", str(small)], check=True)
        assert mem(*convert[0]).returncode in (0, 2)


def test_a_full_disk_is_no_end_of_doctor_and_encrypt(mem: Run, small: Path, tmp_path: Path) -> None:
    mem("remember", "I prefer tea to coffee")
    (small / "memory.db-wal").touch()  # as a reader leaves it there
    fill(small)
    found = [json.loads(line) for line in mem("doctor", "--json").stdout.splitlines()]
    assert [each["name"] for each in found if not each["ok"]] == ["disk"]
    done = mem("encrypt", "--key-file", str(tmp_path / "key"))
    assert done.returncode == 4 and "no space left on the device; nothing was changed" in said_of(done)
    assert "no space left" in said_of(mem("backup"))


def test_a_conversion_without_room_for_the_new_file_says_so_in_a_line(
    mem: Run, small: Path, tmp_path: Path
) -> None:
    mem("remember", "I prefer tea to coffee")
    before = (small / "memory.db").read_bytes()
    (small / "filler").write_bytes(bytes(2 * 1024 * 1024 - 2 * len(before) + (1 << 17)))
    done = mem("encrypt", "--key-file", str(tmp_path / "key"))
    assert done.returncode == 4 and "no space left on the device; nothing was changed" in said_of(done)
    assert "I prefer tea to coffee" in mem("list").stdout
    assert not list(small.glob("*.converted*"))


def test_a_snapshot_dropped_to_make_room_is_told_to_be_gone(mem: Run, small: Path) -> None:
    """And what is on record of it goes with the next one that is made."""
    mem("remember", "the dog is white")
    assert mem("snapshot", "create", "first", "--note", "vermeilion").returncode == 0
    [file] = small.glob("*.snapshot-*")
    filler = fill(small)
    done = mem("snapshot", "drop", "first", "--yes")
    assert done.returncode == 4 and not file.exists()
    assert "the snapshot 'first' is gone" in said_of(done) and "nothing was changed" not in done.stderr
    filler.unlink()
    assert mem("snapshot", "create", "second").returncode == 0
    with make_memories(small / "memory.db", TickingClock()) as memories:
        records = list(memories.store.states(None, areas.SNAPSHOT.name))
        assert [each.value["name"] for each in records] == ["second"]


def test_a_store_whose_checkpoint_a_full_disk_has_stopped_is_sound(tmp_path: Path) -> None:
    """Its first page counts the pages that are still in the log."""
    path, copy = tmp_path / "memory.db", tmp_path / "copy.db"
    with make_memories(path, TickingClock()) as memories:
        memories.remember("the dog is white")
    reader = sqlite.connect(str(path), isolation_level=None)
    reader.execute("PRAGMA wal_autocheckpoint = 0")
    with make_memories(path, TickingClock()) as memories:
        for number in range(40):
            blocks.put_block(memories, f"pier-{number}", f"it has {number * 7} barrels of herring " * 40)
        shutil.copyfile(path, copy)
        shutil.copyfile(f"{path}-wal", f"{copy}-wal")
    reader.close()
    log = Path(f"{copy}-wal").read_bytes()
    size = int.from_bytes(log[8:12], "big")
    frames = [log[start : start + 24 + size] for start in range(32, len(log) - 24 - size + 1, 24 + size)]
    [*_, first_page] = [each[24:] for each in frames if each[:4] == (1).to_bytes(4, "big")]
    with copy.open("r+b") as file:
        file.write(first_page)
    assert int.from_bytes(first_page[28:32], "big") * size > copy.stat().st_size
    with closing(open_store(copy)) as store:
        assert not [each for each in store.check() if each.damage]
        assert len(list(store.states(None, areas.BLOCK.name))) == 40
