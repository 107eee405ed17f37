"""What comes back into the folder from before an erasure, and what was refused: told, and taken care of."""

from __future__ import annotations

import shutil
from pathlib import Path

from memcli.changes.forgetting.hard import erase
from memcli.changes.forgetting.named import find_named
from tests.erasure import erase_memories
from tests.sync.damaged_histories import files
from tests.sync.machines import Machine, closing, knowledge

TEXT = "Quentomar hides the vermeilion ledger under the floor"


def says(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*.changes") if b"vermeil" in path.read_bytes()]


def test_own_change_files_from_before_an_erasure_that_come_back_are_written_anew(tmp_path: Path) -> None:
    one, two = Machine(tmp_path, "one"), Machine(tmp_path, "two")
    kept = one.memories.remember(TEXT)
    one.memories.remember("the ferry leaves at noon")
    one.sync()
    shutil.copytree(one.folder.path, tmp_path / "old")
    erase_memories(one.memories, [kept])
    one.sync()
    assert not says(one.folder.path)
    for path in (tmp_path / "old").rglob("*.changes"):
        target = one.folder.path / path.relative_to(tmp_path / "old")
        if not target.exists():
            shutil.copy(path, target)
    assert says(one.folder.path)
    report = one.sync()
    assert report.renewed and not says(one.folder.path)
    assert not one.sync().renewed
    two.sync()
    one.sync()
    assert knowledge(one.memories) == knowledge(two.memories)
    assert [each.text for each in two.memories.store.get(two.ids())] == ["the ferry leaves at noon"]
    closing([one, two])


def test_what_was_refused_is_told_by_every_sync_and_force_takes_it_from_the_files_as_they_are_now(
    tmp_path: Path,
) -> None:
    one, two = Machine(tmp_path, "one"), Machine(tmp_path, "two")
    one.sync()
    wanted = two.memories.remember("Bogdan Petrov has the key of the boathouse")
    other = two.memories.remember("the ferry leaves at noon")
    two.sync()
    one.memories.remember("Bogdan Petrov owes me twelve euros")
    erase(one.memories, find_named(one.memories, "Bogdan Petrov").targets)
    assert one.sync().taken.refused
    for _ in range(2):
        [note] = one.sync().notes
        assert "stay out" in note and "sync --force" in note
    erase_memories(two.memories, [other])
    before = {*files(two.folder)}
    two.sync()
    assert before - {*files(two.folder)}
    # Written anew, they are told again, and so is what is refused.
    assert one.sync().taken.refused and one.sync().notes
    assert not one.sync(force=True).notes and one.ids() == [wanted.id]
    assert not one.sync().notes
    closing([one, two])


def test_what_is_gone_from_where_it_was_refused_is_told_no_more(tmp_path: Path) -> None:
    one, two = Machine(tmp_path, "one"), Machine(tmp_path, "two")
    one.sync()
    wanted = two.memories.remember("Bogdan Petrov has the key of the boathouse")
    two.sync()
    one.memories.remember("Bogdan Petrov owes me twelve euros")
    erase(one.memories, find_named(one.memories, "Bogdan Petrov").targets)
    one.sync()
    erase_memories(two.memories, [wanted])
    two.sync()
    one.sync()
    assert not one.sync().notes
    closing([one, two])
