"""A path that leads to no store: a cut file, a folder, a device, a pipe; numbers that a column changes."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.conftest import Run


def test_a_cut_store_names_only_ways_that_help(mem: Run) -> None:
    assert mem("remember", "Ann lives in Rome").returncode == 0
    store = Path(os.environ["MEMCLI_DB"])
    whole = store.read_bytes()
    store.write_bytes(whole[:1])
    for command in (["list"], ["doctor"], ["doctor", "--repair"], ["backup", "list"]):
        done = mem(*command)
        said = done.stdout + done.stderr
        assert done.returncode == 4 and "cut to 1 byte;" in said and "--repair" not in said, done
        assert "backup list" not in said
    store.write_bytes(whole)
    mem("doctor")  # finds it well again
    made = mem("backup").stdout.strip()
    store.write_bytes(b"")
    assert f"mem backup restore {Path(made).name}" in mem("list").stderr
    assert mem("backup", "restore", Path(made).name, "--yes").returncode == 0
    assert "Rome" in mem("list").stdout


def test_a_text_file_is_called_no_store_and_by_its_own_name(mem: Run, tmp_path: Path) -> None:
    text = tmp_path / "text.db"
    for said in ("milk, bread and two eggs\n", "to buy: milk, bread, eggs\n" * 40):
        text.write_text(said, encoding="utf-8")
        text.chmod(0o400)
        done = mem("--db", str(text), "list")
        assert done.returncode == 4 and f"mem: {text}: is " in done.stderr, done
        assert "not a memcli store" in done.stderr
        assert "cut" not in done.stderr and text.read_text(encoding="utf-8") == said


def test_a_file_that_is_read_from_a_copy_is_named_as_it_was_given(mem: Run, tmp_path: Path) -> None:
    if not Path("/proc/version").exists():
        pytest.skip("Linux has it")
    done = mem("--db", "/proc/version", "list")
    assert done.returncode == 4 and "mem-copy-" not in done.stderr and "/proc/version: " in done.stderr


@pytest.mark.parametrize("name", ["/", ".", "/dev/zero", "pipe"])
def test_what_is_no_regular_file_is_no_store(mem: Run, tmp_path: Path, name: str) -> None:
    if sys.platform == "win32":
        pytest.skip("other devices there")
    os.mkfifo(tmp_path / "pipe")
    for command in (["list"], ["remember", "Ann lives in Rome"], ["doctor"], ["doctor", "--repair"]):
        done = mem("--db", name, *command, cwd=tmp_path)
        assert done.returncode == 4 and "name the file of a store" in done.stdout + done.stderr, done


def test_a_zero_with_a_sign_is_no_damage(mem: Run) -> None:
    draft = '{"text": "Ann lives in Rome", "importance": -0.0, "confidence": -0.0}'
    assert mem("remember", "--batch", input=draft).returncode == 0
    assert mem("link", "Ann", "works_at", "Acme", "--confidence", "-0.0").returncode == 0
    assert "not as memcli wrote it" not in mem("doctor").stdout
    assert mem("export", "--history").returncode == 0
