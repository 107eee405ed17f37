"""What took another's place is found by what that said."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

from memcli.changes.forgetting.selection import choose_memories
from memcli.changes.forgetting.soft import forget_memories
from memcli.changes.undo import undo_change
from memcli.memories import Memories
from memcli.model import Filter, Memory
from memcli.recall.results import Hit
from memcli.write_policy.drafts import Draft
from tests.conftest import Run

OLD, NEW, NEWEST = "Our accountant is Delroy Finch", "Sana from Pembury since May", "Ute instead of Sana"
ASKED = "who is our accountant"


def replacing(memories: Memories, older: Memory, text: str) -> Memory:
    return memories.remember(Draft(text=text, supersedes=older.id))


def hits(memories: Memories, query: str = ASKED, where: Filter | None = None) -> list[Hit]:
    return memories.recall(query, where, words_only=True).hits


def test_what_replaced_a_memory_is_found_by_its_words(memories: Memories) -> None:
    old = memories.remember(OLD)
    assert [(hit.memory.text, hit.found_as) for hit in hits(memories)] == [(OLD, None)]
    new = replacing(memories, old, NEW)
    [hit] = hits(memories)
    assert (hit.memory.id, hit.memory.text, hit.found_as) == (new.id, NEW, old.id)
    assert hit.total == pytest.approx(sum(hit.parts.values()))
    # By its own words it is found as itself.
    assert [(each.memory.text, each.found_as) for each in hits(memories, "Pembury")] == [(NEW, None)]


def test_of_a_chain_the_last_is_found_once(memories: Memories) -> None:
    newest = replacing(memories, replacing(memories, memories.remember(OLD), NEW), NEWEST)
    assert [hit.memory.id for hit in hits(memories, f"{ASKED}, Sana from Pembury?")] == [newest.id]


def test_nothing_is_found_that_is_not_meant(memories: Memories) -> None:
    new = replacing(memories, memories.remember(OLD), NEW)
    where = memories.within()
    assert hits(memories, where=where._replace(tags=("work",))) == []
    assert hits(memories, where=where._replace(since=new.happened_at + timedelta(days=1))) == []
    assert hits(memories, where=where._replace(live=False))[0].memory.text == OLD
    forget_memories(memories, [new], "as asked")
    assert hits(memories) == []


def test_what_is_taken_back_is_found_again_as_itself(memories: Memories) -> None:
    replacing(memories, memories.remember(OLD), NEW)
    undo_change(memories)
    assert [(hit.memory.text, hit.found_as) for hit in hits(memories)] == [(OLD, None)]


def test_nothing_is_forgotten_for_the_words_of_what_it_replaced(memories: Memories) -> None:
    new = replacing(memories, memories.remember(OLD), NEW)
    assert choose_memories(memories, memories.within(), query=ASKED) == []
    assert [each.id for each in choose_memories(memories, memories.within(), query=NEW)] == [new.id]


def test_the_answer_says_by_what_it_was_found(mem: Run) -> None:
    old = mem("remember", OLD).stdout.strip()
    new = mem("remember", NEW, "--replaces", old).stdout.strip()
    record = json.loads(mem("recall", ASKED, "--json").stdout)
    assert (record["id"], record["found_as"]) == (new, old)
    explained = mem("recall", ASKED, "--explain").stdout
    assert f"(found by what {old[-8:]} said, which it supersedes)" in explained


@pytest.mark.parametrize(
    "end",
    [
        ("forget", "{new}"), ("edit", "{new}", "--until", "2020-01-01"),
        ("space", "move", "--space", "default", "other", "{new}"),
    ],
)  # fmt: skip
def test_what_has_no_successor_any_more_is_no_sign_of_an_answer(mem: Run, end: tuple[str, ...]) -> None:
    old = mem("remember", "The gate pin list hangs in the lodge").stdout.strip()
    new = mem("remember", "Ask Rudi instead", "--replaces", old).stdout.strip()
    mem("remember", "Cows eat grass")
    assert mem(*(word.format(new=new) for word in end)).returncode == 0
    asked = mem("recall", "where is the gate pin list?")
    assert (asked.returncode, asked.stdout) == (1, "")


def test_a_value_told_anew_each_day_leaves_room_for_what_else_is_in_force(
    memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("candidates", "scoring"):
        monkeypatch.setattr(f"memcli.recall.{module}.DEPTH", 4)
    other = memories.remember("The scales are in the cellar")
    each = memories.remember("Weight on the scales: 82 kg")
    for kilos in range(83, 95):
        each = replacing(memories, each, f"Weight on the scales: {kilos} kg")
    assert {hit.memory.id for hit in hits(memories, "scales")} == {each.id, other.id}
