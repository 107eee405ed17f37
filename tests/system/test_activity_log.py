"""MEMCLI_LOG: what ran and what it changed, in ids; nothing that anybody said."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import MEM, Run

CALLS = (
    ("remember", "the marmalade is in the cellar", "--tag", "larder", "--space", "pantry"),
    ("remember", "--kind=preference", "I like marmalade"),
    ("recall", "where is the marmalade?", "--space=pantry"),
    ("task", "start", "find the marmalade"),
    ("block", "set", "owner", "her name is Marmalade"),
    ("link", "Marmalade", "lives_in", "Larder"),
    ("show", "marmalade"),
    ("remember", "the password of marmalade is hunter2-Larder"),
    ("marmalade",),
    ("recall", "--marmalade", "larder"),
    ("forget", "--query", "marmalade", "--reason", "too sweet", "--yes"),
    ("forget", "--hard", "--query", "marmalade", "--space", "pantry", "--yes"),
    ("undo",),
    ("import", "marmalade.jsonl"),
)


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "activity.jsonl"
    monkeypatch.setenv("MEMCLI_LOG", str(path))
    return path


def lines(log: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.read_text().splitlines()]


def test_a_log_holds_ids_and_no_word_that_was_said(mem: Run, log: Path, tmp_path: Path) -> None:
    for call in CALLS:
        mem(*call, cwd=tmp_path)
    assert len(lines(log)) == len(CALLS)
    assert not re.search(
        "marmalade|larder|pantry|sweet|owner|lives_in|hunter2", log.read_text(), re.IGNORECASE
    )


def test_a_line_says_what_ran_how_it_ended_and_what_it_changed(mem: Run, log: Path) -> None:
    added = mem("remember", "I drink tea", "--tag=hot").stdout.strip()
    mem("recall", "quantum chromodynamics")
    mem("show", "NQTHERE0")
    mem("task", "start", "list")
    wrote, found_nothing, failed, started = lines(log)
    assert (wrote["command"], wrote["exit_status"]) == (["remember", "--tag"], 0)
    assert [(each["action"], each["memories"]) for each in wrote["changes"]] == [("add", [added])]
    assert (found_nothing["command"], found_nothing["exit_status"]) == (["recall"], 1)
    assert found_nothing["changes"] == []
    assert (failed["error"], failed["exit_status"]) == ("not_found", 1)
    assert started["command"] == ["task", "start"]


def test_what_was_rolled_back_or_tried_is_not_logged_as_done(mem: Run, log: Path) -> None:
    mem("remember", "I drink tea", "--dry-run")
    assert lines(log)[0]["changes"] == []


def test_nothing_is_kept_where_it_is_off(mem: Run, tmp_path: Path) -> None:
    before = set(tmp_path.rglob("*"))
    mem("remember", "I drink tea", cwd=tmp_path)
    assert set(tmp_path.rglob("*")) == before


@pytest.mark.skipif(os.name == "nt", reason="modes are not what keeps a file private there")
def test_a_log_is_its_owner_s_alone_whatever_the_umask(mem: Run, log: Path) -> None:
    mem("path", umask=0)
    assert stat.S_IMODE(log.stat().st_mode) == 0o600


def test_a_log_is_never_written_into_something_else(mem: Run, tmp_path: Path) -> None:
    store = Path(mem("path").stdout.strip())
    mem("remember", "I drink tea")
    before = store.read_bytes()
    no_files = (str(tmp_path), os.devnull, str(tmp_path / "no" / "folder"))
    for target in (str(store), f"{store}-wal", f"{store}-journal", *no_files):
        done = mem("list", env={**os.environ, "MEMCLI_LOG": target})
        assert done.returncode == 2
        assert done.stdout == ""
        assert re.fullmatch(r"mem: MEMCLI_LOG: .*; name another file\n", done.stderr)
    assert store.read_bytes() == before and [*store.parent.iterdir()] == [store]


def test_neighbours_lines_stay_whole(mem: Run, log: Path) -> None:
    mem("path")
    crowd = [subprocess.Popen([MEM, "path"], stdout=subprocess.DEVNULL) for _ in range(6)]
    assert [each.wait(60) for each in crowd] == [0] * 6
    assert len(lines(log)) == 7


@pytest.mark.skipif(os.name == "nt", reason="no limit of a file's size there")
def test_a_line_that_has_no_room_is_lost_whole_and_changes_no_exit_status(mem: Run, log: Path) -> None:
    done = subprocess.run(
        ["bash", "-c", f"ulimit -f 1; for n in $(seq 20); do {MEM} path || exit; done"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0 and done.stdout.count("\n") == 20
    assert "this line was lost" in done.stderr and "Traceback" not in done.stderr
    kept = len(lines(log))
    assert 0 < kept < 20 and log.read_bytes().endswith(b"\n")
    # And where a line was cut all the same, the ones after it are whole.
    for cut in (b'{"a', log.read_bytes()[:-9]):
        log.write_bytes(cut)
        assert mem("path").returncode == 0
        assert json.loads(log.read_text().splitlines()[-1])["command"] == ["path"]
        assert mem("path").returncode == 0
