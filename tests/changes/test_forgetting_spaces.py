"""Forgetting a space: softly with all that can come back, or for good with all that there is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from memcli.changes.forgetting.hard import erase
from memcli.changes.forgetting.targets import Targets
from memcli.errors import BadInput, NotFound
from memcli.graph import aliases, link_changes
from memcli.memories import Memories
from memcli.model import Filter
from memcli.recall import session_and_task
from memcli.tiers.context import blocks
from memcli.tiers.tasks import checkpoints, steps, tasks
from memcli.upkeep import spaces
from memcli.write_policy.drafts import Draft
from tests.conftest import Run, TickingClock, faults, make_memories


@pytest.fixture
def zoo(own_home: Path, clock: TickingClock) -> Iterator[Memories]:
    """A space that holds one thing of every sort, all of them about a zebra; next to it another."""
    with make_memories(own_home / "memory.db", clock) as others:
        others.remember("the cat is black")
        link_changes.link_entities(others, "Ann", "works_at", "Acme")
        blocks.put_block(others, "owner", "Ann, in Oslo")
    with make_memories(own_home / "memory.db", clock, space="zoo") as opened:
        fill(opened)
        yield opened


def fill(memories: Memories) -> None:
    fact = memories.remember(Draft(text="the zebra Wanjiku-Zebra is striped", space="zoo"))
    memories.recall("zebra")
    link_changes.link_entities(memories, "Ann", "rides", "zebra Wanjiku", evidence=fact)
    link_changes.link_entities(memories, "Acme", "owns", "zebra barn")
    aliases.add_aliases(memories, "zebra Wanjiku", ["zebra W"])
    blocks.put_block(memories, "zebra-block", "feed the zebra")
    blocks.put_block(memories, "zebra-block", "feed the zebra twice")
    tasks.start_task(memories, "wash the zebra")
    tasks.note_in_task(memories, None, "the zebra is wet")
    checkpoints.save_checkpoint(memories, "zebra-run", '{"zebra": "half washed zebra"}')
    step = steps.TaskStep("zebra-step", "done", ("echo", "zebra"), {}, False, 1, memories.now())
    steps.record_step(memories, "zebra-run", step, None, steps.StepOutput(b"zebra out", b"\xff zebra"))


def files(home: Path) -> bytes:
    return b"".join(file.read_bytes() for file in home.rglob("memory.db*") if file.is_file())


def test_nothing_of_a_space_is_left_in_any_file_or_backup(zoo: Memories, own_home: Path) -> None:
    zoo.store.back_up(zoo.now())
    assert b"zebra" in files(own_home)
    receipt = erase(zoo, Targets(), "the zebra is sold", space=zoo.space)
    assert receipt.verified and receipt.traces == [] and len(receipt.memories) == 1
    assert len(receipt.links) == 2 and receipt.space["block"] == receipt.space["task"] == 1
    assert {"alias", "checkpoint", "checkpoint-save", "checkpoint-step", "checkpoint-output"} < set(
        receipt.space
    )
    assert "zebra" not in json.dumps(receipt.to_record())
    assert b"zebra" not in files(own_home).lower() and b"wanjiku" not in files(own_home).lower()
    assert not list(zoo.store.states(("zoo",))) and not list(zoo.store.links(("zoo",)))
    with pytest.raises(NotFound):
        spaces.space_contents(zoo, ended=True)


def test_what_had_ended_is_counted_only_where_it_is_to_go_too(memories: Memories) -> None:
    barn = memories.in_space("barn")
    here, gone = barn.remember(Draft(text="the cow is brown", space="barn")), barn.remember("the hay is in")
    barn.end([gone.id], "sold")
    made = [link_changes.link_entities(barn, "Ann", "milks", name).link.id for name in ("Bess", "Flo")]
    link_changes.unlink_entities(barn, "Ann", "milks", "Flo")
    for ended, memories_told, links_told in ((False, [here.id], made[:1]), (True, [here.id, gone.id], made)):
        found = spaces.space_contents(barn, ended=ended)
        assert [each.id for each in found.memories] == memories_told
        assert sorted(each.id for each in found.links) == sorted(links_told)


def test_the_other_spaces_keep_what_they_have(zoo: Memories) -> None:
    before = list(zoo.store.states(("default",)))
    erase(zoo, Targets(), "sold", space=zoo.space)
    assert [each.text for each in zoo.store.select(Filter(spaces=None, live=False))] == ["the cat is black"]
    [link] = zoo.store.links()
    assert link.object == "Acme" and list(zoo.store.states(("default",))) == before
    assert list(zoo.store.links(touching=["ACME"])) == [link]
    assert not faults(zoo.store.check())


def test_softly_all_but_tasks_can_come_back(zoo: Memories) -> None:
    assert session_and_task.names_at_hand(zoo).task
    done = spaces.forget_space(zoo, "forgotten")
    assert (len(done.memories), done.links, done.blocks, done.tasks) == (1, 2, 1, 1)
    assert done.staying["checkpoint"] == 1 and done.staying["alias"] == 1 and "task" not in done.staying
    assert not zoo.recall("zebra").hits and blocks.blocks(zoo) == [] and tasks.list_tasks(zoo) == []
    assert session_and_task.names_at_hand(zoo).task is None
    assert all(link.ended_at for link in zoo.store.links(("zoo",)))
    assert blocks.restore_block(zoo, "zebra-block").text == "feed the zebra twice"
    assert zoo.restore([done.memories[0].id])
    assert link_changes.link_entities(zoo, "Acme", "owns", "zebra barn").outcome == "revived"


def test_a_space_without_memories_is_forgotten_too(own_home: Path, clock: TickingClock) -> None:
    with make_memories(own_home / "memory.db", clock, space="notes") as memories:
        blocks.put_block(memories, "b", "a zebra")
        receipt = erase(memories, Targets(), "", space=memories.space)
        assert receipt.verified and receipt.memories == [] and receipt.space == {"block": 1}
    assert b"zebra" not in files(own_home)


def test_all_spaces_at_once_are_no_space(own_home: Path, clock: TickingClock) -> None:
    with make_memories(own_home / "memory.db", clock, space="*") as memories, pytest.raises(BadInput):
        spaces.space_contents(memories, ended=True)


def test_a_space_is_forgotten_by_hand(mem: Run, own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = ("--space", "zoo")
    mem("remember", "the zebra is striped", *here)
    mem("block", "set", "z", "a zebra", *here)
    mem("link", "Ann", "rides", "zebra", *here)
    mem("task", "start", "wash the zebra", *here)
    mem("checkpoint", "run", "job", "wash", *here, "--", "echo", "zebra done")
    mem("checkpoint", "save", "job", *here, input='{"zebra": 1}')
    assert mem("policy", "add", "stripes", "--rule", "never paint a zebra", *here).returncode == 0
    monkeypatch.setenv("MEMCLI_POLICY_LOG", "action")
    mem("policy", "check", "wash the zebra now", *here)
    assert mem("space", "forget", "nowhere", "--yes").returncode == 1
    assert mem("space", "forget", "zoo").returncode == 2
    dry = mem("space", "forget", "zoo", "--dry-run")
    assert dry.returncode == 0 and "block 1" in dry.stderr and "link 1" in dry.stderr
    soft = mem("space", "forget", "zoo", "--yes")
    assert "links ended: 1" in soft.stderr and "checkpoint 1" in soft.stderr and "--hard" in soft.stderr
    hard = mem("space", "forget", "zoo", "--hard", "--yes")
    assert hard.returncode == 0 and "policy-check: 1" in hard.stdout and "zebra" not in hard.stdout
    left = [file for file in own_home.rglob("*") if file.is_file() and "cache" not in file.parts]
    assert left and not any(b"zebra" in file.read_bytes() for file in left)
    assert mem("space", "forget", "zoo", "--hard", "--yes").returncode == 1
