"""Whatever keeps somebody's words refuses secrets and what is too long or out of order, at its own door."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memcli.changes import revision
from memcli.changes.forgetting.targets import find_targets
from memcli.config.config import Config
from memcli.consolidation.plan import load_plan, save_plan
from memcli.consolidation.run import RunOptions, consolidate
from memcli.errors import BadInput, NotFound, Refused
from memcli.graph import aliases, link_changes, proposed_links
from memcli.memories import Memories
from memcli.model import Filter
from memcli.storage import areas
from memcli.storage.rows import to_json
from memcli.tiers.context import blocks
from memcli.tiers.policies.checks import check_action
from memcli.tiers.policies.document import PolicyText, checked_policy
from memcli.tiers.procedures.files import ProcedureFile, store_files
from memcli.tiers.procedures.procedures import Procedures
from memcli.tiers.sessions import sessions
from memcli.tiers.tasks import checkpoints, completion, run_once, tasks
from memcli.upkeep import spaces
from memcli.upkeep.copies import backups
from memcli.upkeep.copies.snapshots import create_snapshot
from memcli.upkeep.retrieval_checks import add_check
from memcli.write_policy import held, review, stored_rules
from memcli.write_policy.decision import Decision
from memcli.write_policy.drafts import Draft
from memcli.write_policy.owner_rules import OwnerRule, rule_from_record
from memcli.write_policy.settings import WriteOptions
from tests.erasure import erase_memories
from tests.guards.exchanged import LONG, SECRET

SAID = f"the token is {SECRET}"
SKILL = "---\nname: deploy\ndescription: Ship it\n---\n\n1. Push\n"


def procedure(memories: Memories, document: str = SKILL) -> Procedures:
    made = Procedures(memories)
    made.add("deploy", document, "markdown")
    return made


def run(memories: Memories, task: str, name: str) -> None:
    order = run_once.StepOrder([sys.executable, "-c", ""])
    sinks = run_once.StepSinks(lambda part: None, lambda part: None)
    run_once.run_step(memories, task, name, order, sinks)


Kept = Callable[[Memories, str], object]
DOORS: dict[str, Kept] = {
    "a link": lambda m, said: link_changes.link_entities(m, "Ann", "owns", said),
    "the reason of its end": lambda m, said: link_changes.unlink_entities(m, "Ann", "owns", "x", reason=said),
    "a name": lambda m, said: aliases.add_aliases(m, "Ann", [said]),
    "a block": lambda m, said: blocks.put_block(m, "owner", said),
    "a block's description": lambda m, said: blocks.put_block(m, "owner", "x", description=said),
    "a block's label": lambda m, said: blocks.put_block(m, said, "x"),
    "a file": lambda m, said: store_files(m, {"a.txt": ProcedureFile(said.encode())}),
    "the name of a file": lambda m, said: store_files(m, {said: ProcedureFile(b"x")}),
    "a procedure": lambda m, said: procedure(m, f"{SKILL}\n{said}\n"),
    "the note of an outcome": lambda m, said: procedure(m).report("deploy", ok=True, note=said),
    "a session": sessions.start_session,
    "a turn": lambda m, said: sessions.append_turn(
        m, Draft(text=said, session="s", data={"role": "user"})
    ),
    "a saved state": lambda m, said: checkpoints.save_checkpoint(m, "job", to_json({"said": said})),
    "the name of a state": lambda m, said: checkpoints.save_checkpoint(m, said, "{}"),
    "the task of a step": lambda m, said: run(m, said, "one"),
    "the name of a step": lambda m, said: run(m, "job", said),
    "the goal of a task": tasks.start_task,
    "the name of a task": lambda m, said: tasks.start_task(m, "move", name=said),
    "a note": lambda m, said: (tasks.start_task(m, "move"), tasks.note_in_task(m, None, said)),
    "the outcome of a task": lambda m, said: (
        tasks.start_task(m, "move"), completion.end_task(m, None, said, success=True),
    ),
    "a snapshot": create_snapshot,
    "the note of a snapshot": lambda m, said: create_snapshot(m, "one", note=said),
    "a check": lambda m, said: add_check(m, said, m.remember("the mill grinds rye")),
    "a space": lambda m, said: (m.remember("x y z"), spaces.rename_space(m, "default", said)),
    "where it goes": lambda m, said: spaces.move_memories(m, [m.remember("x y z")], said),
    "a doubt": lambda m, said: revision.doubt_memory(m, m.remember("x y z"), said),
    "who confirms it": lambda m, said: revision.confirm_memory(m, m.remember("x y z"), said),
    "a tag": lambda m, said: revision.edit_memory(m, m.remember("x y z"), tags=[said]),
    "the reason of an edit": lambda m, said: revision.edit_memory(
        m, m.remember("x y z"), importance=0.9, reason=said
    ),
    "the reason of an end": lambda m, said: m.end([m.remember("x y z").id], said),
    "the reason of an erasure": lambda m, said: erase_memories(m, [m.remember("x y z")], said),
    "a rule": lambda m, said: stored_rules.put_rule(m, OwnerRule("x", "never", pattern=said)),
    "the reason of a rule": lambda m, said: stored_rules.put_rule(
        m, OwnerRule("x", "never", pattern="x", why=said)
    ),
}  # fmt: skip


# What is written down as it goes on loses the secret, and nothing else.
REDACTING = {"a turn", "the goal of a task", "a note"}


@pytest.mark.parametrize("door", DOORS)
def test_a_secret_comes_in_by_no_door(memories: Memories, door: str) -> None:
    link_changes.link_entities(memories, "Ann", "owns", "x")
    said = SECRET if "name" in door or door in ("a space", "where it goes") else SAID
    if door in REDACTING:
        DOORS[door](memories, said)
    else:
        with pytest.raises(Refused, match=r"(?i)secret|token"):
            DOORS[door](memories, said)
    store = memories.store
    everything = Filter(spaces=None, live=False)
    rows = [*store.states(), *store.links(), *store.history(), *store.select(everything)]
    assert SECRET not in "".join(map(str, rows))
    assert ("the token is" in "".join(map(str, rows))) is (door in REDACTING)
    store.close()
    path = Path(store.location)
    assert SECRET.encode() not in b"".join(each.read_bytes() for each in path.parent.glob(f"{path.name}*"))


@pytest.mark.parametrize(
    "door",
    ["a block", "a procedure", "the goal of a task", "a note", "the outcome of a task"],
)  # fmt: skip
def test_what_is_longer_than_a_memory_is_refused(memories: Memories, door: str) -> None:
    with pytest.raises(BadInput):
        DOORS[door](memories, LONG)


@pytest.mark.parametrize("door", ["a block", "the goal of a task", "a note", "the outcome of a task"])
@pytest.mark.parametrize("said", [" ", "x\0y"])
def test_what_is_blank_or_binary_is_refused(memories: Memories, door: str, said: str) -> None:
    with pytest.raises(BadInput):
        DOORS[door](memories, said)


@pytest.mark.parametrize("said", [" ", "x\0y", LONG])
def test_what_cannot_be_kept_corrects_and_merges_nothing(memories: Memories, said: str) -> None:
    some = [memories.remember(text) for text in ("the mill grinds rye", "the mill grinds oats")]
    with pytest.raises(BadInput):
        revision.correct_memory(memories, some[0], said, WriteOptions())
    with pytest.raises(BadInput):
        revision.merge_memories(memories, some, text=said)
    assert memories.store.get([each.id for each in some]) == some


def test_what_is_nested_too_deep_is_kept_with_nothing(memories: Memories) -> None:
    nested: Any = 1
    for _ in range(300):
        nested = [nested]
    with pytest.raises(BadInput, match="too deep"):
        memories.remember(Draft(text="the mill grinds rye", data={"n": nested}))


@pytest.mark.parametrize(
    "fields", [{}, {"effect": "often"}, {"topic": "weather"}, {"kind": "thing"}, {"pattern": "("}]
)
def test_a_rule_that_cannot_be_applied_is_none(memories: Memories, fields: dict[str, str]) -> None:
    sound = {"name": "x", "effect": "never", "pattern": "frogs"}
    assert rule_from_record({**sound}) == OwnerRule("x", "never", pattern="frogs")
    told: dict[str, Any] = {**sound, **fields} if fields else {"name": "x", "effect": "never"}
    with pytest.raises(BadInput):
        rule_from_record(told)
    with pytest.raises(BadInput):
        stored_rules.put_rule(memories, OwnerRule(**told))


def test_an_output_that_is_cut_short_is_no_less_looked_at(memories: Memories) -> None:
    long = "line\n" * 9_000
    sound = Draft(text=long, session="s", data={"role": "tool"})
    assert len(sessions.append_turn(memories, sound).turn.text) < len(long)
    for binary in (f"{long}\0{long}", f"{long}\ud800{long}"):
        with pytest.raises(BadInput):
            sessions.append_turn(memories, replace(sound, text=binary))


def test_what_cannot_be_a_name_is_proposed_for_no_link(memories: Memories) -> None:
    kept = memories.remember("the mill grinds rye")
    said = {"subject": "mill", "relation": "grinds", "object": "rye", "confidence": 0.9}
    for name in ("subject", "relation", "object"):
        with pytest.raises(BadInput):
            proposed_links.submit_link(memories, {**said, name: "x" * 201}, [kept])
    assert proposed_links.submit_link(memories, said, [kept])


def test_an_action_that_is_empty_or_too_long_is_not_looked_at(memories: Memories) -> None:
    for action in (" ", LONG):
        with pytest.raises(BadInput):
            check_action(memories, action, {})


@pytest.mark.parametrize(
    "fields",
    [
        {"rule": " "}, {"name": ""}, {"enforcement": "harsh"}, {"patterns": ("(",)}, {"when": ("x ~ (",)},
        {"unless": ("x ~ (",)}, {"when": ("hour = 25",)}, {"unless": ("weekday = someday",)},
    ],
)  # fmt: skip
def test_a_policy_that_cannot_be_enforced_is_none(fields: dict[str, Any]) -> None:
    sound = PolicyText("calm", "never at night", patterns=("rm",), when=("hour = 23",), unless=("x = y",))
    assert checked_policy(sound) == sound
    with pytest.raises(BadInput):
        checked_policy(sound._replace(**fields))


def test_a_link_that_is_said_again_ends_after_it_begins(memories: Memories) -> None:
    now = memories.now()
    made = link_changes.link_entities(memories, "Ann", "owns", "x", since=now).link
    stated = link_changes._NewLink("Ann", "owns", "x", None, now - timedelta(1), None, None)
    with pytest.raises(BadInput):
        link_changes._said_again(made, stated, now)
    later = stated._replace(until=now + timedelta(1))
    assert link_changes._said_again(made, later, now).link.valid_until


def test_a_session_that_is_none_and_a_name_that_is_none_are_named(memories: Memories) -> None:
    with pytest.raises(NotFound):
        sessions.end_session(memories, "nobody")
    with pytest.raises((NotFound, BadInput)):
        memories.in_space("barn").find("01J8ZQ4X")
    memories.config = Config({"MEMCLI_ORIGIN": "mcp:x"})
    with pytest.raises(Refused):
        spaces.forget_space(memories, "no")


def test_what_changes_nothing_or_ends_before_it_begins_is_no_change(memories: Memories) -> None:
    kept = memories.remember("the mill grinds rye")
    with pytest.raises(BadInput, match="already says exactly that"):
        revision.correct_memory(memories, kept, kept.text, WriteOptions())
    now = memories.now()
    for end in (now, now - timedelta(days=1)):
        with pytest.raises(BadInput, match="end before it begins"):
            revision.edit_memory(memories, kept, valid_from=now, valid_until=end)
    assert memories.store.get([kept.id]) == [kept]


def test_what_fits_several_or_nothing_is_chosen_by_nobody(memories: Memories) -> None:
    several = [link_changes.link_entities(memories, "Ann", "knows", name).link for name in ("Bob", "Cid")]
    shared = several[0].id[:4]
    assert several[1].id.startswith(shared)
    with pytest.raises(BadInput, match="fits 2 links"):
        find_targets(memories, [f"link/{shared}"])
    with pytest.raises(NotFound, match="no block.nobody"):
        find_targets(memories, ["block/nobody"])
    assert find_targets(memories, [f"link/{several[0].id}"]).links == {several[0].id}
    assert find_targets(memories, [several[1].id]).links == {several[1].id}
    for number in range(2):
        waiting = replace(memories.remember(f"an owl {number}"), id=f"{shared}{number:022}")
        held.hold_memory(
            memories.store,
            Decision(action="hold", memory=waiting),
            memories.change("add", None),
            memories.now(),
        )
    with pytest.raises(BadInput, match="fits 2 that wait"):
        review.find_held(memories, shared)
    review.drop_held(memories)
    assert not list(review.list_held(memories))


@pytest.mark.parametrize("text", ["\x1b[31m\x1b[0m", "\x1b[1m \x1b[0m"])
def test_what_only_colours_says_nothing(memories: Memories, text: str) -> None:
    with pytest.raises(BadInput, match="empty"):
        memories.remember(text)


def test_a_plan_that_cannot_be_written_or_read_is_named(memories: Memories, tmp_path: Path) -> None:
    nowhere = tmp_path / "none" / "plan.jsonl"
    report = consolidate(memories, RunOptions(dry_run=True))
    with pytest.raises(BadInput, match="plan.jsonl: cannot be written"):
        save_plan(report, nowhere)
    with pytest.raises(BadInput, match="plan.jsonl: cannot be read"):
        load_plan(nowhere)


def test_of_a_store_on_a_server_there_are_no_copies(
    memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memories.store, "path", None)
    deeds: list[Callable[[Memories], object]] = [create_snapshot, backups.make_backup, backups.backups]
    for deed in deeds:
        with pytest.raises(BadInput, match="server"):
            deed(memories)
    assert not list(memories.store.states(None, areas.SNAPSHOT.name))
