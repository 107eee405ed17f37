"""How imported memories ended: told by newer exports, found out of older ones, never on a stranger's word."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memcli.changes import revision
from memcli.errors import BadInput
from memcli.memories import Memories
from memcli.model import Ending, Filter, as_ended
from memcli.storage.old_records import undone_by
from memcli.text import printable
from memcli.upkeep.exchange import export, importer, record_reader
from memcli.upkeep.exchange.endings import Endings
from memcli.write_policy.drafts import Draft, new_memory
from memcli.write_policy.settings import WriteOptions
from tests.conftest import TickingClock, make_memories
from tests.storage.older import ENDED, SCHEMA_4, endings

ALL = Filter(spaces=None, live=False)
NEW = ("ended_as", "replaced_by")
OLDER = SCHEMA_4.read_text(encoding="utf-8").splitlines()
# What only a line of history bears witness to, and what without one only words and the other memory do.
WITHOUT_RECORD = {
    "Ann lives in Berlin": ("forgotten", None),
    "the gate is green": ("superseded", "the gate is blue"),
    "the barn door is red": ("forgotten", None),
    "the ferry is late": ("forgotten", None),
}


def take(memories: Memories, rows: list[str], **options: Any) -> dict[str, Any]:
    taking = importer.Importer(memories, "import:test", **options)
    return taking.take(record_reader.read_records(enumerate(rows, start=1))).to_record()


def test_an_older_export_with_its_history_is_found_out_like_an_older_store(memories: Memories) -> None:
    assert take(memories, OLDER)["reasons"] == []
    assert endings(memories) == ENDED
    undone = [event for event in memories.store.history() if event.action == "undo"]
    assert undone and all(event.reason == f"undo of {event.undoes}" for event in undone)


def test_without_its_history_the_other_memory_must_say_so_too(memories: Memories) -> None:
    take(memories, [line for line in OLDER if '"type":"event"' not in line])
    assert endings(memories) == ENDED | WITHOUT_RECORD


def test_an_older_export_taken_in_again_changes_nothing(memories: Memories) -> None:
    take(memories, OLDER)
    before = [printable.json_line(record) for record in export.export_records(memories, ALL, history=True)]
    again = take(memories, OLDER)
    assert (again["added"], again["updated"]) == (0, 0)
    assert [
        printable.json_line(each) for each in export.export_records(memories, ALL, history=True)
    ] == before


def test_an_older_export_forgets_nothing_that_is_known_here(memories: Memories) -> None:
    one, other = memories.remember("the pool opens in May"), memories.remember("it is shut")
    memories.end([one.id], "updated since", "updated", other.id)
    [known] = memories.store.get([one.id])
    record = {name: value for name, value in known.to_record().items() if name not in NEW}
    take(memories, [json.dumps({"type": "memory", **record})])
    assert memories.store.get([one.id]) == [known]


def test_what_a_newer_export_says_comes_back(memories: Memories, tmp_path: Path, clock: TickingClock) -> None:
    old = memories.remember("the pool opens in May")
    new = revision.correct_memory(memories, old, "the pool opens in June", WriteOptions()).memory
    lines = [printable.json_line(record) for record in export.export_records(memories, ALL)]
    assert json.loads(lines[0])["version"] == 2
    with make_memories(tmp_path / "other.db", clock) as other:
        take(other, lines)
        [there] = other.store.get([old.id])
        assert (there.ended_as, there.replaced_by) == ("superseded", new.id)
        assert other.current_version(there).id == new.id


@pytest.mark.parametrize(("name", "value"), [("ended_as", "eaten"), ("replaced_by", "B"), ("replaced_by", 7)])
def test_a_field_that_this_store_could_not_hold_is_refused(
    memories: Memories, name: str, value: object
) -> None:
    gone = as_ended(new_memory(memories, Draft(text="the pool is open")), memories.now(), "forgotten", "…")
    report = take(memories, [json.dumps({"type": "memory", **gone.to_record(), name: value})])
    assert report["bad"] == 1 and name in report["reasons"][0]


def test_no_stranger_says_that_something_trusted_took_a_memorys_place(memories: Memories) -> None:
    """Else the owner who doubts what came from outside doubts what is the owner's."""
    mine = memories.remember("the gate code is 12")
    theirs = new_memory(memories, Draft(text="the gate code is 34"))
    ended = as_ended(theirs, memories.now(), "merged", f"merged into {mine.id}", mine.id)
    take(memories, [json.dumps({"type": "memory", **ended.to_record()})], trusted=False)
    with pytest.raises(BadInput, match="was ended"):
        revision.doubt_memory(memories, memories.find(theirs.id))
    assert memories.find(mine.id).confidence == 1


def test_a_line_of_history_undoes_nothing_that_it_only_names(memories: Memories) -> None:
    kept = memories.remember("the pool opens in May")
    [added] = memories.store.history(kept.id)
    line = {
        "type": "event", "at": "2030-01-01T00:00:00.000Z", "memory": kept.id,
        "action": "undo", "actor": "cli", "reason": f"undo of {added.change}",
        "before": {"importance": 0.5}, "after": {"importance": 0.1},
        "change": memories.new_id(memories.now()),
    }  # fmt: skip
    take(memories, [json.dumps(line)])
    forged = list(memories.store.history(kept.id))[-1]
    assert (forged.action, forged.undoes) == ("undo", None)
    assert undone_by(forged, lambda change: memories.store.history(change=change)) is None


@pytest.mark.parametrize("trusted", [True, False])
@pytest.mark.parametrize("how", ["merged", "forgotten"])
@pytest.mark.parametrize("says_so", [True, False])
@pytest.mark.parametrize("mine", ["trusted", "untrusted", "absent"])
def test_who_says_that_a_memorys_place_was_taken_is_believed_or_not(
    memories: Memories, trusted: bool, how: Ending, says_so: bool, mine: str
) -> None:
    later = new_memory(memories, Draft(text="the gate code is 12"))
    theirs = new_memory(memories, Draft(text="the gate code is 34"))
    if says_so:
        later = replace(later, data={"merged_from": [theirs.id]})
    if mine != "absent":
        memories.store.put([replace(later, trusted=mine == "trusted")], None, memories.now())
    ended = as_ended(theirs, memories.now(), how, "so", later.id)
    take(memories, [json.dumps({"type": "memory", **ended.to_record()})], trusted=trusted)
    [there] = memories.store.get([theirs.id])
    refuted = not trusted and how == "merged" and mine == "trusted" and not says_so
    assert (there.ended_as, there.replaced_by) == (("forgotten", None) if refuted else (how, later.id))


def test_a_draft_is_known_again_by_what_it_says_and_when_where_it_says_that(memories: Memories) -> None:
    dated = {"text": "the boat is red", "at": "2026-01-01"}
    rows = [{"text": "the boat is red"}, dated, dated, {"text": "the boat is red", "kind": "preference"}]
    report = take(memories, [json.dumps(row) for row in rows])
    assert (report["added"], report["unchanged"], report["refused"]) == (2, 2, 0)
    assert take(memories, [json.dumps(row) for row in rows])["unchanged"] == 4


def test_one_who_is_believed_keeps_nobody_behind_them_from_being_doubted(memories: Memories) -> None:
    trusted, doubted = memories.remember("the mill grinds rye"), memories.remember("an owl hoots")
    later = memories.remember("the barn is red")
    ended: dict[str, Any] = {"ended_at": memories.now(), "ended_as": "superseded", "replaced_by": later.id}
    some = [replace(trusted, **ended), replace(doubted, trusted=False, **ended)]
    memories.store.put(some, None, memories.now())
    doubts = Endings(memories.store, trusted=False)
    for each in some:
        doubts.note(each, each.to_record())
    doubts.settle(memories.now())
    assert [(each.ended_as, each.replaced_by) for each in memories.store.get([each.id for each in some])] == [
        ("superseded", later.id), ("forgotten", None),
    ]  # fmt: skip
