"""Change files that a medium or a program cut, emptied or changed: machines end up the same all the same."""

from __future__ import annotations

import os
import random
import sqlite3
from contextlib import closing as closed
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from memcli.errors import MemcliError
from memcli.sync.files import own_damage, segments
from memcli.sync.files.folder import File
from memcli.sync.merge_store import merge_store
from memcli.write_policy.drafts import Draft
from tests.sync.damaged_histories import files, live_through_damage
from tests.sync.machines import Machine, closing, knowledge


@settings(max_examples=20, suppress_health_check=list(HealthCheck))
# A line of history came after an erasure had taken a tag out of it elsewhere.
@example(seed=139242, sealed=True)
@given(st.integers(0, 2**32), st.booleans())
def test_after_cuts_and_flips_anywhere_three_machines_become_the_same(seed: int, sealed: bool) -> None:
    live_through_damage(seed, sealed=sealed)


def test_rot_that_no_time_tells_of_is_found_in_turns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is more than is read at once, each file has its turn."""
    one, two = Machine(tmp_path, "one"), Machine(tmp_path, "two")
    for text in ("the ferry leaves at noon", "the harbour is closed in winter", "the pier has two lamps"):
        one.memories.remember(Draft(text=text, kind="fact"))
        one.sync()
    monkeypatch.setattr(own_damage, "LARGE", 1)
    there = files(one.folder)
    for path in (there[0], there[-1]):
        content, status = bytearray(path.read_bytes()), path.stat()
        content[len(content) // 2] ^= 1
        path.write_bytes(content)
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    for _ in range(2 * len(there)):
        one.sync()
    two.sync()
    assert knowledge(one.memories) == knowledge(two.memories)
    closing([one, two])


@pytest.mark.parametrize("is_noted", [True, False])
def test_a_file_that_grew_beyond_all_reading_is_written_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_noted: bool
) -> None:
    one, two = Machine(tmp_path, "one"), Machine(tmp_path, "two")
    one.memories.remember(Draft(text="the ferry leaves at noon", kind="fact"))
    if not is_noted:
        monkeypatch.setattr("memcli.sync.run.look_over", lambda *_: own_damage.SegmentReview([], [], {}, ""))
        monkeypatch.setattr("memcli.sync.run.mark_of", unreadable)
    one.sync()
    monkeypatch.undo()
    monkeypatch.setattr(segments, "LARGEST", 10_000)
    with files(one.folder)[0].open("ab") as file:
        file.write(bytes(20_000))
    assert any("written again" in note for note in one.sync().notes)
    two.sync()
    assert knowledge(one.memories) == knowledge(two.memories)
    closing([one, two])


def unreadable(file: File) -> own_damage.Mark:
    raise segments.Unreadable(f"{file.id} cannot be read")


def test_a_file_of_another_machine_that_is_not_whole_is_left_as_it_is(tmp_path: Path) -> None:
    one, two = Machine(tmp_path, "one"), Machine(tmp_path, "two")
    one.memories.remember(Draft(text="the ferry leaves at noon", kind="fact"))
    one.sync()
    path = files(one.folder)[0]
    path.write_bytes(cut := path.read_bytes()[:50])
    report = two.sync()
    assert [name for name, _ in report.unread] == [f"{path.parent.name}/{path.name}"]
    assert path.read_bytes() == cut and not report.notes
    closing([one, two])


def test_what_is_damaged_stays_where_it_is_and_is_told(tmp_path: Path) -> None:
    one, two = Machine(tmp_path, "one"), Machine(tmp_path, "two")
    for text in ("the ferry leaves at noon", "the harbour is closed in winter"):
        two.memories.remember(Draft(text=text, kind="fact"))
    with closed(sqlite3.connect(two.path)) as db, db:
        db.execute("UPDATE memories SET text = 'the ferry sank' WHERE seq = 1")
    report = merge_store(one.memories, two.path)
    [note] = report.notes
    assert note == f"1 damaged record of {two.path} is not told; run `mem doctor --db {two.path}`"
    assert report.damaged == report.to_record()["damaged"] == 1 and len(one.ids()) == 1
    report = two.sync()
    assert report.damaged == 1 and report.notes == ["1 damaged record is not told; run `mem doctor`"]
    closing([one, two])


@pytest.mark.parametrize("how", ["cut", "encrypted"])
def test_where_another_store_cannot_be_read_the_way_out_is_about_that(tmp_path: Path, how: str) -> None:
    one, two = Machine(tmp_path, "one"), Machine(tmp_path, "two")
    two.memories.remember(Draft(text="the ferry leaves at noon", kind="fact"))
    two.memories.close()
    if how == "cut":
        two.path.write_bytes(two.path.read_bytes()[: 2**17])
    else:
        # As what is encrypted by another's key: nothing tells it from random bytes.
        two.path.write_bytes(random.Random(1).randbytes(2**17))
    with pytest.raises(MemcliError) as failed:
        merge_store(one.memories, two.path)
    assert str(two.path) in str(failed.value)
    assert str(failed.value).count("`mem ") == str(failed.value).count(f" --db {two.path}")
    one.memories.close()
