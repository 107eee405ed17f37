"""Which files are copies of a store: told by the real file, whatever it is called by."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memcli.errors import StoreBusy
from memcli.storage.known_copies import CopyKind
from memcli.storage.reports import Erasure, Repair
from memcli.storage.sqlite.file.copies import copy_path, is_gone, making_copy, names_of, part_of
from memcli.storage.stores import open_store, repair_store

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
