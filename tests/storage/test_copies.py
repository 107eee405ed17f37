"""Which files are copies of a store: told by the real file, whatever it is called by."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memcli.errors import NotFound, StoreBusy, StoreUnusable
from memcli.model import Change
from memcli.storage.encryption import FileKey, convert_store
from memcli.storage.known_copies import CopyKind
from memcli.storage.reports import Erasure, Repair
from memcli.storage.sqlite import own_copies, upkeep
from memcli.storage.sqlite.file.copies import copy_path, is_gone, making_copy, names_of, part_of
from memcli.storage.sqlite.file.opening import PAGE_SIZE, learn_key, open_database
from memcli.storage.stores import flag_store, open_store, repair_store, restore_store
from tests.conftest import Run
from tests.storage import older
from tests.storage.test_record import memory

AT = datetime(2026, 11, 22, 3, 15, tzinfo=UTC)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store in a folder of its own."""
    (tmp_path / "real").mkdir()
    path = tmp_path / "real" / "memory.db"
    open_store(path).close()
    return path


def copies_by(name: Path) -> list[Path]:
    store = open_store(name, create=False)
    found = [copy.path for copy in store.copies()]
    store.close()
    return found


def back_up_by(name: Path) -> Path:
    store = open_store(name, create=False)
    made = store.back_up(AT)
    store.close()
    return made


def test_copies_are_made_and_found_beside_the_real_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, link, chain = (
        path.parent.with_name("folder"),
        path.with_name("link.db"),
        path.parent.with_name("c"),
    )
    folder.symlink_to(path.parent)
    link.symlink_to("memory.db")
    chain.symlink_to(folder / "link.db")
    made = back_up_by(chain)
    assert made == copy_path(path, CopyKind.BACKUP, "20261122T031500Z") and made.parent == path.parent
    monkeypatch.chdir(path.parent.parent)
    for name in (path, link, chain, folder / "memory.db", Path("real/memory.db"), Path("real/../c")):
        assert copies_by(name) == [made], name
    assert names_of(chain) == [path, chain, path.with_name("link.db")]


def test_what_an_older_memcli_left_beside_a_symlink_is_found(path: Path) -> None:
    link = path.parent.with_name("memory.db")
    link.symlink_to(path)
    left = link.with_name("memory.db.before-schema-2.77")
    left.write_bytes(b"")
    assert copies_by(link) == [left]


def test_copies_made_by_a_hard_link_or_before_a_move_are_found_by_their_record(path: Path) -> None:
    hard = path.parent.with_name("hard.db")
    hard.hardlink_to(path)
    by_link = back_up_by(hard)
    assert by_link.parent == hard.parent and copies_by(path) == [by_link]
    hard.unlink()
    moved = path.with_name("moved.db")
    beside = back_up_by(path)
    path.rename(moved)
    assert copies_by(moved) == sorted([by_link, beside])


def test_a_copied_store_leaves_the_copies_of_the_other_alone(path: Path) -> None:
    made = back_up_by(path)
    other = path.parent.with_name("other.db")
    other.write_bytes(path.read_bytes())
    assert copies_by(other) == [] and copies_by(path) == [made]


def test_copies_elsewhere_are_on_record_there_or_not(path: Path) -> None:
    stick = path.parent.with_name("stick")
    store = open_store(path)
    store.note_copy(stick / "mine.db", CopyKind.BACKUP, AT)
    [copy] = store.copies()
    assert copy.elsewhere and copy.made == AT and not is_gone(copy)
    stick.mkdir()
    assert is_gone(copy) and not store.backups()
    assert store.forget_copy(stick / "mine.db") and not store.copies()
    store.close()


def test_whoever_makes_a_copy_is_alone_and_clears_what_the_killed_left(path: Path) -> None:
    left, theirs = part_of(copy_path(path, CopyKind.BACKUP, "20261121T031500Z")), path.with_name("x.part")
    for each in (left, theirs, mine := path.with_name("memory.db.backup-mine.part")):
        each.write_bytes(b"part")
    with making_copy(path, patience=0):
        assert not left.exists() and theirs.exists() and mine.exists()
        with pytest.raises(StoreBusy, match="copy"), making_copy(path, patience=0):
            pass
        with closing(open_store(path, busy_timeout=0.1)) as store:
            deeds: list[Callable[[], object]] = [
                lambda: store.back_up(AT),
                lambda: store.make_copy(CopyKind.SNAPSHOT, "one", AT),
                lambda: store.copy_to(path.with_name("elsewhere.db"), AT),
            ]
            for deed in deeds:
                with pytest.raises(StoreBusy, match="copy"):
                    deed()
            assert not [each for each in store.copies() if each.whole]
            assert not path.with_name("elsewhere.db").exists()


@pytest.mark.parametrize("by_repair", [False, True])
def test_what_a_killed_repair_left_goes_with_the_next_copy_or_repair(path: Path, by_repair: bool) -> None:
    folder = path.with_name(".memory.db.repair-abc")
    folder.mkdir()
    (folder / "damaged.db").write_bytes(b"what somebody said")
    if by_repair:
        assert repair_store(path, datetime(2026, 5, 3, tzinfo=UTC)) == Repair()
    else:
        back_up_by(path)
    assert not folder.exists()


@pytest.mark.parametrize("removed", [False, True])
def test_no_erasure_is_proven_while_the_log_of_a_damaged_copy_stands(path: Path, removed: bool) -> None:
    aside = copy_path(path, CopyKind.DAMAGED, "20260101T000000Z")
    log = aside.with_name(f"{aside.name}-wal")
    aside.touch()
    log.write_bytes(b"what somebody said" * 100)
    if removed:
        aside.unlink()
    with closing(open_store(path)) as store:
        [copy] = store.erase_from_copies(Erasure())
        assert copy.error and str(log) in copy.error and log.stat().st_size == 1800
        for each in (aside, log):
            each.unlink(missing_ok=True)
        assert not store.erase_from_copies(Erasure())


# What takes a name


class Disk:
    """Notes what is synced, and what takes or loses a name, in the order in which it is done."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self._folder = folder
        # A file's identity and state, or that of a folder; a name that is gone; a name that was taken.
        self.done: list[tuple[str, Any]] = []
        self._note(patch, "fsync", lambda descriptor: ("sync", self._state(descriptor)), first=True)
        for call in ("replace", "rename", "link"):
            self._note(patch, call, lambda old, new: ("name", (self._state(old), Path(new))), first=True)
        self._note(patch, "unlink", lambda path: ("gone", Path(path)), first=False)

    def _note(self, patch: pytest.MonkeyPatch, name: str, told: Callable[..., Any], *, first: bool) -> None:
        call = getattr(os, name)

        def noted(*given: Any, **options: Any) -> Any:
            if first:
                self.done.append(told(*given))
                return call(*given, **options)
            answer = call(*given, **options)
            self.done.append(told(*given))
            return answer

        patch.setattr(os, name, noted)

    def _state(self, file: Any) -> tuple[int, int]:
        there = os.fstat(file) if isinstance(file, int) else Path(file).stat()
        return there.st_ino, 0 if stat.S_ISDIR(there.st_mode) else there.st_mtime_ns

    def taken(self) -> Iterator[tuple[int, tuple[int, int], Path]]:
        """What took a name here, and at which step."""
        for step, (what, about) in enumerate(self.done):
            if what == "name" and about[1].is_relative_to(self._folder):
                yield step, *about

    def synced(self, state: tuple[int, int], steps: range) -> bool:
        """Whether it was synced in one of these steps, and not written to since."""
        return any(self.done[step] == ("sync", state) for step in steps if step < len(self.done))


KEY = FileKey(bytes(32), bytes(range(16)))


def _make_copy(path: Path, copy: Path) -> None:
    with closing(open_store(path)) as store:
        store.make_copy(CopyKind.SNAPSHOT, "s", AT)


def _copy_elsewhere(path: Path, copy: Path) -> None:
    (path.parent / "usb").mkdir()
    with closing(open_store(path)) as store:
        for _ in range(2):  # a new name, and the one of the copy before
            store.copy_to(path.parent / "usb" / "x.db", AT)
            # Of the name that it had while it was written nothing is on record.
            elsewhere = [each.path.name for each in store.copies() if each.elsewhere]
            assert elsewhere == ["x.db"]


def _restore(path: Path, copy: Path) -> None:
    restore_store(path, copy, AT, lambda *_: Erasure())


def _restore_over_damage(path: Path, copy: Path) -> None:
    path.write_bytes(b"x" * 5000)
    restore_store(path, copy, AT, lambda *_: Erasure(), force=True)


def _restore_what_is_gone(path: Path, copy: Path) -> None:
    path.unlink()
    restore_store(path, copy, AT, lambda *_: Erasure())


def _mend(path: Path, copy: Path) -> None:
    with closing(open_database(path)) as db:
        db.execute("UPDATE states SET value = '{}'")
    assert repair_store(path, AT).set_aside


def _salvage(path: Path, copy: Path) -> None:
    path.write_bytes(path.read_bytes()[:-PAGE_SIZE])
    assert repair_store(path, AT).salvaged


def _encrypt(path: Path, copy: Path) -> None:
    learn_key(KEY.salt, KEY.key)
    convert_store(path, KEY, 1)


@pytest.mark.skipif(sys.platform == "win32", reason="folders are not synced there")
@pytest.mark.parametrize(
    ("deed", "left"),
    [
        (_make_copy, {"memory.db.snapshot-s"}),
        (_copy_elsewhere, {"usb"}),
        (_restore, {"memory.db.backup-20261122T031500Z-before-restore"}),
        (_restore_over_damage, {"memory.db.damaged-20261122T031500Z"}),
        (_restore_what_is_gone, set()),
        (_mend, {"memory.db.damaged-20261122T031500Z"}),
        (_salvage, {"memory.db.damaged-20261122T031500Z"}),
        (_encrypt, set()),
    ],
)
def test_what_takes_a_name_is_on_disk_before_and_its_folder_after_and_nothing_else_is_left(
    path: Path, deed: Callable[[Path, Path], None], left: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = back_up_by(path)
    here = {each.name for each in path.parent.iterdir()}
    disk = Disk(path.parent, monkeypatch)
    deed(path, copy)
    taken = [*disk.taken()]
    for step, state, name in taken:
        if name.name.endswith(".unconverted"):  # the old file's other name, for who overwrites it
            continue
        assert disk.synced(state, range(step)), name
        folder = (name.parent.stat().st_ino, 0)
        assert disk.synced(folder, range(step, len(disk.done))), name
        # A log that is another's must not be found beside it.
        logs = [at for at, (what, about) in enumerate(disk.done[:step])
                if what == "gone" and about.name == f"{name.name}-wal"]  # fmt: skip
        assert all(disk.synced(folder, range(at, step)) for at in logs), name
    assert taken or deed in (_restore, _mend)
    assert {each.name for each in path.parent.iterdir()} - here == left
    for new in {path.parent / name for name in left - {"usb"}} - {name for _, _, name in taken}:
        on_disk = disk.done.index(("sync", (new.stat().st_ino, new.stat().st_mtime_ns)))
        # And known there before anything else has its name.
        until = next((step for step, _, _ in taken if step > on_disk), len(disk.done))
        assert disk.synced((new.parent.stat().st_ino, 0), range(on_disk, until)), new
    open_store(path, create=False).close()


@pytest.mark.skipif(sys.platform == "win32", reason="folders are not synced there")
def test_the_copy_before_a_change_of_the_schema_is_on_disk_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    older.at(tmp_path / "memory.db", 4, monkeypatch)
    disk = Disk(tmp_path, monkeypatch)
    open_store(tmp_path / "memory.db").close()
    [(step, state, name)] = disk.taken()
    assert name.name.startswith("memory.db.before-schema-") and disk.synced(state, range(step))
    assert disk.synced((tmp_path.stat().st_ino, 0), range(step, len(disk.done)))


@pytest.mark.parametrize("kind", [CopyKind.BACKUP, CopyKind.SNAPSHOT, CopyKind.UPGRADE])
@pytest.mark.parametrize("label", ["", "-on-demand", "-0a1b2c-on-demand", "-before-restore"])
def test_what_a_killed_writer_left_the_next_command_removes_whatever_it_made(
    mem: Run, kind: CopyKind, label: str
) -> None:
    mem("remember", "the mill grinds rye")
    store = Path(mem("path").stdout.strip())
    part = part_of(copy_path(store, kind, f"20261121T031500Z{label}"))
    part.touch()
    journal = part.with_name(f"{part.name}-journal")
    journal.write_bytes(bytes(512))
    store.with_name(f"{store.name}.copying").touch()
    mine = store.with_name(f"{store.name}.backup-mine.part")
    mine.touch()
    assert mem("list").returncode == 0
    assert not part.exists() and not journal.exists() and mine.exists()


def test_what_was_left_of_a_copy_elsewhere_goes_with_an_erasure(path: Path) -> None:
    stick = path.parent / "usb"
    stick.mkdir()
    part = part_of(stick / ".x.db.mem-copy")
    part.write_bytes(b"half of it")
    with closing(open_store(path)) as store:
        store.note_copy(part, CopyKind.BACKUP, AT)
        assert [(each.path, each.whole, each.is_part) for each in store.copies()] == [(part, False, True)]
        assert not [each for each in store.erase_from_copies(Erasure(ids=["0"])) if each.error]
        assert not part.exists() and not store.copies()


def test_a_copy_that_fails_leaves_no_part_and_one_that_a_killed_one_left_is_in_nobodys_way(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stick = path.parent / "usb"
    stick.mkdir()
    part = part_of(stick / ".x.db.mem-copy")
    part.write_bytes(b"half of it" * 1000)
    with closing(open_store(path)) as store:
        store.copy_to(stick / "x.db", AT)
        assert [each.name for each in stick.iterdir()] == ["x.db"]
        (stick / "x.db").unlink()

        def full(db: object, target: Path) -> None:
            target.write_bytes(b"half of it")
            raise OSError(28, "no space left")

        monkeypatch.setattr(own_copies, "back_up", full)
        before = {each.name for each in path.parent.iterdir()}
        with pytest.raises(StoreUnusable, match="no space left"):
            store.copy_to(stick / "x.db", AT)
        with pytest.raises(StoreUnusable, match="no space left"):
            store.back_up(AT)
        assert not list(stick.iterdir()) and not store.copies()
        assert {each.name for each in path.parent.iterdir()} == before


def test_what_is_unused_is_given_back_a_little_at_a_time(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(open_store(path)) as store:
        some = [memory(f"{number} " * 2000) for number in range(40)]
        for each in some:
            store.put([each], Change("add"), AT)
        # Of the index of words, too, parts are made one.
        monkeypatch.setattr(upkeep, "_KEPT_FREE", 10**6)
        assert store.tend()
        store.erase([each.id for each in some], Change("erase"), AT)
        db = store.connection  # type: ignore[attr-defined]

        def free() -> int:
            [(pages,)] = db.execute("PRAGMA freelist_count")
            return int(pages)

        monkeypatch.setattr(upkeep, "_FREED_PAGES", 2)
        monkeypatch.setattr(upkeep, "_KEPT_FREE", 3)
        left = free()
        assert left > 5 and store.tend() and free() == left - 2
        while free() > 3:
            assert store.tend()
        for _ in range(50):
            if not store.tend():
                break
        assert not store.tend() and 0 < free() <= 3


def test_what_is_not_there_is_not_repaired_and_what_is_flagged_is(path: Path) -> None:
    with pytest.raises(NotFound, match="no store there"):
        repair_store(path.with_name("none.db"), AT)
    assert not path.with_name("none.db").exists()
    flag_store(path, ["rows: memory 1"])
    assert repair_store(path, AT) == Repair()
    with closing(open_store(path)) as store:
        assert store.hindrance is None
    flag_store(path, ["rows: memory 1"])
    with closing(open_database(path)) as db:
        db.execute("INSERT INTO word_index (rowid, words) VALUES (1, 'zebra')")
        db.execute("UPDATE states SET value = '{}'")
    assert repair_store(path, AT).rebuilt
    with closing(open_store(path)) as store:
        assert store.hindrance is None and all(each.ok for each in store.check() if each.damage)


def test_what_cannot_be_removed_is_in_no_copys_way(path: Path) -> None:
    (path.parent / "theirs").mkdir()
    link = path.with_name(".memory.db.repair-abc")
    link.symlink_to("theirs")
    made = back_up_by(path)
    assert made.exists() and link.is_symlink() and (path.parent / "theirs").exists()
