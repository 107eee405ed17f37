"""An undo never reaches in silence behind what came in since: by a merge, a restore, a sync."""

from __future__ import annotations

import json
from pathlib import Path

from tests.conftest import Run

MINE, THEIRS = "The car is parked in Harbour Street", "The spare key lies with Ann Miller"


def test_behind_a_merge_it_is_refused_and_names_what_was_done_before(mem: Run, tmp_path: Path) -> None:
    other = str(tmp_path / "other.db")
    mem("remember", MINE)
    mem("--db", other, "remember", THEIRS)
    assert mem("merge-store", other).returncode == 0
    for words in ([], ["--json"]):
        done = mem("undo", *words)
        assert done.returncode == 3 and not done.stdout
        assert f"the merge of {other}" in done.stderr and "no undo takes it back" in done.stderr
        assert "(add of 20" in done.stderr and MINE in done.stderr
    assert len(mem("list", "--format", "ids").stdout.split()) == 2
    # What is done after it is taken back; then it is the last again. By its name goes what was before.
    later = mem("remember", "The boiler was serviced in May").stdout.strip()
    assert later[-8:] in mem("undo").stdout and mem("undo").returncode == 3
    named = done.stderr.partition("`mem undo ")[2].partition("`")[0]
    assert MINE in mem("undo", named).stdout and THEIRS in mem("list").stdout
    # A merge that brings nothing is none.
    mem("remember", "The bins are emptied on Tuesday")
    assert mem("merge-store", other).returncode == 0 and mem("undo").returncode == 0


def test_behind_a_restore_it_is_refused_and_the_store_that_was_replaced_is_named(mem: Run) -> None:
    batch = "\n".join(f"Box number {number} holds the papers of {2000 + number}" for number in range(5))
    mem("remember", "--batch", input=batch)
    copy = mem("backup").stdout.strip()
    mem("remember", MINE)
    assert mem("backup", "restore", copy, "--yes").returncode == 0
    done = mem("undo")
    assert done.returncode == 3 and f"the restore of {copy}" in done.stderr
    assert "`mem backup list`" in done.stderr and len(mem("list", "--format", "ids").stdout.split()) == 5


def test_behind_a_sync_the_last_change_made_here_goes_and_what_came_is_named(
    mem: Run, tmp_path: Path
) -> None:
    other, folder = str(tmp_path / "other.db"), tmp_path / "shared"
    folder.mkdir()
    mem("remember", MINE)
    assert mem("sync", str(folder)).returncode == 0
    mem("--db", other, "remember", THEIRS)
    assert mem("--db", other, "sync", str(folder)).returncode == 0
    assert mem("sync", str(folder)).returncode == 0
    done = mem("undo", "--json")
    said = json.loads(done.stdout)
    assert [each["text"] for each in said["memories"]] == [MINE]
    [line] = said["left"]
    assert f"the sync with {folder}" in line and f"left as it is: {line}" in done.stderr
    # Nothing came since.
    mem("remember", "The bins are emptied on Tuesday")
    assert mem("sync", str(folder)).returncode == 0 and "left as it is" not in mem("undo").stderr


def test_what_came_into_another_space_alone_stands_before_nothing(mem: Run, tmp_path: Path) -> None:
    other = str(tmp_path / "other.db")
    mem("remember", MINE)
    mem("--db", other, "remember", "--space", "hof", THEIRS)
    assert mem("merge-store", other, "--space", "hof").returncode == 0
    assert MINE in mem("undo").stdout
