"""Files for their owner's eyes: whole or not at all, and nothing replaced that is no file."""

from __future__ import annotations

import os
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from memcli.system.files import write_private, writing_private
from memcli.system.places import guard, make_private_folder


@pytest.mark.skipif(os.name == "nt", reason="no umask there")
@pytest.mark.parametrize("umask", [0, 0o777])
def test_files_and_folders_are_private_whatever_the_umask(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        make_private_folder(tmp_path / "new" / "one")
        write_private(tmp_path / "new" / "one" / "a", b"one")
        write_private(tmp_path / "new" / "run", b"two", mode=0o700)
    finally:
        os.umask(before)
    found = {each.name: stat.S_IMODE(each.stat().st_mode) for each in (tmp_path / "new").rglob("*")}
    assert found == {"one": 0o700, "a": 0o600, "run": 0o700}
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o700


def test_what_fails_on_the_way_leaves_the_old_file_and_nothing_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "a"
    write_private(path, b"old")
    with pytest.raises(KeyboardInterrupt), writing_private(path) as file:
        file.write(b"half of the n")
        raise KeyboardInterrupt
    assert [each.name for each in tmp_path.iterdir()] == ["a"] and path.read_bytes() == b"old"


def test_it_is_synced_before_it_has_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[bool] = []
    path = tmp_path / "a"
    monkeypatch.setattr(os, "fsync", lambda descriptor: seen.append(path.exists()))
    write_private(path, b"one")
    assert seen == ([False] if os.name == "nt" else [False, True])  # the file, then its folder


def test_a_link_is_written_through(tmp_path: Path) -> None:
    target = tmp_path / "elsewhere" / "real"
    target.parent.mkdir()
    target.write_bytes(b"old")
    (tmp_path / "link").symlink_to(target)
    write_private(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink() and target.read_bytes() == b"new"


@pytest.mark.skipif(os.name == "nt", reason="devices are named otherwise there")
@pytest.mark.parametrize("place", ["/dev/null", "/", "folder"])
def test_what_is_no_file_is_refused_and_stays(tmp_path: Path, place: str) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="not a file"):
        write_private(tmp_path / place, b"x")
    assert Path("/dev/null").is_char_device() and (tmp_path / "folder").is_dir()


def test_what_a_killed_writer_left_the_next_one_removes(tmp_path: Path) -> None:
    left, other = tmp_path / ".a.0123abcd.mem-part", tmp_path / ".a.0123abcd.part"
    for each in (left, other):
        each.write_bytes(b"half")
    with writing_private(tmp_path / "a") as file:
        file.write(b"who is at work is left alone")
        write_private(tmp_path / "b", b"whole")
        assert not left.exists() and len(list(tmp_path.glob(".a.*.mem-part"))) == 1
    assert other.exists() and (tmp_path / "a").read_bytes().startswith(b"who is at work")


def test_a_name_may_be_as_long_as_the_file_system_takes(tmp_path: Path) -> None:
    for name in ("ü" * 127, "a" * 255, "\U0001f600" * 63):
        write_private(tmp_path / name, b"x")
        assert (tmp_path / name).read_bytes() == b"x"


@pytest.mark.skipif(os.name == "nt", reason="no such pipes there")
def test_a_pipe_is_refused_and_a_link_in_a_circle(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "round").symlink_to("round")
    for name in ("pipe", "round", "a\0b"):
        with pytest.raises(OSError, match=r"not a file|link|name"):
            write_private(tmp_path / name, b"x")
    assert (tmp_path / "pipe").is_fifo()


def test_a_store_is_written_over_under_none_of_its_names(tmp_path: Path) -> None:
    store = tmp_path / "in" / "memory.db"
    store.parent.mkdir()
    store.write_bytes(b"encrypted, say")
    (tmp_path / "link").symlink_to(store)
    (tmp_path / "hard").hardlink_to(store)
    (tmp_path / "folder").symlink_to(store.parent)
    guard(store)
    names = ["in/memory.db", "in/../in/memory.db", "link", "hard", "folder/memory.db", "in/MEMORY.DB"]
    names += [f"in/memory.db{tail}" for tail in ("-wal", "-shm", "-journal", "-WAL")]
    for name in names:
        with pytest.raises(PermissionError, match="a store"):
            write_private(tmp_path / name, b"x")
    assert store.read_bytes() == b"encrypted, say" and len(list(store.parent.iterdir())) == 1
    write_private(store.with_name("memory.db.jsonl"), b"another file")


def test_no_database_is_written_over_nor_its_log(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "a.db")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("CREATE TABLE t (x)")
    before = {each: each.read_bytes() for each in tmp_path.iterdir()}
    assert len(before) == 3
    for each in before:
        with pytest.raises(PermissionError, match="a database"):
            write_private(each, b"x")
    assert {each: each.read_bytes() for each in tmp_path.iterdir()} == before
    connection.close()


def test_what_came_to_stand_there_meanwhile_is_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "export.jsonl"
    with pytest.raises(PermissionError), writing_private(path) as file:
        file.write(b"mine")
        with closing(sqlite3.connect(path)) as other:
            other.execute("CREATE TABLE theirs (a)")
    assert path.read_bytes().startswith(b"SQLite format 3") and [*tmp_path.iterdir()] == [path]


@pytest.mark.parametrize("head", [b"SQLite format 3\0", bytes(range(200, 256)) + bytes(24)])
def test_nothing_is_written_where_a_database_keeps_its_side_files(tmp_path: Path, head: bytes) -> None:
    """SQLite would write over it, or remove it: the plain database of anybody, and an encrypted one."""
    (tmp_path / "a.db").write_bytes(head)
    (tmp_path / "notes").write_text("a text ends in what a reader sees: äöü\n", encoding="utf-8")
    for tail in ("-wal", "-shm", "-journal"):
        with pytest.raises(PermissionError, match="a database"):
            write_private(tmp_path / f"a.db{tail}", b"x")
        write_private(tmp_path / f"notes{tail}", b"x")
        write_private(tmp_path / f"nothing{tail}", b"x")


@pytest.mark.parametrize("head", [b"SQLite format 3\0", bytes(range(200, 256)) + bytes(24)])
def test_nothing_is_written_where_memcli_keeps_its_own_beside_a_store_that_is_not_in_use(
    tmp_path: Path, head: bytes
) -> None:
    (tmp_path / "a.db").write_bytes(head)
    (tmp_path / "notes").write_text("a text\n", encoding="utf-8")
    for tail in (".damaged", ".erasing", ".backup-20260101T000000Z", ".snapshot-a"):
        with pytest.raises(PermissionError, match="itself keeps it"):
            write_private(tmp_path / f"a.db{tail}", b"x")
        write_private(tmp_path / f"notes{tail}", b"x")
    assert not [*tmp_path.glob("a.db.*")]
