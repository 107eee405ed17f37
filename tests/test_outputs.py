"""Nothing that a command writes takes the place of what it must not."""

from __future__ import annotations

import os
import sqlite3
import stat
from pathlib import Path
from random import Random

import pytest

from memcli.system.files import write_private
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


ENCRYPTED_ELSEWHERE = "perhaps an encrypted store"


@pytest.fixture
def sealed(mem: Run, filled: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """An encrypted store and its copies, of which no setting says anything; the store in use is another."""
    assert mem("encrypt", "--key-file", str(own_home / "key")).returncode == 0
    elsewhere = own_home / "elsewhere"
    for arguments in (["backup"], ["backup", str(elsewhere)], ["snapshot", "create", "s"]):
        assert mem(*arguments).returncode == 0
    monkeypatch.setenv("MEMCLI_CONFIG", str(own_home / "other.toml"))
    monkeypatch.setenv("MEMCLI_DB", str(own_home / "other.db"))
    assert mem("remember", "Bob lives in Bath").returncode == 0
    assert mem("policy", "add", "x", "--rule", "Nobody deploys").returncode == 0
    return [filled, elsewhere, *filled.parent.glob("*.backup-*"), *filled.parent.glob("*.snapshot-*")]


def test_no_output_goes_over_an_encrypted_store_whose_key_nobody_has(
    mem: Run, sealed: list[Path], own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (own_home / "key").unlink()
    before = {each: each.read_bytes() for each in sealed}
    assert len(before) == 4
    runs = [*writers(str(sealed[0])), *(writers(str(each))[0] for each in sealed[1:])]
    for origin in ("cli", "mcp:other"):
        monkeypatch.setenv("MEMCLI_ORIGIN", origin)
        for arguments in runs:
            done = mem(*arguments)
            assert done.returncode in (2, 3) and done.stderr.count("\n") == 1, (arguments, done)
            assert done.returncode == 3 or ENCRYPTED_ELSEWHERE in done.stderr
            assert {each: each.read_bytes() for each in sealed} == before, arguments
    for tail in ("-wal", "-shm", "-journal", ".damaged", ".conversion", ".backup-20260101T000000Z"):
        assert mem("export", "-o", f"{sealed[0]}{tail}").returncode == 2, tail


def test_no_output_goes_over_a_store_that_a_setting_names_whichever_is_in_use(
    mem: Run, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MEMCLI_DB")
    default = Path(mem("path").stdout.strip())
    key = own_home / "words"
    key.write_text("a passphrase\n")
    key.chmod(0o600)
    assert mem("config", "set", "db", str(own_home / "configured.db")).returncode == 0
    assert mem("config", "set", "key_file", str(key)).returncode == 0
    monkeypatch.setenv("MEMCLI_DB", str(own_home / "named.db"))
    other = str(own_home / "other.db")
    assert mem("remember", "Bob lives in Bath", "--db", other).returncode == 0
    note = Path(f"{os.environ['MEMCLI_CONFIG']}.new-key")
    stores = [default, own_home / "configured.db", own_home / "named.db"]
    names = [Path(f"{store}{tail}") for store in stores for tail in ("", "-wal", ".damaged", ".backup-a")]
    for name in (*names, key, note):
        name.parent.mkdir(parents=True, exist_ok=True)
        done = mem("export", "-o", str(name), "--db", other)
        assert done.returncode == 2, (name, done)
        assert name == key or not name.exists()
    assert key.read_text() == "a passphrase\n"


def test_what_is_no_text_is_not_written_over_and_a_text_is(tmp_path: Path) -> None:
    file = tmp_path / "file"
    random = Random(7)
    sizes = [80, 512, 1000, 4096, 16384, 16384 * 3, 16384 * 3 + 5]
    binary = [random.randbytes(size) for size in sizes for _ in range(20)]
    # The first page of a store was lost, and a picture.
    binary += [bytes(16384) + random.randbytes(16384), b"\x89PNG\r\n\x1a\n" + bytes(9), b"text, then \0"]
    keys = [b"# created: today\n# public key: age1\nAGE-SECRET-KEY-1", b"ab" * 32]
    for content in (*binary, *keys):
        file.write_bytes(content)
        with pytest.raises(PermissionError):
            write_private(file, b"new")
        assert file.read_bytes() == content
        write_private(file, b"new", own=True)
        assert file.read_bytes() == b"new"
    texts = ["", "Ann", "x" + "ü" * 5000, "xx" + "日本" * 5000, "\x1b[1m\x01\x7f a\ttab", "\ufeffmarked"]
    for content in (*(each.encode() for each in texts), b"age-encryption.org/v1\n\xff\0\xfe"):
        file.write_bytes(content)
        write_private(file, b"new")
        assert file.read_bytes() == b"new"


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="there is nothing that root cannot read")
def test_what_cannot_be_read_is_not_written_over(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"perhaps a store")
    file.chmod(0)
    with pytest.raises(PermissionError):
        write_private(file, b"new")


def test_no_output_goes_over_a_change_file_of_a_sync(mem: Run, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    mem("remember", "the ferry leaves at noon")
    mem("sync", str(folder))
    change_files = list(folder.rglob("*.changes"))
    link = tmp_path / "link"
    link.symlink_to(change_files[0])
    before = [path.read_bytes() for path in change_files]
    for path in (*change_files, link):
        done = mem("export", "-o", str(path))
        assert done.returncode == 2 and "memcli itself keeps it" in done.stderr
    assert [path.read_bytes() for path in change_files] == before
    assert mem("export", "-o", str(folder / "000001-abcdef12.changes")).returncode == 0
