"""Snapshots: a named state, what differs from it, and a way back that can itself be taken back."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memcli.changes import revision
from memcli.changes.undo import undo_change
from memcli.config.config import Config
from memcli.errors import BadInput, NotFound, Refused
from memcli.graph import link_changes
from memcli.graph.links import evidence_of
from memcli.keys.choice import KeyOptions
from memcli.memories import Memories
from memcli.model import EVERYWHERE, Filter, Memory, State
from memcli.storage import Beginning, areas
from memcli.storage.encryption import store_salt
from memcli.storage.reports import UNREAD
from memcli.storage.states import read_state, write_state
from memcli.storage.stores import open_store
from memcli.tiers.context import blocks
from memcli.tiers.policies.document import PolicyText
from memcli.tiers.policies.policies import Policies
from memcli.tiers.procedures.files import ProcedureFile
from memcli.tiers.procedures.procedures import Procedures
from memcli.tiers.tasks import checkpoints, tasks
from memcli.upkeep.copies.difference import How
from memcli.upkeep.copies.rollback import RollbackReport, roll_back
from memcli.upkeep.copies.sides import Side, link_fields, memory_fields, read_side
from memcli.upkeep.copies.snapshots import (
    create_snapshot,
    drop_snapshot,
    find_snapshot,
    opened_snapshot,
    snapshot_differences,
    snapshots,
)
from memcli.upkeep.encryption import encrypt
from memcli.write_policy import review, stored_rules
from memcli.write_policy.drafts import Draft
from memcli.write_policy.owner_rules import OwnerRule
from memcli.write_policy.settings import WriteOptions
from tests.conftest import Run, TickingClock, make_memories
from tests.erasure import erase_memories

TEXT = "Quentomar hides the vermeilion ledger in the attic"


@pytest.fixture(params=["plain", "encrypted"])
def memories(
    request: pytest.FixtureRequest, own_home: Path, clock: TickingClock, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Memories]:
    """Memories over a real store, plain and under a key."""
    path = own_home / "memory.db"
    if request.param == "encrypted":
        monkeypatch.setenv("MEMCLI_KEY_FILE", str(own_home / "key"))
        encrypt(path, KeyOptions(file=own_home / "key"), Config())
    with make_memories(path, clock) as opened:
        yield opened
    assert bool(store_salt(path)) == (request.param == "encrypted")


def back_to(memories: Memories, name: str = "one", space: str | None = None) -> RollbackReport:
    with opened_snapshot(memories, find_snapshot(memories, name)) as then:
        return roll_back(memories, then, name, space)


def in_force(memories: Memories, space: str | None = None) -> list[Any]:
    """All that is in force, as a person could tell it."""
    side: Side = read_side(memories.store, None if space is None else (space,))
    ending = ("ended_why", "updated_at")
    return [
        {
            each.id: {name: value for name, value in memory_fields(each).items() if name not in ending}
            for each in side.memories.values()
            if not each.ended_at
        },
        {each.id: link_fields(each) for each in side.links.values() if not each.ended_at},
        {name: each.value for name, each in side.values.items()},
    ]


def fill(memories: Memories) -> dict[str, Memory]:
    """Something of everything that makes up a state."""
    kept = {
        "tea": memories.remember(Draft(text="I prefer tea to coffee", kind="preference")),
        "gate": memories.remember(Draft(text="The gate is locked at ten", kind="fact")),
    }
    kept["cows"] = memories.in_space("farm").remember(Draft(text="The cows are milked at six", space="farm"))
    link_changes.link_entities(memories, "Ann", "works_at", "Acme", evidence=kept["gate"])
    blocks.put_block(memories, "me", "I sail")
    blocks.put_block(memories.in_space("farm"), "herd", "Forty cows")
    tasks.start_task(memories, "Move house", name="move")
    checkpoints.save_checkpoint(memories, "crawl", '{"page": 1}')
    stored_rules.put_rule(memories, OwnerRule("frogs", "never", pattern="frogs"))
    Procedures(memories).add(
        "deploy", "description: ship it\n", "yaml", files={"a.sh": ProcedureFile(b"echo 1")}
    )
    Policies(memories).add(PolicyText("night", "Never at night"))
    memories.remember(Draft(text="the boat may rattle", source="inferred", confidence=0.3))
    return kept


def change(memories: Memories, kept: dict[str, Memory]) -> None:
    """Something of each: added, ended, changed."""
    farm = memories.in_space("farm")
    memories.remember("The code is in the blue folder")
    farm.remember(Draft(text="The barn is red", space="farm"))
    revision.correct_memory(memories, kept["tea"], "I prefer coffee to tea", WriteOptions())
    memories.end([kept["gate"].id], "no gate any more")
    revision.edit_memory(farm, kept["cows"], tags=["milk"], importance=0.9)
    link_changes.unlink_entities(memories, "Ann", "works_at", "Acme")
    link_changes.link_entities(memories, "Ann", "knows", "Bob")
    blocks.put_block(memories, "me", "I row")
    blocks.delete_block(farm, "herd")
    blocks.put_block(memories, "you", "You sing")
    tasks.note_in_task(memories, "move", "boxes ordered")
    checkpoints.save_checkpoint(memories, "crawl", '{"page": 2}')
    stored_rules.drop_rule(memories, "frogs")
    Procedures(memories).add("deploy", "description: ship it twice\n", "yaml", files={})
    Policies(memories).remove("night")
    review.reject_held(memories, list(review.list_held(memories)))


# Names


def test_snapshots_are_listed_with_when_size_and_number(memories: Memories) -> None:
    assert snapshots(memories) == []
    memories.remember(TEXT)
    first = create_snapshot(memories, "one", "all is well")
    memories.remember("the hall is made of oak")
    create_snapshot(memories)
    found = snapshots(memories)
    assert [each.memories for each in found] == [1, 2] and found[0] == first
    assert found[0].note == "all is well" and found[0].size == first.path.stat().st_size > 0
    assert first.path.stat().st_mode & 0o777 == 0o600
    assert found[1].name.startswith("2026-05-03")


def test_a_name_means_one_snapshot_and_holds_no_secret(memories: Memories) -> None:
    create_snapshot(memories, "vor dem Umzug: Größe/日本 *")
    for name in ("vor dem Umzug: Größe/日本 *", "", "  ", "a\nb", "x" * 201):
        with pytest.raises(BadInput):
            create_snapshot(memories, name)
    with pytest.raises(Refused):
        create_snapshot(memories, "password: hunter2Xk9!qL")
    with pytest.raises(NotFound, match="did you mean"):
        find_snapshot(memories, "vor dem Umzug: Größe/日本")
    assert len(snapshots(memories)) == 1


def test_a_dropped_snapshot_is_gone_and_its_name_free(memories: Memories) -> None:
    made = create_snapshot(memories, "one")
    drop_snapshot(memories, made)
    assert snapshots(memories) == [] and not made.path.exists()
    create_snapshot(memories, "one")


def test_a_snapshot_that_cannot_be_made_leaves_nothing(
    memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: object) -> None:
        raise OSError(28, "no space left on device")

    with monkeypatch.context() as patch, pytest.raises(Exception, match="no space"):
        patch.setattr("memcli.storage.sqlite.own_copies.back_up", fail)
        create_snapshot(memories, "one")
    assert snapshots(memories) == [] and not list(memories.store.states(area=areas.SNAPSHOT.name))
    assert not list(Path(memories.store.location).parent.glob("*snapshot*"))


def test_a_snapshot_without_a_record_says_itself_what_it_is(memories: Memories) -> None:
    made = create_snapshot(memories, "one")
    memories.store.drop_state(EVERYWHERE, areas.SNAPSHOT.name, made.label)
    assert snapshots(memories) == [made]
    made.path.write_bytes(b"spoilt")
    assert [each.name for each in snapshots(memories)] == [made.label]
    # Of one that its owner named nobody knows when it was made: it stands before all others.
    later = create_snapshot(memories, "two")
    by_hand = made.path.with_name(made.path.name.replace(made.label, "zebra"))
    by_hand.write_bytes(b"spoilt")
    assert [each.name for each in snapshots(memories)] == ["zebra", made.label, later.name]


def test_the_nightly_run_drops_no_snapshot(memories: Memories, clock: TickingClock) -> None:
    made = create_snapshot(memories, "one")
    for _ in range(3):
        clock.advance(days=40)
        memories.store.back_up(clock.instant)
    assert made.path not in memories.store.backups() and snapshots(memories) == [made]


# What differs


def test_a_difference_is_told_by_kind_and_how(memories: Memories) -> None:
    kept = fill(memories)
    create_snapshot(memories, "one")
    assert snapshot_differences(memories, "one", None, None) == []
    change(memories, kept)
    create_snapshot(memories, "two")
    found = snapshot_differences(memories, "one", None, None)
    told = {(each.what, each.how, each.text) for each in found}
    assert told >= {
        ("fact", How.ADDED, "The code is in the blue folder"),
        ("fact", How.ADDED, "The barn is red"),
        ("preference", How.ADDED, "I prefer coffee to tea"),
        ("preference", How.ENDED, "I prefer tea to coffee"),
        ("fact", How.ENDED, "The gate is locked at ten"),
        ("fact", How.CHANGED, "The cows are milked at six"),
        ("policy", How.ENDED, "Never at night"),
        ("link", How.ADDED, "Ann knows Bob"),
        ("block", How.CHANGED, "I row"),
        ("block", How.ENDED, "Forty cows"),
        ("block", How.ADDED, "You sing"),
        ("task", How.CHANGED, "Move house"),
    }
    assert {(each.what, each.how) for each in found} >= {
        ("procedure", How.ADDED), ("procedure", How.ENDED), ("checkpoint", How.CHANGED), ("rule", How.ENDED),
        ("link", How.ENDED), ("review", How.CHANGED),
    }  # fmt: skip
    [cows] = [each for each in found if each.how is How.CHANGED and each.what == "fact"]
    assert cows.fields == {"tags": ([], ["milk"]), "importance": (0.5, 0.9)} and cows.space == "farm"
    assert snapshot_differences(memories, "one", "two", None) == found
    back = {each.how for each in snapshot_differences(memories, "two", "one", None)}
    assert How.RESTORED in back and How.GONE in back
    assert {each.space for each in snapshot_differences(memories, "one", None, "farm")} == {"farm"}


def test_uses_are_no_difference(memories: Memories) -> None:
    memories.remember(TEXT)
    create_snapshot(memories, "one")
    memories.recall("ledger")
    assert snapshot_differences(memories, "one", None, None) == []


# Going back


def test_a_rollback_brings_the_state_back_and_undo_brings_back_what_was_there(memories: Memories) -> None:
    kept = fill(memories)
    then = in_force(memories)
    create_snapshot(memories, "one")
    change(memories, kept)
    later = in_force(memories)
    report = back_to(memories)
    assert report.change and not report.left
    assert in_force(memories) == then and snapshot_differences(memories, "one", None, None) == []
    assert checkpoints.restore_checkpoint(memories, "crawl").text == '{"page": 1}'
    # What was learned since is ended, not erased.
    texts = {each.text for each in memories.store.select(Filter(spaces=None, live=False))}
    assert {"The code is in the blue folder", "The barn is red"} <= texts
    undone = undo_change(memories)
    assert undone.change == report.change and not undone.left
    assert in_force(memories) == later
    again = undo_change(memories, str(list(memories.store.history())[-1].change))
    assert not again.left and in_force(memories) == then
    assert all(each.ok for each in memories.store.check() if each.name != UNREAD)


def test_of_a_rollback_that_touched_no_memory_undo_knows_as_well(memories: Memories) -> None:
    memories.remember(TEXT)
    blocks.put_block(memories, "me", "I sail")
    create_snapshot(memories, "one")
    blocks.put_block(memories, "me", "I row")
    report = back_to(memories)
    assert blocks.find_block(memories, "me").text == "I sail"
    undone = undo_change(memories)
    assert undone.change == report.change and undone.values == ["block/me"] and undone.action == "rollback"
    assert blocks.find_block(memories, "me").text == "I row"
    assert undo_change(memories).memories[0].text == TEXT  # and the one before is the next


def test_what_changed_again_since_a_rollback_is_left_by_its_undo(memories: Memories) -> None:
    blocks.put_block(memories, "me", "I sail")
    create_snapshot(memories, "one")
    blocks.put_block(memories, "me", "I row")
    report = back_to(memories)
    blocks.put_block(memories, "me", "I swim")
    undone = undo_change(memories, report.change)
    assert undone.left == ["block/me was changed again since"] and not undone.values
    assert blocks.find_block(memories, "me").text == "I swim"


def test_a_rollback_of_one_space_stays_behind_its_wall(memories: Memories) -> None:
    kept = fill(memories)
    create_snapshot(memories, "one")
    farm_then = in_force(memories, "farm")
    change(memories, kept)
    here, rules = in_force(memories, "default"), in_force(memories, EVERYWHERE)
    farm_later = in_force(memories, "farm")
    report = back_to(memories, space="farm")
    assert in_force(memories, "farm") == farm_then
    assert in_force(memories, "default") == here and in_force(memories, EVERYWHERE) == rules
    assert report.change and undo_change(memories).change != report.change
    assert undo_change(memories.in_space("farm")).change == report.change
    assert in_force(memories, "farm") == farm_later


def test_a_link_rests_again_on_what_it_rested_on(memories: Memories) -> None:
    first, second = memories.remember(TEXT), memories.remember("the hall is made of oak")
    link_changes.link_entities(memories, "Quentomar", "owns", "ledger", evidence=first)
    create_snapshot(memories, "one")
    link_changes.link_entities(memories, "Quentomar", "owns", "ledger", evidence=second)
    [later] = memories.store.links()
    assert evidence_of(later) == [first.id, second.id]
    back_to(memories)
    [link] = memories.store.links()
    assert evidence_of(link) == [first.id] and not link.ended_at
    undo_change(memories)
    assert [evidence_of(each) for each in memories.store.links()] == [[first.id, second.id]]


def test_what_moved_to_another_space_is_left_by_a_rollback_of_one(memories: Memories) -> None:
    from memcli.upkeep.spaces import move_memories

    moved = memories.remember(TEXT)
    came = memories.in_space("farm").remember(Draft(text="The cows are milked at six", space="farm"))
    create_snapshot(memories, "one")
    move_memories(memories, [moved], "farm")
    move_memories(memories, [came], "default")
    report = back_to(memories, space="default")
    assert len(report.left) == 2 and {each.space for each in memories.store.get([moved.id])} == {"farm"}
    assert memories.store.get([came.id])[0].ended_at is None
    back_to(memories)
    assert [each.space for each in memories.store.get([moved.id, came.id])] == ["default", "farm"]


def test_what_went_along_with_a_renamed_space_is_not_pulled_out_of_it(memories: Memories) -> None:
    from memcli.upkeep.spaces import rename_space

    farm = memories.in_space("farm")
    farm.remember(Draft(text="The cows are milked at six", space="farm"))
    link_changes.link_entities(farm, "Huber", "lives_in", "Ulm")
    create_snapshot(memories, "one")
    rename_space(memories, "farm", "alm")
    [link] = memories.store.links(("alm",))
    report = back_to(memories, space="farm")
    # Nothing is told as restored that is left; nor is what came from elsewhere ended there.
    assert not report.differences and report.change is None and len(report.left) == 2
    assert f"link/{link.id} is in another space now" in report.left
    assert list(memories.store.links(("alm",))) == [link] and not [*memories.store.links(("farm",))]
    report = back_to(memories, space="alm")
    assert not report.differences and list(memories.store.links(("alm",))) == [link]
    assert f"link/{link.id} was in another space then" in report.left


def test_a_purged_memory_comes_back_with_its_vectors_and_an_erased_one_does_not(memories: Memories) -> None:
    purged, erased = memories.remember("the hall is made of oak"), memories.remember(TEXT)
    memories.remember("the stairs creak at night")
    made = create_snapshot(memories, "one")
    outside = made.path.with_name("carried-away.db")
    shutil.copyfile(made.path, outside)
    memories.store.erase([purged.id], memories.change("purge"), memories.now())
    erase_memories(memories, [erased])
    assert b"vermeilion" not in made.path.read_bytes()
    shutil.copyfile(outside, made.path)  # as if the erasure had not reached it
    assert TEXT not in {each.text for each in snapshot_differences(memories, "one", None, None)}
    back_to(memories)
    assert memories.store.get([erased.id]) == []
    [back] = memories.store.get([purged.id])
    assert back.text == purged.text and not memories.store.wanting(Filter(live=False))
    assert memories.recall("what is the hall made of?").hits[0].memory.id == purged.id
    assert not any(TEXT in json.dumps([e.before, e.after]) for e in memories.store.history())


@pytest.mark.parametrize("of_its_beginning", [False, True])
def test_what_had_no_vectors_of_all_its_text_then_wants_them_when_it_comes_back(
    memories: Memories, of_its_beginning: bool
) -> None:
    """And only that: vectors of a beginning, taken for the whole, would keep the rest from being found."""
    whole = memories.remember("the stairs creak at night")
    now, add, late = memories.now(), memories.change("add"), replace(whole, text="the hall is made of oak")
    late = replace(late, id=memories.new_id(now))
    [vectors] = memories.model.embed([whole]).values()
    memories.store.put([late], add, now, {late.id: Beginning(vectors)} if of_its_beginning else {})
    assert memories.store.wanting(Filter())
    create_snapshot(memories, "one")
    memories.store.erase([whole.id, late.id], memories.change("purge"), now)
    back_to(memories)
    assert {each.id for each in memories.store.get([whole.id, late.id])} == {whole.id, late.id}
    refs = memories.store.refs_by_id([whole.id, late.id])
    assert memories.store.wanting(Filter()) == [refs[late.id]]


def test_what_quotes_the_forgotten_and_stays_is_not_ended_by_a_rollback(memories: Memories) -> None:
    kept, quoting = memories.remember(TEXT), memories.remember(f"Ann told me: {TEXT}")
    create_snapshot(memories, "one")
    erase_memories(memories, [kept])
    here = memories.store.get([quoting.id])
    back_to(memories)
    assert [each.ended_at for each in memories.store.get([quoting.id])] == [each.ended_at for each in here]


def test_what_rolls_back_is_what_the_register_says(memories: Memories) -> None:
    now = memories.now()
    for area in areas.ALL:
        place = memories.space if area.in_spaces else EVERYWHERE
        if not (area is areas.SNAPSHOT or area is areas.COPY):
            write_state(memories.store, place, area.name, "k", {"said": "then"}, now)
    create_snapshot(memories, "one")
    for area in areas.ALL:
        place = memories.space if area.in_spaces else EVERYWHERE
        if not (area is areas.SNAPSHOT or area is areas.COPY):
            write_state(memories.store, place, area.name, "k", {"said": "later"}, memories.now())
    back_to(memories)
    for area in areas.ALL:
        state = read_state(memories.store, memories.space if area.in_spaces else EVERYWHERE, area.name, "k")
        if state is not None:
            assert state.value == {"said": "then" if area.rolls_back else "later"}, area.name


def test_a_value_that_has_lived_out_since_does_not_come_back(memories: Memories, clock: TickingClock) -> None:
    now = memories.now()
    expires = now.replace(year=2027)
    memories.store.put_state(
        State(memories.space, areas.CHECKPOINT.name, "k", {"id": "x"}, 1, now, now, expires)
    )
    create_snapshot(memories, "one")
    memories.store.drop_state(memories.space, areas.CHECKPOINT.name, "k")
    clock.advance(days=900)
    assert back_to(memories).left == ["checkpoint/k has lived out since"]


def test_neighbours_work_on_while_a_store_goes_back(memories: Memories) -> None:
    memories.remember(TEXT)
    create_snapshot(memories, "one")
    memories.remember("learned since")
    neighbour = open_store(Path(memories.store.location))
    back_to(memories)
    assert [each.text for each in neighbour.select(Filter(live=True))] == [TEXT]
    neighbour.close()
    memories.remember("and on")


def test_an_erasure_reaches_what_undo_would_bring_back(memories: Memories) -> None:
    kept = memories.remember(TEXT)
    create_snapshot(memories, "one")
    blocks.put_block(memories, "me", f"Mind that {TEXT}")
    back_to(memories)
    assert any(
        "vermeilion" in json.dumps(s.value) for s in memories.store.states(area=areas.VALUE_BEFORE.name)
    )
    receipt = erase_memories(memories, [kept])
    assert receipt.verified
    assert not any("vermeilion" in json.dumps([s.key, s.value]) for s in memories.store.states())


# As commands


def test_the_commands_say_what_they_did(mem: Run) -> None:
    assert mem("remember", "I prefer tea to coffee").returncode == 0
    assert mem("snapshot", "list").returncode == 1
    assert mem("snapshot", "create", "one", "--note", "well").stdout == "one\n"
    assert mem("snapshot", "create", "one").returncode == 2
    assert mem("snapshot", "diff", "one").returncode == 1
    assert mem("remember", "The gate code is in the blue folder").returncode == 0
    [line] = mem("snapshot", "diff", "one", "--json").stdout.splitlines()
    assert json.loads(line)["how"] == "added" and json.loads(line)["what"] == "fact"
    assert mem("snapshot", "show", "one", "--json").returncode == 0
    asked = mem("snapshot", "rollback", "one")
    assert asked.returncode == 2 and "--yes" in asked.stderr
    dry = json.loads(mem("snapshot", "rollback", "one", "--dry-run", "--json").stdout)
    assert dry["differences"] == {"fact": {"ended": 1}} and dry["change"] is None
    done = json.loads(mem("snapshot", "rollback", "one", "--yes", "--json").stdout)
    assert done["memories"] == 1 and "blue folder" not in mem("list").stdout
    assert mem("snapshot", "rollback", "one", "--yes").returncode == 1
    assert mem("undo", done["change"]).returncode == 0 and "blue folder" in mem("list").stdout
    assert mem("snapshot", "diff", "one", "--space", "nowhere").returncode == 1
    assert mem("snapshot", "drop", "one").returncode == 2
    assert mem("snapshot", "drop", "one", "--yes").returncode == 0
    assert mem("snapshot", "show", "one").returncode == 1
