"""What a sync that was cut off leaves, in a store or a folder, hides and keeps nothing later."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from memcli.changes.forgetting import hard
from memcli.changes.forgetting.hard import erase
from memcli.changes.forgetting.receipt import ERASED
from memcli.changes.forgetting.targets import Targets
from memcli.changes.forgetting.unfinished import finish_erasure, stale_change_files
from memcli.changes.revision import edit_memory
from memcli.sync.erasures.after_erasure import renew_folders
from memcli.sync.files.folder import Folder
from memcli.upkeep.copies.backups import make_backup
from memcli.write_policy.drafts import Draft
from tests.sync.machines import Machine, all_told, closing, knowledge
from tests.sync.random_histories import Killed


# Which of two files of one number comes first is chance, by their digests.
@pytest.mark.parametrize("place", ["noon", "dawn", "dusk", "five", "nine", "six"])
def test_what_a_killed_sync_left_hides_no_later_change_once_files_are_renewed(
    tmp_path: Path, place: str
) -> None:
    one, two, three = (Machine(tmp_path, name) for name in ("one", "two", "three"))
    gone = three.memories.remember(Draft(text="Quentomar hides the vermeilion ledger", kind="fact"))
    all_told([one, two, three])
    kept = two.memories.remember(Draft(text=f"the ferry leaves at {place}", tags=("grove",), kind="fact"))
    write = Folder.write

    def killed(self: Folder, *given: Any) -> Any:
        write(self, *given)
        raise Killed

    with patch.object(Folder, "write", killed), pytest.raises(Killed):
        two.sync()
    two.reopen()
    one.sync()
    assert one.memories.find(kept.id).tags == ("grove",)
    edit_memory(two.memories, two.memories.find(kept.id), without_tags=["grove"])
    erase(three.memories, Targets([gone]))
    three.sync()
    two.sync()
    all_told([one, three, two])
    assert knowledge(one.memories) == knowledge(two.memories) == knowledge(three.memories)
    assert one.memories.find(kept.id).tags == ()
    closing([one, two, three])


def test_lines_of_a_memory_that_never_came_go_when_it_was_erased(tmp_path: Path) -> None:
    one, two = Machine(tmp_path, "one"), Machine(tmp_path, "two")
    gone = one.memories.remember(Draft(text="Quentomar hides the vermeilion ledger", kind="fact"))
    one.sync()
    record, _ = one.folder.listing().files
    content = record.path.read_bytes()
    record.path.unlink()  # it comes later, as a file that was written anew does
    two.sync()
    assert [each.action for each in two.memories.store.history(gone.id)] == ["add"]
    make_backup(two.memories)
    record.path.write_bytes(content)
    erase(one.memories, Targets([gone]))
    one.sync()
    assert two.sync().erased
    assert [each.action for each in two.memories.store.history(gone.id)] == ["erase"]
    all_told([one, two])
    assert knowledge(one.memories) == knowledge(two.memories)
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and b"uentomar" in path.read_bytes()]
    closing([one, two])


def holding(home: Path) -> list[Path]:
    return [path for path in home.rglob("*") if path.is_file() and b"uentomar" in path.read_bytes()]


@pytest.mark.parametrize("step", ["clean_files", "_receipt"])
def test_an_erasure_cut_off_before_its_change_files_is_not_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """Whatever of it is finished by then: what the folder still says is known until it is written anew."""
    one = Machine(tmp_path, "one")
    gone = one.memories.remember(Draft(text="Quentomar hides the vermeilion ledger", kind="fact"))
    one.sync()

    def killed(*given: Any, **options: Any) -> Any:
        raise Killed

    monkeypatch.setattr(hard, step, killed)
    with pytest.raises(Killed):
        erase(one.memories, Targets([gone]))
    one.reopen()
    finish_erasure(one.memories)
    assert list(stale_change_files(one.memories)) == [str(one.folder.path)]
    assert holding(one.folder.path)
    assert renew_folders(one.memories) == {str(one.folder.path): ERASED}
    assert not holding(tmp_path) and not stale_change_files(one.memories)
    closing([one])


def test_a_folder_that_nothing_was_told_to_keeps_no_erasure_unfinished(tmp_path: Path) -> None:
    one = Machine(tmp_path, "one")
    gone = one.memories.remember(Draft(text="Quentomar hides the vermeilion ledger", kind="fact"))
    one.sync(spaces=["elsewhere"])
    erase(one.memories, Targets([gone]))
    renew_folders(one.memories)
    assert not stale_change_files(one.memories)
    closing([one])
