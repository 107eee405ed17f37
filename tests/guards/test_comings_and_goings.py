"""What an import, a copy that is put back, a move and an agent may bring along; each condition by itself."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from memcli.changes import open_questions, revision
from memcli.changes.forgetting.erased_things import ErasedThings
from memcli.changes.forgetting.soft import end_links
from memcli.changes.undo import undo_change
from memcli.config.config import Config
from memcli.consolidation.proposals import propose_end
from memcli.consolidation.run import carry_out_plan
from memcli.errors import Refused
from memcli.graph import aliases, link_changes, proposed_links
from memcli.graph.proposed_links import ProposedLink
from memcli.memories import Memories
from memcli.model import Filter, Memory
from memcli.storage.stores import open_store
from memcli.sync.files.folder import Folder
from memcli.sync.run import sync_folder
from memcli.tiers.procedures.procedures import Procedures
from memcli.tiers.sessions import episodes, sessions
from memcli.tiers.tasks import checkpoints, completion, tasks
from memcli.upkeep import retrieval_checks, spaces
from memcli.upkeep.copies.snapshots import create_snapshot, drop_snapshot, find_snapshot
from memcli.write_policy import review, stored_rules
from memcli.write_policy.direct import vet_memory
from memcli.write_policy.drafts import Draft
from memcli.write_policy.flood import RULE
from tests.erasure import erase_memories
from tests.guards.exchanged import SAID, exported, take
from tests.standin import StandIn

ROBOT = "mcp:robot"


@pytest.mark.parametrize("trusted", [True, False])
def test_a_text_without_an_id_is_trusted_as_its_file_is(memories: Memories, trusted: bool) -> None:
    assert take(memories, [{"text": SAID, "trusted": True}], trusted=trusted).added == 1
    [memory] = memories.store.select(memories.within())
    assert (memory.trusted, memory.origin) == (trusted, "import:test")


def test_vectors_of_another_model_are_not_taken_for_ones_own(memories: Memories) -> None:
    kept = memories.remember(SAID)
    head, record = exported(memories, vectors=True)
    # Without a vector a store takes any model for its own.
    memories.remember("Bob keeps geese by the river")
    own = memories.model.embed([kept])[kept.id][0]
    record["vectors"] = [base64.b64encode(own[::-1]).decode()]
    for weights, expected in (("0" * 64, own), (head["model"]["weights"], own[::-1])):
        memories.store.erase([kept.id], memories.change("erase"), memories.now())
        head["model"]["weights"] = weights
        assert take(memories, [head, record]).refused == []
        [ref] = memories.store.refs_by_id([kept.id]).values()
        assert [*memories.store.vectors([ref])[ref]] == [expected]


def test_a_link_comes_in_as_long_as_something_that_it_rests_on_is_there(memories: Memories) -> None:
    one, other = memories.remember(SAID), memories.remember("Bob keeps geese by the river")
    for evidence in (one, other):
        link_changes.link_entities(memories, "Bob", "keeps", "geese", evidence=evidence)
    [link] = [each for each in exported(memories) if each.get("type") == "link"]
    erase_memories(memories, [one], None)
    assert take(memories, [link]).refused == []
    [here] = memories.store.links()
    assert (here.evidence, SAID in str(here)) == (other.id, False)
    erase_memories(memories, [other], None)
    assert "forgotten for good" in take(memories, [link]).refused[0]
    assert not any(each.ended_at is None for each in memories.store.links())


def test_what_was_erased_is_known_in_a_copy_by_what_quotes_or_names_it(memories: Memories) -> None:
    quoting = memories.remember(f"As I wrote on Monday: {SAID}.")
    other = memories.remember("Bob keeps geese by the river")
    named = link_changes.link_entities(memories, "Cid", "plays", "bassoon").link
    own = link_changes.link_entities(memories, "Bob", "keeps", "geese").link
    gone = [memories.remember(SAID), memories.remember("Cid plays bassoon")]
    erase_memories(memories, gone, None)
    erased = ErasedThings(memories.store)
    assert [erased.memory(each) for each in (quoting, other)] == [True, False]
    assert [erased.link(each) for each in (named, own)] == [True, False]


def test_links_move_with_what_they_rest_on_and_those_that_are_there_stay(memories: Memories) -> None:
    moving, staying = memories.remember(SAID), memories.remember("Bob keeps geese by the river")
    for name, evidence in (("Ann", moving), ("Bob", staying)):
        link_changes.link_entities(memories, name, "is_in", "Norway", evidence=evidence)
    there = memories.in_space("other")
    assert spaces.move_memories(memories, [moving], "other") == 1
    before = sorted(memories.store.links())
    assert {each.subject: each.space for each in before} == {"Ann": "other", "Bob": "default"}
    # Moved where it is already: nothing is noted of its link that an undo would take back.
    spaces.move_memories(there, [there.find(moving.id)], "other")
    assert sorted(memories.store.links()) == before
    # So it passes over that, and takes back the move before it, the link with it.
    assert undo_change(there).passed
    assert {each.subject: each.space for each in memories.store.links()} == {
        "Ann": "default",
        "Bob": "default",
    }


@pytest.fixture
def agent(memories: Memories) -> Iterator[Memories]:
    """The same store through an untrusted door, with bounds that are soon reached."""
    given = {"MEMCLI_ORIGIN": ROBOT, "MEMCLI_CONFIG": "/nowhere/config.toml",
             "MEMCLI_SESSION_WRITES": "2", "MEMCLI_TURN_WRITES": "2"}  # fmt: skip
    opened = open_store(Path(memories.store.location))
    with closing(Memories(opened, Config(given), StandIn, clock=memories.now)) as entered:
        yield entered


def _proposals(m: Memories) -> list[ProposedLink]:
    return [*proposed_links.list_proposed_links(m)]


def _question(m: Memories) -> list[Memory]:
    pair = [*m.store.select(m.within(), order="oldest")]
    open_questions.put_question(m, [each.id for each in pair], "contradiction")
    return pair


# What only the owner does, whatever it is done to.
OWNERS: dict[str, Callable[[Memories], object]] = {
    "accept a link": lambda m: proposed_links.accept_links(m, _proposals(m)),
    "reject a link": lambda m: proposed_links.reject_links(m, _proposals(m)),
    "replace a link": lambda m: link_changes.link_entities(m, "Bob", "lives_in", "Rome", replaces=True),
    "end a link": lambda m: link_changes.unlink_entities(m, "Bob", "lives_in", "Paris"),
    "an alias": lambda m: aliases.add_aliases(m, "Bob", ["Robert"]),
    "a check": lambda m: retrieval_checks.add_check(m, "who keeps geese?", next(m.store.select(m.within()))),
    "no check": lambda m: retrieval_checks.remove_check(
        m, next(iter(retrieval_checks.retrieval_checks(m))).id
    ),
    "a question": lambda m: open_questions.close_question(m, [*m.store.select(m.within(), order="oldest")]),
    "a snapshot": lambda m: create_snapshot(m, "other"),
    "no snapshot": lambda m: drop_snapshot(m, find_snapshot(m, "one")),
    "a space": lambda m: spaces.rename_space(m, "default", "other"),
    "moving": lambda m: spaces.move_memories(m, [next(m.store.select(m.within()))], "other"),
    "forgetting a space": lambda m: spaces.forget_space(m, "forgotten"),
    "a plan": lambda m: carry_out_plan(
        m, [propose_end("decay", [next(m.store.select(m.within()))], "decayed", "so")]
    ),
    "ending links": lambda m: end_links(m, {each.id for each in m.store.links()}, "so"),
    "a topic": lambda m: stored_rules.turn_topic_off(m, "health"),
    "what is held": review.drop_held,
    "syncing": lambda m: sync_folder(m, Folder(Path(m.store.location).parent)),
}


@pytest.mark.parametrize("deed", OWNERS)
def test_an_agent_does_nothing_that_is_its_owners_to_do(
    memories: Memories, agent: Memories, deed: str
) -> None:
    kept = memories.remember(SAID)
    memories.remember("Bob keeps geese by the river")
    said = {"subject": "Ann", "relation": "met", "object": "the bishop", "confidence": 0.9}
    assert proposed_links.submit_link(memories, said, [kept])
    link_changes.link_entities(memories, "Bob", "lives_in", "Paris")
    retrieval_checks.add_check(memories, "whom did Ann meet?", kept)
    create_snapshot(memories, "one")
    _question(memories)

    def everything() -> list[object]:
        found = memories.store.select(Filter(spaces=None, live=False))
        return [*found, *memories.store.links(), *memories.store.states(), *memories.store.history()]

    before = everything()
    with pytest.raises(Refused, match=ROBOT):
        OWNERS[deed](agent)
    assert everything() == before
    OWNERS[deed](memories)


FLOODS: dict[str, Callable[[Memories, int], object]] = {
    "turns": lambda m, n: sessions.append_turn(m, Draft(text=f"step {n}", data={"role": "note"})),
    "links": lambda m, n: link_changes.link_entities(m, f"Ann{n}", "knows", "Bob"),
    "tasks": lambda m, n: tasks.start_task(m, f"paint room {n}", name=f"room{n}"),
    "procedures": lambda m, n: Procedures(m).add(f"p{n}", f"# p{n}\n\n## Steps\n\n1. go\n", "markdown"),
    "checkpoints": lambda m, n: checkpoints.save_checkpoint(m, f"job{n}", "{}"),
}


@pytest.mark.parametrize("what", FLOODS)
def test_a_loop_of_an_agent_fills_nothing_and_its_owner_goes_on(
    memories: Memories, agent: Memories, what: str
) -> None:
    for number in (1, 2):
        FLOODS[what](agent, number)
    with pytest.raises(Refused) as refused:
        FLOODS[what](agent, 3)
    assert refused.value.rule == RULE
    for number in (4, 5, 6):
        FLOODS[what](memories, number)


ENDS: dict[str, Callable[[Memories], object]] = {
    "ended": lambda m: completion.end_task(m, "room", "it is blue", success=True),
    "dropped": lambda m: completion.drop_task(m, "room"),
}


@pytest.mark.parametrize("how", ENDS)
def test_a_task_that_is_its_owners_by_now_is_ended_by_no_agent(
    memories: Memories, agent: Memories, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor is anything read for it by the model that is its owner's already."""
    tasks.start_task(agent, "paint the room", name="room")
    read: list[object] = []

    def late(reader: Callable[..., object]) -> Callable[..., object]:
        def reading(*given: object) -> object:
            read.append(tasks.note_in_task(memories, "room", "mine"))
            return reader(*given)

        return reading

    monkeypatch.setattr(agent.model, "embed", late(agent.model.embed))
    monkeypatch.setattr(completion, "read_turns", late(episodes.read_turns))
    for _ in range(2):
        with pytest.raises(Refused, match=ROBOT):
            ENDS[how](agent)
    assert len(read) == 1 and [each.task.name for each in tasks.list_tasks(memories)] == ["room"]
    with pytest.raises(Refused, match=ROBOT):
        completion.end_task(agent, "room", "it is blue", success=True, dry_run=True)
    ENDS[how](memories)


def test_an_agent_ends_no_policy_and_says_nothing_that_is_trusted(
    memories: Memories, agent: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, other = memories.remember(SAID), memories.remember("Bob keeps geese by the river")
    assert not vet_memory(agent, kept).trusted and vet_memory(memories, kept).trusted
    policy = replace(kept, kind="policy", trusted=False, origin=ROBOT)
    memories.store.put([policy], None, memories.now())
    with pytest.raises(Refused, match=ROBOT):
        agent.end([policy.id], "so")
    assert memories.store.get([kept.id]) == [policy]
    read: list[object] = []
    monkeypatch.setattr(agent.model, "embed", read.append)
    with pytest.raises(Refused, match=ROBOT):
        revision.merge_memories(agent, [other, memories.remember("Bob keeps ducks")])
    assert not read
