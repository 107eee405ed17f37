"""The table of doors, door by door and tier by tier: each of its cells is tried, and none is missing."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memcli.changes import revision
from memcli.changes.forgetting.hard import erase
from memcli.changes.forgetting.soft import end_links, forget_memories
from memcli.changes.forgetting.targets import Targets
from memcli.changes.undo import undo_change
from memcli.command_line.loading import load_command
from memcli.command_line.table import COMMANDS
from memcli.consolidation.proposals import propose_end
from memcli.consolidation.run import RunOptions, carry_out_plan, consolidate
from memcli.doors import DOORS, Deed, Door, Right
from memcli.errors import Refused
from memcli.graph import aliases, link_changes
from memcli.memories import Memories
from memcli.model import KINDS, Filter, Link, Memory, State
from memcli.prompt.sections import TIERS
from memcli.scope import is_untrusted
from memcli.storage import areas
from memcli.storage.sqlite.file.opening import open_database
from memcli.sync.merge_store import merge_store
from memcli.tiers.context import blocks
from memcli.tiers.policies.document import PolicyText
from memcli.tiers.policies.policies import Policies
from memcli.tiers.procedures.procedures import Procedures
from memcli.tiers.sessions import sessions
from memcli.tiers.tasks import checkpoints, completion, run_once, steps, tasks
from memcli.upkeep import change_model, encryption, spaces
from memcli.upkeep.copies.rollback import roll_back
from memcli.upkeep.copies.snapshots import create_snapshot, drop_snapshot, find_snapshot, opened_snapshot
from memcli.upkeep.exchange.importer import Importer
from memcli.upkeep.reindex import reindex_store
from memcli.write_policy import review, stored_rules
from memcli.write_policy.drafts import Draft
from memcli.write_policy.owner_rules import OwnerRule
from tests.conftest import AGENT, Run
from tests.erasure import erase_memories

# Keyed values that nobody says: memcli notes them of what it does.
NOTED = {"recall-log", "forgotten", "forgotten-traces", "erasure", "incoming", "cosine-scale"}
# What belongs to a checkpoint, whose record says where it came from.
OF_CHECKPOINT = {areas.CHECKPOINT_SAVE.name, areas.CHECKPOINT_OUTPUT.name}
# Commands that keep nothing of anybody's words, and end nothing.
READING = {
    "recall", "context", "profile", "similar", "list", "show", "history", "review list", "rule list", "why",
    "audit", "space list", "space export", "graph show", "graph path", "graph list", "block show",
    "block list", "checkpoint restore", "checkpoint show", "checkpoint list", "session list", "session show",
    "session export", "session messages", "task show", "task list", "task get", "export", "procedure show",
    "procedure list", "procedure find", "procedure diff", "procedure versions", "procedure history",
    "procedure export", "policy list", "policy show", "policy versions", "policy check", "policy checks",
    "policy conflicts", "policy export", "backup list", "backup verify", "snapshot list", "snapshot show",
    "snapshot diff", "stats", "doctor", "model show", "model compile",
    "model status", "config list", "config get", "config path", "path", "completions", "widget", "help",
    "check list", "check run", "watch", "page", "copy-store",
    # A server's owner says who is let in; on a file they do nothing.
    "space grant", "space grants", "space revoke",
    "hook start", "hook prompt", "hook compact", "hook status", "warm status",
    # Its tools go through the doors of what they do, by the origin that it gives them.
    "mcp",
}  # fmt: skip
PROCEDURE_DOCUMENT = "# {name}\n\n## Steps\n\n1. stop the press\n2. start it\n"

Act = Callable[[Memories], Any]


def _memory(m: Memories) -> Memory:
    return next(each for each in m.store.select(Filter(spaces=None, live=False)) if "gate" in each.text)


def _say(text: str) -> Act:
    return lambda m: m.remember(text)


def _turn(role: str, text: str) -> Act:
    return lambda m: sessions.append_turn(m, Draft(text=text, session="s", data={"role": role}))


def _task(m: Memories) -> None:
    tasks.start_task(m, "Mend the boat", name="boat")
    tasks.change_task(m, "boat", lambda task: setattr(task, "phase", "planning"))
    tasks.note_in_task(m, "boat", "it leaks at the stern")


def _change_task(edit: Callable[[tasks.Task], Any]) -> Act:
    return lambda m: tasks.change_task(m, "boat", edit)


def _run(task: str) -> Act:
    order = run_once.StepOrder(command=["true"])
    sinks = run_once.StepSinks(lambda data: None, lambda data: None)
    return lambda m: run_once.run_step(m, task, "pack", order, sinks)


def _procedure(name: str, says: str = "stop the press") -> Act:
    document = PROCEDURE_DOCUMENT.format(name=name).replace("stop the press", says)
    return lambda m: Procedures(m).add(name, document, "markdown")


def _report(m: Memories) -> None:
    if not Procedures(m).report("press", ok=True).data.get("ok"):
        raise Refused(f"noted, but not counted: {m.origin}")


def _hold(m: Memories) -> Memory:
    return m.remember(Draft(text="the gate squeaks", source="inferred", confidence=0.3))


def _import_state(m: Memories) -> None:
    at = "2099-01-01T00:00:00.000Z"
    record = {
        "type": "state", "space": "default", "area": "task", "key": "x",
        "value": {"name": "x", "goal": "g", "started_at": at}, "version": 1,
        "created_at": at, "updated_at": at, "expires_at": None,
    }  # fmt: skip
    if refused := Importer(m, "import:x", trusted=not m.is_untrusted).take([("1", record)]).refused:
        raise Refused(f"{refused}, {m.origin}")


def _rule(m: Memories) -> None:
    stored_rules.put_rule(m, OwnerRule("r", "always", tag="x"))


def _roll_back(m: Memories) -> None:
    snapshot = find_snapshot(m, "one")
    with opened_snapshot(m, snapshot) as then:
        roll_back(m, then, "one", None)


def _other(m: Memories) -> Path:
    return Path(m.store.location).with_name("other.db")


# What there is before a deed, by tier; where a deed needs something else, by tier and deed.
PREPARED: dict[str | tuple[str, Deed], Act] = {
    "memory": _say("the gate is locked at ten"),
    "session": _turn("error", "the gate is stuck"),
    "task": _task,
    "checkpoint": lambda m: checkpoints.save_checkpoint(m, "c", '{"page": 1}'),
    "step that runs once": _run("c"),
    "link": lambda m: link_changes.link_entities(m, "Ann", "keeps", "gate"),
    ("link", Deed.VOUCH): lambda m: (
        link_changes.link_entities(m, "Ann", "keeps", "gate"),
        link_changes.unlink_entities(m, "Ann", "keeps", "gate"),
    ),
    "alias": lambda m: (
        link_changes.link_entities(m, "Ann", "keeps", "gate"), aliases.add_aliases(m, "Ann", ["Annie"])
    ),
    "block": lambda m: (blocks.put_block(m, "me", "I sail"), blocks.put_block(m, "me", "I row")),
    "procedure": _procedure("press"),
    "policy": lambda m: Policies(m).add(PolicyText("night", "never at night")),
    "rule": _rule,
    "review": _hold,
    "undo": _say("the gate is locked at ten"),
    "space": _say("the gate is locked at ten"),
    "copies": lambda m: create_snapshot(m, "one"),
    "sync": lambda m: m.store.copy_to(_other(m), m.now()),
    "encryption": _say("the gate is locked at ten"),
    "consolidation": _say("the gate is locked at ten"),
    "setting": _say("the gate is locked at ten"),
    "record": _say("the gate is locked at ten"),
}  # fmt: skip
DEEDS: dict[tuple[str, Deed], Act] = {
    ("memory", Deed.ADD): _say("the fence is painted green"),
    ("memory", Deed.CHANGE): lambda m: revision.edit_memory(m, _memory(m), importance=0.1),
    ("memory", Deed.END): lambda m: forget_memories(m, [_memory(m)], "forgotten"),
    ("memory", Deed.VOUCH): lambda m: revision.confirm_memory(m, _memory(m)),
    ("memory", Deed.ERASE): lambda m: erase_memories(m, [_memory(m)]),
    ("session", Deed.ADD): _turn("user", "is anybody there?"),
    ("session", Deed.CHANGE): lambda m: sessions.append_turn(
        m, Draft(text="oiled it", session="s", data={"role": "note"}), resolves=_memory(m).id
    ),
    ("session", Deed.END): lambda m: sessions.end_session(m, "s"),
    ("task", Deed.ADD): _change_task(lambda task: task.constraints.append("no nails")),
    ("task", Deed.CHANGE): _change_task(lambda task: setattr(task, "phase", "sinking")),
    ("task", Deed.END): lambda m: completion.end_task(m, "boat", "it floats", success=True),
    ("checkpoint", Deed.ADD): lambda m: checkpoints.save_checkpoint(m, "other", '{"page": 2}'),
    ("checkpoint", Deed.CHANGE): lambda m: checkpoints.save_checkpoint(m, "c", '{"page": 2}'),
    ("checkpoint", Deed.END): lambda m: steps.clear_checkpoint(m, "c"),
    ("step that runs once", Deed.ADD): _run("other"),
    ("step that runs once", Deed.CHANGE): lambda m: steps.mark_step(m, "c", "pack", done=False),
    ("step that runs once", Deed.END): lambda m: steps.clear_checkpoint(m, "c"),
    ("link", Deed.ADD): lambda m: link_changes.link_entities(m, "Ann", "owns", "boat"),
    ("link", Deed.CHANGE): lambda m: link_changes.link_entities(m, "Ann", "keeps", "gate", until=m.now()),
    ("link", Deed.END): lambda m: link_changes.unlink_entities(m, "Ann", "keeps", "gate"),
    ("link", Deed.VOUCH): lambda m: link_changes.link_entities(m, "Ann", "keeps", "gate"),
    ("link", Deed.ERASE): lambda m: erase(m, Targets(links=frozenset(each.id for each in m.store.links()))),
    ("alias", Deed.ADD): lambda m: aliases.add_aliases(m, "Mallory", ["Anna"]),
    ("alias", Deed.END): lambda m: aliases.remove_aliases(m, ["Annie"]),
    ("block", Deed.ADD): lambda m: blocks.put_block(m, "you", "obey"),
    ("block", Deed.CHANGE): lambda m: blocks.put_block(m, "me", "obey", append=True),
    ("block", Deed.END): lambda m: blocks.delete_block(m, "me"),
    ("block", Deed.VOUCH): lambda m: blocks.restore_block(m, "me"),
    ("block", Deed.ERASE): lambda m: blocks.erase_block(m, "me"),
    ("procedure", Deed.ADD): _procedure("loom"),
    ("procedure", Deed.CHANGE): _procedure("press", "burn the press"),
    ("procedure", Deed.END): lambda m: Procedures(m).deprecate("press"),
    ("procedure", Deed.VOUCH): _report,
    ("policy", Deed.ADD): lambda m: Policies(m).add(PolicyText("day", "always by day")),
    ("policy", Deed.CHANGE): lambda m: Policies(m).add(PolicyText("night", "always at night")),
    ("policy", Deed.END): lambda m: Policies(m).remove("night"),
    ("rule", Deed.ADD): lambda m: stored_rules.put_rule(m, OwnerRule("q", "never", tag="y")),
    ("rule", Deed.END): lambda m: stored_rules.drop_rule(m, "r"),
    ("review", Deed.ADD): lambda m: m.remember(Draft(text="it rattles", source="inferred", confidence=0.9)),
    ("review", Deed.END): lambda m: review.reject_held(m, list(review.list_held(m))),
    ("review", Deed.VOUCH): lambda m: review.accept_held(m, m.model, list(review.list_held(m))),
    ("undo", Deed.END): undo_change,
    ("space", Deed.CHANGE): lambda m: spaces.rename_space(m, "default", "elsewhere"),
    ("space", Deed.END): lambda m: spaces.forget_space(m, "forgotten"),
    ("space", Deed.ERASE): lambda m: erase(m, Targets(), "forgotten", space=m.space),
    ("copies", Deed.ADD): lambda m: create_snapshot(m, "two"),
    ("copies", Deed.CHANGE): _roll_back,
    ("copies", Deed.ERASE): lambda m: drop_snapshot(m, find_snapshot(m, "one")),
    ("sync", Deed.CHANGE): lambda m: merge_store(m, _other(m)),
    ("encryption", Deed.CHANGE): lambda m: encryption.decrypt(Path(m.store.location), m.config),
    ("consolidation", Deed.CHANGE): consolidate,
    ("setting", Deed.CHANGE): lambda m: change_model.change_model(m, "stand-in"),
    ("record", Deed.ADD): _import_state,
}  # fmt: skip
CELLS = [(door, deed) for door in DOORS for deed in door.commands]


def name_of(each: Door | Deed) -> str:
    return each.tier if isinstance(each, Door) else each.name


def everything(m: Memories) -> tuple[list[Memory], list[Link], list[State]]:
    store = m.store
    return list(store.select(Filter(spaces=None, live=False))), list(store.links()), list(store.states())


def prepare(door: Door, deed: Deed, m: Memories) -> None:
    m.remember("the owner likes tea") if not m.is_untrusted else None
    PREPARED.get((door.tier, deed), PREPARED[door.tier])(m)


# The table is whole


def test_every_cell_is_tried() -> None:
    assert set(DEEDS) == {(door.tier, deed) for door, deed in CELLS}
    assert {deed for door in DOORS for deed in door.rights} <= set(Deed)
    assert all(set(door.rights) <= set(door.commands) for door in DOORS)


def test_every_area_kind_and_section_stands_behind_a_door() -> None:
    areas_behind = [name for door in DOORS for name in door.areas]
    assert sorted({*areas_behind, *NOTED}) == sorted(each.name for each in areas.ALL)
    assert len(areas_behind) == len(set(areas_behind)) and NOTED.isdisjoint(areas_behind)
    assert {kind for door in DOORS for kind in door.kinds} == set(KINDS)
    assert sorted(name for door in DOORS for name in door.sections) == sorted(TIERS)


def test_every_command_stands_behind_a_door_or_reads_only() -> None:
    def paths(command: Any, path: str) -> Iterator[str]:
        below = getattr(command, "commands", {})
        if not below:
            yield path
        for name, each in below.items():
            yield from paths(each, f"{path} {name}")

    every = {path for name in COMMANDS for path in paths(load_command(name), name)}
    behind = {line.partition(" --")[0] for door in DOORS for some in door.commands.values() for line in some}
    assert every - behind == READING - behind
    assert behind <= every


# What an untrusted origin may do, once more: the tests below read the table, and would follow a slip in it.
RIGHTS = {
    "memory": "ADD:MARKED CHANGE:OWN END:OWN",
    "session": "ADD:MARKED CHANGE:OWN END:OWN",
    "task": "ADD:MARKED CHANGE:OWN END:OWN",
    "checkpoint": "ADD:MARKED CHANGE:OWN END:OWN",
    "step that runs once": "ADD:MARKED CHANGE:OWN END:OWN",
    "link": "ADD:MARKED CHANGE:OWN END:OWN",
    "procedure": "ADD:MARKED CHANGE:OWN END:OWN VOUCH:OWN",
    "review": "ADD:MARKED",
    "undo": "END:OWN",
}


def test_the_table_says_what_was_decided() -> None:
    assert {
        door.tier: " ".join(f"{deed.name}:{right.name}" for deed, right in door.rights.items())
        for door in DOORS
        if door.rights
    } == RIGHTS
    assert not any(door.lets(deed, own=True) for door in DOORS for deed in Deed if deed not in door.rights)


# Each cell does what it says


@pytest.mark.parametrize(("door", "deed"), CELLS, ids=name_of)
def test_of_what_is_its_owners_an_agent_gets_what_the_table_says(
    memories: Memories, agent: Memories, door: Door, deed: Deed
) -> None:
    prepare(door, deed, memories)
    before = everything(memories)
    if door.lets(deed, own=False):
        DEEDS[door.tier, deed](agent)
        assert door.right(deed) is Right.MARKED and everything(memories) != before
        return
    with pytest.raises(Refused, match=AGENT):
        DEEDS[door.tier, deed](agent)
    assert everything(memories) == before


@pytest.mark.parametrize(("door", "deed"), CELLS, ids=name_of)
def test_of_its_own_an_agent_gets_what_the_table_says(
    memories: Memories, agent: Memories, door: Door, deed: Deed
) -> None:
    whose = agent if door.lets_texts_in or door.right(deed) is Right.OWN else memories
    prepare(door, deed, whose)
    before = everything(memories)
    if door.lets(deed, own=whose is agent):
        DEEDS[door.tier, deed](agent)
        return
    with pytest.raises(Refused, match=AGENT):
        DEEDS[door.tier, deed](agent)
    assert everything(memories) == before


@pytest.mark.parametrize(("door", "deed"), CELLS, ids=name_of)
def test_its_owner_may_do_everything(memories: Memories, agent: Memories, door: Door, deed: Deed) -> None:
    prepare(door, deed, agent if door.lets_texts_in else memories)
    DEEDS[door.tier, deed](memories)


def test_an_agent_undoes_nothing_that_waits_for_its_owner_and_no_rollback(
    memories: Memories, agent: Memories
) -> None:
    """Such changes may have touched no memory: whose they are no line of history says."""
    held = _hold(memories)
    [waiting] = memories.store.states(("default",), areas.HELD.name)
    with pytest.raises(Refused, match=AGENT):
        undo_change(agent, waiting.value["change"])
    assert [each.memory.id for each in review.list_held(memories)] == [held.id]
    blocks.put_block(memories, "me", "I sail")
    create_snapshot(memories, "one")
    blocks.put_block(memories, "me", "I row")
    _roll_back(memories)
    with pytest.raises(Refused, match=AGENT):
        undo_change(agent)
    assert blocks.find_block(memories, "me").text == "I sail"


def test_what_another_did_is_no_agents_to_take_back_be_it_done_to_its_own(
    memories: Memories, agent: Memories
) -> None:
    kept = agent.remember("the fence is painted green")
    revision.edit_memory(memories, kept, importance=0.9)
    [change] = {each.change for each in memories.store.history(kept.id) if each.action == "edit"}
    with pytest.raises(Refused, match=AGENT):
        undo_change(agent, change)
    assert memories.find(kept.id).importance == 0.9
    undo_change(memories, change)


def test_a_door_is_known_as_untrusted_however_it_is_written() -> None:
    for written in ("MCP:*", " mcp:ROBOT ", "mcp:rob?t"):
        assert is_untrusted(AGENT, ("hook:*", written)) and is_untrusted("Mcp:Robot@ann", (written,))
        assert not is_untrusted("cli", (written,))


def test_what_its_owner_trusts_by_now_is_no_agents_any_more(
    memories: Memories, agent: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither to be taken back, nor to be merged: not even if it was the agent's a moment ago."""
    one, two = agent.remember("the fence is painted green"), agent.remember("the shed is full of hay")
    embed = agent.model.embed

    def late(*given: Any) -> Any:
        revision.edit_memory(memories, two, trusted=True)
        return embed(*given)

    monkeypatch.setattr(agent.model, "embed", late)
    with pytest.raises(Refused, match=AGENT):
        revision.merge_memories(agent, [one, two])
    with pytest.raises(Refused, match=AGENT):
        undo_change(agent, next(iter(memories.store.history(two.id))).change)
    assert not any(each.ended_at for each in memories.store.get([one.id, two.id]))


def test_a_policy_is_no_agents_whatever_it_says_of_itself(memories: Memories, agent: Memories) -> None:
    kept = memories.remember("never lock the gate")
    policy = replace(kept, kind="policy", trusted=False, origin=AGENT)
    memories.store.put([policy], None, memories.now())
    for deed in (
        lambda: revision.edit_memory(agent, policy, importance=0.1),
        lambda: forget_memories(agent, [policy], "forgotten"),
    ):
        with pytest.raises(Refused, match=AGENT):
            deed()
    assert memories.store.get([kept.id]) == [policy]


def test_an_agent_may_look_at_a_plan_and_not_carry_it_out(memories: Memories, agent: Memories) -> None:
    kept = memories.remember("the gate is locked at ten")
    planned = [propose_end("decay", [kept], "decayed", "weak")]
    assert [each.done for each in carry_out_plan(agent, planned, dry_run=True).outcomes] == [False]
    assert consolidate(agent, RunOptions(dry_run=True)).outcomes == []
    with pytest.raises(Refused, match=AGENT):
        carry_out_plan(agent, planned)
    assert memories.find(kept.id).ended_at is None


def test_an_agent_makes_nothing_anew_but_what_a_recall_would(memories: Memories, agent: Memories) -> None:
    memories.remember("the gate is locked at ten")
    with pytest.raises(Refused, match=AGENT):
        reindex_store(agent)
    assert reindex_store(agent, missing_only=True) == 0 and reindex_store(memories) == 1


def test_forgetting_somebody_ends_links_of_ones_own_only(memories: Memories, agent: Memories) -> None:
    owners = link_changes.link_entities(memories, "Ann", "keeps", "gate").link
    own = link_changes.link_entities(agent, "Ann", "owns", "boat").link
    with pytest.raises(Refused, match=AGENT):
        end_links(agent, {owners.id, own.id}, "forgotten")
    assert not any(link.ended_at for link in memories.store.links())
    assert len(end_links(agent, {own.id}, "forgotten")) == 1


@pytest.mark.parametrize("whose", ["owner", "agent"])
def test_a_task_is_dropped_by_whom_all_of_it_is(memories: Memories, agent: Memories, whose: str) -> None:
    _task(memories if whose == "owner" else agent)
    if whose == "owner":
        with pytest.raises(Refused, match=AGENT):
            completion.drop_task(agent, "boat")
        assert [held.task.name for held in tasks.list_tasks(memories)] == ["boat"]
        return
    event = completion.drop_task(agent, "boat", "it sank")
    assert (event.origin, event.trusted) == (agent.origin, False)
    assert tasks.list_tasks(agent) == []
    assert {each.actor for each in memories.store.history(event.id)} == {agent.origin}


@pytest.mark.parametrize("door", [door for door in DOORS if door.lets_texts_in], ids=name_of)
@pytest.mark.parametrize("there", [False, True], ids=["anew", "beside the owner's"])
def test_what_an_agent_adds_carries_its_origin(
    memories: Memories, agent: Memories, door: Door, there: bool
) -> None:
    if there:
        prepare(door, Deed.ADD, memories)
    before = everything(memories)
    if not there:
        PREPARED[door.tier](agent)
    DEEDS[door.tier, Deed.ADD](agent)
    memories_now, links_now, states_now = everything(memories)
    fresh = [each for each in memories_now if each not in before[0]]
    assert all((each.trusted, each.origin) == (False, agent.origin) for each in fresh)
    assert all(link.data["origin"] == agent.origin for link in links_now if link not in before[1])
    for state in states_now:
        if state not in before[2] and state.area not in OF_CHECKPOINT | NOTED:
            assert AGENT in state.key + json.dumps(state.value), state
    assert everything(memories) != before


def test_a_damaged_store_is_mended_and_written_to_by_its_owner_only(
    mem: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    mem("remember", "Ann lives in Rome")
    file = Path(os.environ["MEMCLI_DB"])
    with closing(open_database(file)) as db:
        db.execute("UPDATE memories SET text = 'Ann lives in a cave in Bath'")
        db.execute("UPDATE history SET after = replace(after, 'Rome', 'a cave')")
    assert mem("doctor").returncode == 4
    monkeypatch.setenv("MEMCLI_ORIGIN", "mcp:x")
    for line in (("doctor", "--repair", "--accept"), ("doctor", "--repair")):
        assert mem(*line).returncode == 3, line
    assert "found it damaged" in mem("--force", "remember", "The dog is white").stderr
    monkeypatch.delenv("MEMCLI_ORIGIN")
    assert mem("--force", "remember", "The dog is white").returncode == 0
    assert mem("doctor", "--repair", "--accept").returncode == 0
