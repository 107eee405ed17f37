"""What an erasure takes out of another memory's history goes from it on all machines, whatever came first."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memcli.changes.forgetting.twice_rewritten import left_by_both
from memcli.changes.revision import edit_memory
from memcli.model import Event
from memcli.upkeep.copies.backups import make_backup
from memcli.write_policy.drafts import Draft
from tests.erasure import erase_memories
from tests.sync.machines import Machine, all_told, closing, knowledge

# A word that only the erased memory says, and a tag that another bore for a while.
WORD = "amberwood"


def holding(home: Path) -> list[str]:
    """The files below that hold the word."""
    files = [each for each in home.rglob("*") if each.is_file()]
    return sorted(str(each.relative_to(home)) for each in files if WORD.encode() in each.read_bytes())


def change_files(home: Path) -> set[Path]:
    return set((home / "folder").rglob("*.changes"))


def history(machine: Machine) -> str:
    return " ".join(map(str, machine.memories.store.history()))


def make_machines(home: Path) -> tuple[Machine, Machine, Machine, str, str]:
    """Two that know two memories, one of which the second tags and untags without telling; and a third."""
    one, two, three = (Machine(home, name) for name in ("one", "two", "three"))
    going = one.memories.remember(Draft(text=f"the {WORD} chest is sold", kind="fact")).id
    stays = one.memories.remember(Draft(text="the pier has two lamps", kind="fact")).id
    one.sync()
    two.sync()
    edit_memory(two.memories, two.memories.store.get([stays])[0], tags=[WORD])
    edit_memory(two.memories, two.memories.store.get([stays])[0], without_tags=[WORD])
    return one, two, three, going, stays


def test_a_line_that_comes_after_the_erasure_is_rewritten_once_its_machine_has_heard_of_it(
    tmp_path: Path,
) -> None:
    one, two, three, going, _ = make_machines(tmp_path)
    before = change_files(tmp_path)
    two.sync()
    told = {each: each.read_bytes() for each in change_files(tmp_path) - before}
    for file, whole in told.items():
        file.write_bytes(whole[: len(whole) // 2])  # as a slow medium hands it over
    erase_memories(one.memories, one.memories.store.get([going]))
    one.sync()
    three.sync()
    for file, whole in told.items():
        file.write_bytes(whole)
    three.sync()
    assert WORD in history(three)
    backup = make_backup(three.memories)
    all_told([one, two, three])
    assert WORD not in history(three) and knowledge(one.memories) == knowledge(three.memories)
    assert knowledge(one.memories) == knowledge(two.memories)
    for each in (one, two, three):
        assert not each.sync().told
    closing([one, two, three])
    assert backup.exists() and holding(tmp_path) == []


def test_what_another_machine_wrote_is_told_again_by_the_one_that_rewrote_it(tmp_path: Path) -> None:
    """The one that wrote it never had the memory that was erased, and sees nothing of it in its own line."""
    one, two, three, going, stays = make_machines(tmp_path)
    three.memories.remember(Draft(text="the ferry leaves at noon", kind="fact"))
    erase_memories(two.memories, two.memories.store.get([going]))
    two.sync()
    one.sync()
    three.sync()
    edit_memory(three.memories, three.memories.store.get([stays])[0], tags=[WORD])
    edit_memory(three.memories, three.memories.store.get([stays])[0], without_tags=[WORD])
    again = one.memories.remember(Draft(text=f"the {WORD} table is for sale", kind="fact")).id
    three.sync()
    one.sync()
    assert WORD in history(one)
    erase_memories(one.memories, one.memories.store.get([again]))
    all_told([one, two, three])
    assert knowledge(one.memories) == knowledge(two.memories) == knowledge(three.memories)
    assert WORD not in history(three)
    for each in (one, two, three):
        assert not each.sync().told
    closing([one, two, three])
    assert holding(tmp_path) == []


def event(**changed: Any) -> Event:
    line = Event(
        7, datetime(2026, 5, 3, tzinfo=UTC), "m", "edit", "cli:Ann", "said Ann",
        {"tags": ["a", "b"], "text": "x"}, {"tags": ["a", "b", "c"], "data": {"note": "n", "steps": []}},
    )  # fmt: skip
    return line._replace(**changed)


@pytest.mark.parametrize(
    ("theirs", "left"),
    [
        ({}, {}),
        ({"reason": None}, {"reason": None}),
        ({"actor": "cli:…"}, {"actor": "cli:…"}),
        ({"before": {"tags": ["b"], "text": "x"}}, {"before": {"tags": ["b"], "text": "x"}}),
        # Each took something else out.
        (
            {"after": {"tags": ["c"], "data": {"note": None, "steps": []}}},
            {"after": {"tags": ["c"], "data": {"note": None, "steps": []}}},
        ),
        # Another line, alike by chance: nothing of ours goes.
        ({"before": {"tags": ["b"], "text": "y"}, "reason": None}, {}),
        ({"before": {"text": "x"}}, {}),
        ({"before": None}, {}),
        ({"after": {"tags": ["c"], "data": {"note": "n", "steps": [1]}}}, {}),
    ],
)
def test_of_two_forms_of_a_line_what_both_say_is_left(theirs: dict[str, Any], left: dict[str, Any]) -> None:
    assert left_by_both(event(), event(**theirs)) == event(**left)
    # What says less already stays as it is.
    assert left_by_both(event(**left), event()) == event(**left)
