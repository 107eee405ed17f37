"""Files for their owner's eyes: whole or not at all, and nothing replaced that is no file."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from memcli.system.files import write_private, writing_private


def test_a_file_is_private_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        write_private(tmp_path / "a", b"one")
    finally:
        os.umask(before)
    assert (tmp_path / "a").read_bytes() == b"one"
    assert os.name == "nt" or stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o600


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


def test_what_a_killed_writer_left_goes_after_an_hour(tmp_path: Path) -> None:
    path = tmp_path / "notes[1]*.md"
    stale, fresh = (tmp_path / f".{path.name}.{name}.part" for name in ("dead", "busy"))
    others = tmp_path / ".notes1x.md.dead.part"
    for left in (stale, fresh, others):
        left.write_bytes(b"half")
    for old in (stale, others):
        os.utime(old, (0, 0))
    write_private(path, b"whole")
    assert not stale.exists() and fresh.exists() and others.exists()
