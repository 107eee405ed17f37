"""Two that change the same memory at once: nothing is lost, nothing erased comes back."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memcli.changes import revision
from memcli.errors import BadInput, NotFound
from memcli.memories import Memories
from memcli.model import Memory
from memcli.upkeep import spaces
from memcli.write_policy.admission import ExaminedWrite, PreparedWrite
from memcli.write_policy.settings import WriteOptions
from tests.conftest import MEM, Run, TickingClock, make_memories
from tests.erasure import erase_memories


@pytest.fixture
def well(memories: Memories) -> Memory:
    return memories.remember("The well is six metres deep")


@pytest.fixture
def neighbour(memories: Memories, own_home: Path, clock: TickingClock) -> Iterator[Memories]:
    with make_memories(own_home / "memory.db", clock) as opened:
        yield opened


def said(memories: Memories) -> list[str]:
    return sorted(memory.text for memory in memories.store.select(memories.within()))


def test_edits_at_once_are_all_kept(mem: Run) -> None:
    ident = mem("remember", "The pond froze").stdout.strip()
    running = [
        subprocess.Popen([MEM, "edit", ident, "--tag", f"t{i}"], stdout=subprocess.DEVNULL) for i in range(4)
    ]
    assert [each.wait() for each in running] == [0] * 4
    assert "t0, t1, t2, t3" in mem("show", ident).stdout


def test_a_correction_follows_one_that_came_first(
    memories: Memories, neighbour: Memories, well: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    between(
        monkeypatch,
        lambda: revision.correct_memory(neighbour, well, "The well is seven deep", WriteOptions()),
    )
    decision = revision.correct_memory(memories, well, "The well is eight metres deep", WriteOptions())
    assert said(memories) == ["The well is eight metres deep"]
    assert any("superseded already" in note for note in decision.notes)


def test_nothing_is_carried_over_from_what_was_erased_meanwhile(
    memories: Memories, neighbour: Memories, well: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    between(monkeypatch, lambda: erase_memories(neighbour, [well], "forgotten"))
    with pytest.raises(NotFound, match="any more"):
        revision.correct_memory(memories, well, "The well is eight metres deep", WriteOptions())
    assert said(memories) == []


def test_what_was_forgotten_meanwhile_is_not_corrected(
    memories: Memories, neighbour: Memories, well: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    between(monkeypatch, lambda: neighbour.end([well.id], "forgotten"))
    with pytest.raises(BadInput, match="mem restore"):
        revision.correct_memory(memories, well, "The well is eight metres deep", WriteOptions())


def test_a_merge_takes_what_was_changed_meanwhile(
    memories: Memories, neighbour: Memories, well: Memory
) -> None:
    other = memories.remember("Moss grows on the well")
    revision.edit_memory(neighbour, well, tags=["deep"])
    assert revision.merge_memories(memories, [well, other]).tags == ("deep",)
    with pytest.raises(BadInput, match="was ended"):
        revision.merge_memories(memories, [well, other])


@pytest.mark.parametrize("late", ["merge", "move"])
def test_nothing_erased_comes_back_by_a_late_change(
    memories: Memories, neighbour: Memories, well: Memory, late: str
) -> None:
    other = memories.remember("Moss grows on the well")
    erase_memories(neighbour, [well], "forgotten")
    with pytest.raises(NotFound, match="any more"):
        if late == "merge":
            revision.merge_memories(memories, [well, other])
        else:
            spaces.move_memories(memories, [well], "attic")
    assert said(memories) == ["Moss grows on the well"]


def between(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> None:
    """Let something happen between the slow half of a write and its transaction."""
    look_around = ExaminedWrite.look_around

    def late(examined: ExaminedWrite, *given: Any) -> PreparedWrite:
        prepared = look_around(examined, *given)
        monkeypatch.setattr(ExaminedWrite, "look_around", look_around)
        act()
        return prepared

    monkeypatch.setattr(ExaminedWrite, "look_around", late)


def test_why_a_correction_was_made_is_on_record(mem: Run) -> None:
    ident = mem("remember", "The ferry leaves at six").stdout.strip()
    assert mem("correct", ident, "The ferry leaves at seven", "--reason", "new timetable").returncode == 0
    assert "(new timetable)" in mem("history", "-n", "2").stdout


@pytest.mark.parametrize("verb", ["confirm", "doubt"])
def test_that_another_memory_is_believed_or_doubted_is_said(mem: Run, verb: str) -> None:
    ident = mem("remember", "The ferry leaves at six").stdout.strip()
    new = mem("correct", ident, "The ferry leaves at seven").stdout.strip()
    done = mem(verb, ident)
    assert done.stdout.strip() == new
    assert f"{ident} is superseded already" in done.stderr
    assert mem(verb, new).stderr == ""


@pytest.mark.parametrize(
    ("text", "rule"),
    [("Use port 9191 just for now", "transient"), ("Maybe we should paint the gate", "speculative")],
)
def test_a_forced_hedge_is_on_record(mem: Run, text: str, rule: str) -> None:
    ident = mem("remember", "--force", text).stdout.strip()
    assert f"kept against the rule {rule}, by force" in mem("why", ident).stdout


def test_a_forced_duplicate_is_on_record(mem: Run) -> None:
    mem("remember", "The gate is green")
    again = mem("remember", "--force", "The gate is green").stdout.strip()
    assert "duplicate, by force" in mem("why", again).stdout


def test_a_merge_is_trusted_as_what_it_merges_is_by_then(
    memories: Memories, neighbour: Memories, well: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    other, embed = memories.remember("Moss grows on the well"), memories.model.embed

    def late(*given: Any) -> Any:
        revision.edit_memory(neighbour, other, trusted=False)
        return embed(*given)

    monkeypatch.setattr(memories.model, "embed", late)
    assert not revision.merge_memories(memories, [well, other]).trusted


@pytest.mark.parametrize("late", ["merge", "move"])
def test_what_was_moved_out_meanwhile_is_left_where_it_is(
    memories: Memories, neighbour: Memories, well: Memory, late: str
) -> None:
    other = memories.remember("Moss grows on the well")
    for each in (well, other):
        spaces.move_memories(neighbour, [each], "attic")
    with pytest.raises(NotFound, match="moved meanwhile"):
        if late == "merge":
            revision.merge_memories(memories, [well, other])
        else:
            spaces.move_memories(memories, [well], "cellar")
    assert {each.space for each in memories.store.get([well.id, other.id])} == {"attic"}
