"""A copy counts only where somebody could go back to it; one of a damaged store says what it is."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memcli.consolidation.run import RunOptions, consolidate
from memcli.errors import StoreDamaged
from memcli.memories import Memories, open_memories
from memcli.storage.known_copies import CopyKind
from memcli.storage.sqlite import own_copies
from memcli.storage.sqlite.file.database_file import back_up
from memcli.upkeep.copies.backups import backups, make_backup, restore_backup, verify_copy
from memcli.upkeep.copies.snapshots import create_snapshot, snapshots
from tests.conftest import Run, TickingClock

TEXT = "The harbour office opens at seven"
DAMAGES = [
    "UPDATE memories SET text = 'Ines moved to Bergen' WHERE seq = 1",
    "UPDATE history SET reason = 'for another reason' WHERE number = 1",
    "UPDATE memory_words SET words = 'nothing of it' WHERE memory = 1",
]


def damage(path: Path, sql: str = DAMAGES[0]) -> None:
    """Change what stands in the file, as another program might."""
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(sql)


@pytest.mark.parametrize("sql", DAMAGES)
def test_no_copy_is_made_of_a_damaged_store_and_those_before_stay(
    memories: Memories, clock: TickingClock, tmp_path: Path, sql: str
) -> None:
    memories.remember(TEXT)
    sound, mine = make_backup(memories), make_backup(memories, tmp_path / "mine.db")
    was, name = mine.read_bytes(), Path(memories.store.location)
    damage(name, sql)
    clock.advance(days=30)
    there = sorted(name.parent.iterdir())
    for deed in (
        lambda: make_backup(memories),
        lambda: make_backup(memories, mine),
        lambda: create_snapshot(memories, "monday"),
        lambda: memories.store.back_up(memories.now()),
    ):
        with pytest.raises(StoreDamaged, match=r"is damaged, .*no copy was made"):
            deed()
    assert sorted(name.parent.iterdir()) == there and not snapshots(memories)
    assert {each.path for each in backups(memories)} == {sound, mine} and mine.read_bytes() == was
    assert verify_copy(sound, 1.0).ok


def test_a_night_says_that_it_made_no_backup_and_removes_none(
    memories: Memories, clock: TickingClock
) -> None:
    memories.remember(TEXT)
    for _ in range(9):
        clock.advance(days=8)
        memories.store.back_up(clock.instant)
    kept = memories.store.backups()
    damage(Path(memories.store.location))
    clock.advance(days=30)
    report = consolidate(memories, RunOptions(["expire", "tend"]))
    assert "is damaged, rows: 1 not as memcli wrote it" in str(report.damaged)
    assert memories.store.backups() == kept and all(verify_copy(path, 1.0).ok for path in kept)


def test_by_force_a_copy_is_kept_that_says_what_it_is(memories: Memories, tmp_path: Path) -> None:
    memories.remember(TEXT)
    path, mine = Path(memories.store.location), make_backup(memories, tmp_path / "mine.db")
    was = mine.read_bytes()
    damage(path)
    memories.close()
    with open_memories(path, force=True) as forced:
        for to in (None, tmp_path, mine):
            with pytest.raises(StoreDamaged, match=r"a copy of it as it is was made: .*\.damaged-"):
                make_backup(forced, to)
        made = [copy for copy in forced.store.copies() if copy.kind is CopyKind.DAMAGED]
        assert len(made) == 3 and all(each.path.exists() for each in made) and mine.read_bytes() == was
        assert all(each.is_set_aside for each in backups(forced) if each.path != mine)


def test_a_damaged_store_that_a_backup_replaces_is_kept_as_damaged(memories: Memories) -> None:
    memories.remember(TEXT)
    backup, path = make_backup(memories), Path(memories.store.location)
    damage(path)
    done = restore_backup(memories.config, path, backup, memories.now() + timedelta(hours=1))
    assert done.was_damaged and done.kept and ".damaged-" in done.kept.name
    assert [each.is_set_aside for each in backups(memories)] == [True, False]


def test_a_copy_that_is_not_as_the_store_is_none(memories: Memories, monkeypatch: pytest.MonkeyPatch) -> None:
    memories.remember(TEXT)

    def badly(connection: Any, target: Path) -> None:
        back_up(connection, target)
        damage(target)

    monkeypatch.setattr(own_copies, "back_up", badly)
    with pytest.raises(StoreDamaged, match=r"the copy is not as the store, rows: 1 .*Check the disk"):
        make_backup(memories)
    assert not backups(memories)


def test_the_commands_end_with_a_line_and_the_status_of_a_damaged_store(mem: Run, own_home: Path) -> None:
    mem("remember", TEXT)
    damage(own_home / "data" / "memory.db")
    for command in (["backup"], ["snapshot", "create", "monday"], ["consolidate"], ["--force", "backup"]):
        done = mem(*command)
        assert done.returncode == 4 and done.stderr.count("is damaged, rows: 1") == 1, command
    [line] = mem("backup", "list", "--json").stdout.splitlines()
    assert json.loads(line)["kind"] == "set aside, damaged"
