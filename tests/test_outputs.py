"""Nothing that a command writes takes the place of what it must not."""

from __future__ import annotations

import os
import sqlite3
import stat
from pathlib import Path

import pytest

from tests.conftest import Run


@pytest.fixture
def filled(mem: Run) -> Path:
    """A store with something of everything that is written to files."""
    assert mem("remember", "Ann lives in Rome").returncode == 0
    assert mem("policy", "add", "x", "--rule", "Nobody deploys").returncode == 0
    return Path(os.environ["MEMCLI_DB"])


def writers(target: str) -> list[list[str]]:
    return [
        ["export", "-o", target], ["page", "-o", target], ["policy", "export", target],
        ["consolidate", "--plan", target],
    ]  # fmt: skip


def test_no_output_goes_over_the_store(mem: Run, filled: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(filled)
    (tmp_path / "hard").hardlink_to(filled)
    names = [str(filled), os.path.relpath(filled), str(tmp_path / "link"), str(tmp_path / "hard")]
    names += [f"{filled}{tail}" for tail in ("-wal", "-shm", "-journal")]
    for arguments in (*writers(names[0])[1:], *(writers(name)[0] for name in names)):
        done = mem(*arguments)
        assert done.returncode == 2 and done.stderr.count("\n") == 1, (arguments, done)
        assert "it is a store" in done.stderr
    assert (tmp_path / "link").is_symlink()
    assert "Ann lives in Rome" in mem("list").stdout and mem("doctor").returncode == 0


@pytest.mark.skipif(os.name == "nt", reason="devices are named otherwise there")
def test_what_is_no_file_is_one_line(mem: Run, filled: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    targets = ["", "/", "/dev/null", str(tmp_path), str(tmp_path / "pipe"), str(tmp_path / "no" / "x")]
    for arguments in (*writers("/dev/null")[1:], *(writers(target)[0] for target in targets)):
        done = mem(*arguments)
        assert done.returncode == 2 and done.stderr.count("\n") == 1, (arguments, done)
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode) and stat.S_ISFIFO(
        (tmp_path / "pipe").stat().st_mode
    )
    assert mem("export", "-o", "-").stdout == mem("export").stdout


@pytest.mark.skipif(os.name == "nt", reason="no umask there")
def test_exports_and_folders_are_private_whatever_the_umask(mem: Run, filled: Path, tmp_path: Path) -> None:
    assert mem("procedure", "add", "ship", input="# ship\n\n## Steps\n\n1. build\n").returncode == 0
    for umask in (0, 0o777):
        here = tmp_path / oct(umask)
        here.mkdir()
        assert mem("export", "-o", str(here / "a"), umask=umask).returncode == 0
        assert mem("procedure", "export", str(here / "b" / "c"), umask=umask).returncode == 0
        modes = {stat.S_IMODE(each.stat().st_mode) for each in here.rglob("*") if each.is_file()}
        assert modes == {0o600}
        assert {stat.S_IMODE((here / each).stat().st_mode) for each in ("b", "b/c")} == {0o700}


@pytest.mark.skipif(os.name == "nt", reason="no umask there")
def test_folders_of_an_agent_and_of_a_key_are_private_whatever_the_umask(
    mem: Run, filled: Path, tmp_path: Path, own_home: Path
) -> None:
    """Whoever could write into the folder of a skill would tell the agent what to do."""
    (tmp_path / "shared").mkdir()
    key = tmp_path / "a" / "b" / "key"
    assert (
        mem("sync", str(tmp_path / "shared"), "--encrypted", "--key-file", str(key), umask=0).returncode == 0
    )
    assert mem("init", "claude", umask=0).returncode == 0
    assert mem("hook", "install", "claude", umask=0).returncode == 0
    skills = own_home / ".claude"
    made = [skills, *(each for each in skills.rglob("*") if each.is_dir()), *key.parents[:2]]
    assert len(made) > 3
    assert {stat.S_IMODE(each.stat().st_mode) for each in made} == {0o700}


def test_no_output_goes_over_what_memcli_keeps_beside_the_store(mem: Run, filled: Path) -> None:
    config, key = Path(os.environ["MEMCLI_CONFIG"]), filled.with_name("key")
    assert mem("config", "set", "backup_days", "3").returncode == 0
    assert mem("encrypt", "--key-file", str(key)).returncode == 0
    assert mem("decrypt").returncode == 0
    names = [".damaged", ".erasing", ".copying", ".syncing", ".backup-20260101T000000Z", ".snapshot-a"]
    for name in (str(config), str(key), *(f"{filled}{tail}" for tail in names)):
        done = mem("export", "-o", name)
        assert done.returncode == 2 and done.stderr.count("\n") == 1, (name, done)
        assert "memcli itself keeps it" in done.stderr
    assert mem("config", "set", "backup_days", "4").returncode == 0
    assert mem("export", "-o", f"{filled}.jsonl").returncode == 0
    again = mem("encrypt", "--key-file", str(key))
    assert again.returncode == 0 and "Ann lives in Rome" in mem("list").stdout


def test_the_flag_of_damage_is_written_all_the_same(mem: Run, filled: Path) -> None:
    with sqlite3.connect(filled) as db:
        db.execute("UPDATE memories SET text = replace(text, 'Rome', 'Bath')")
    db.close()
    assert mem("doctor").returncode == 4 and filled.with_name(f"{filled.name}.damaged").exists()
    assert mem("doctor").returncode == 4
