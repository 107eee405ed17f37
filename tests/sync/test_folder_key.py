"""The key of a sync's folder: where it may lie, and what is no key."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memcli.errors import BadInput, MemcliError
from memcli.sync.files.folder_key import read_or_make_key
from tests.conftest import Run

pytest.importorskip("pyrage")


@pytest.mark.parametrize("name", ["key", "sub/key", "../folder/key", "../link/key"])
def test_a_key_in_the_folder_that_it_locks_is_refused(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "folder"
    (folder / "sub").mkdir(parents=True)
    (tmp_path / "link").symlink_to(folder)
    for made in (tmp_path / "link", folder):
        with pytest.raises(BadInput, match="elsewhere"):
            read_or_make_key(folder / name, made, make=True)
    assert not [each for each in folder.rglob("*") if each.is_file()]
    outside = tmp_path / "folder.key"
    made_key = read_or_make_key(outside, folder, make=True)
    assert read_or_make_key(outside, folder, make=False) == made_key
    (folder / "sub" / "key").write_text(made_key)
    with pytest.raises(BadInput, match="elsewhere"):
        read_or_make_key(folder / "sub" / "key", folder, make=False)


@pytest.mark.skipif(os.name == "nt", reason="no pipes with names, and no /dev")
def test_what_is_no_file_is_no_key_and_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe", 0o600)
    (tmp_path / "long").write_bytes(b"#" * 100_000)
    (tmp_path / "long").chmod(0o600)
    for name in (tmp_path / "pipe", tmp_path / "long", tmp_path, tmp_path / "none", Path("/dev/zero")):
        with pytest.raises(MemcliError):
            read_or_make_key(name, tmp_path / "folder", make=False)


def test_a_mistyped_folder_makes_no_key(mem: Run, tmp_path: Path) -> None:
    key = tmp_path / "keys" / "sync.key"
    done = mem("sync", str(tmp_path / "none"), "--encrypted", "--key-file", str(key))
    assert done.returncode == 2 and "there is no such folder" in done.stderr
    assert not key.parent.exists()


def test_of_many_files_of_others_a_few_are_named(mem: Run, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    for number in range(30):
        (folder / f"photo-{number:02}.jpg").touch()
    mem("remember", "The regatta is in June")
    said = mem("sync", str(folder)).stderr.splitlines()
    assert len(said) == 9 and said[0].endswith("photo-00.jpg: no file of memcli")
    assert said[-1] == "mem: left alone: 22 more; --json names all"
