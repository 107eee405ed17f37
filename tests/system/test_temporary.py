"""Folders for what is needed in passing, and what killed processes left in theirs."""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from memcli.system import temporary
from tests.conftest import MEM, Run
from tests.warm.keepers import cold

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a folder cannot be locked there")
TEXT = "Ottokar buried the copper astrolabe in Wendeltreppe forty"


@pytest.fixture
def place(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The system's temporary folder, for this process and its children."""
    place = own_home / "passing"
    place.mkdir()
    monkeypatch.setenv("TMPDIR", str(place))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return place


def killed_import(place: Path) -> Path:
    """What an import leaves that is killed while it reads a text from stdin."""
    # Cold: what is killed is what reads.
    command = [str(MEM), "import", "--from", "markdown", "-"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, env=cold())
    assert process.stdin
    process.stdin.write(f"{TEXT}\n".encode() * 20_000)
    process.stdin.flush()
    ends = time.monotonic() + 60
    while not any(each.stat().st_size for each in place.glob("*/stdin")):
        assert time.monotonic() < ends
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    [left] = place.glob("*/stdin")
    return left


def test_a_folder_is_its_maker_s_alone_and_goes_with_the_block(place: Path) -> None:
    with temporary.temporary_folder() as folder:
        assert folder.parent == place and folder.stat().st_mode & 0o777 == 0o700
        temporary.remove_all_abandoned()
        assert folder.exists()
    assert not [*place.iterdir()]


def test_what_nobody_holds_goes_and_nothing_else(place: Path) -> None:
    left, strange, linked = place / "mem-copy-1", place / "mem-notes-1", place / "mem-copy-2"
    left.mkdir()
    strange.mkdir()
    (left / "stdin").write_text(TEXT)
    linked.symlink_to(strange)
    with temporary.temporary_folder() as held:
        assert held.exists() and not left.exists() and strange.exists() and linked.is_symlink()


def test_who_finds_his_new_folder_taken_for_abandoned_makes_another(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    make = tempfile.mkdtemp

    def swept_at_once(*, prefix: str, dir: Path) -> str:
        made.append(make(prefix=prefix, dir=dir))
        if len(made) == 1:
            temporary.remove_abandoned(dir)
        return made[-1]

    monkeypatch.setattr(tempfile, "mkdtemp", swept_at_once)
    with temporary.temporary_folder() as folder:
        assert [str(folder)] == made[1:] and folder.exists()


def test_an_erasure_leaves_nothing_in_what_was_killed(mem: Run, place: Path) -> None:
    ident = mem("remember", TEXT).stdout.strip()
    left = killed_import(place)
    assert TEXT in left.read_text()
    assert mem("forget", "--hard", ident, "--yes").returncode == 0
    assert not [*place.iterdir()]


def test_an_encryption_leaves_nothing_in_what_was_killed(mem: Run, place: Path, own_home: Path) -> None:
    mem("remember", TEXT)
    killed_import(place)
    assert mem("encrypt", "--key-file", str(own_home / "key")).returncode == 0
    assert not [*place.iterdir()]


def test_the_next_import_removes_what_was_killed(mem: Run, place: Path) -> None:
    left = killed_import(place)
    assert mem("import", "--from", "markdown", "-", input=f"{TEXT}\n").returncode == 0
    assert not left.exists() and not [*place.iterdir()]
