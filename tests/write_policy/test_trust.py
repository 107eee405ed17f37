"""What whoever comes in through an untrusted door may do, and what is its owner's."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memcli.changes import revision
from memcli.changes.forgetting.soft import forget_memories
from memcli.changes.undo import undo_change
from memcli.errors import Refused
from memcli.graph import link_changes
from memcli.memories import Memories
from memcli.model import Filter, Memory
from memcli.tiers.procedures.procedures import Procedures
from memcli.tiers.sessions import sessions
from memcli.upkeep import spaces
from memcli.upkeep.exchange.importer import Importer
from memcli.write_policy import review, stored_rules
from memcli.write_policy.admission import admit_drafts
from memcli.write_policy.drafts import Draft
from memcli.write_policy.owner_rules import OwnerRule
from memcli.write_policy.settings import WriteOptions
from tests.conftest import AGENT, Run
from tests.erasure import erase_memories

ALL = Filter(spaces=None, live=False)


DEEDS: dict[str, Callable[[Memories, Memory, Memory], Any]] = {
    "confirm": lambda m, one, two: revision.confirm_memory(m, one),
    "doubt": lambda m, one, two: revision.doubt_memory(m, one),
    "edit": lambda m, one, two: revision.edit_memory(m, one, importance=0.1),
    "edit validity": lambda m, one, two: revision.edit_memory(m, one, valid_until=m.now()),
    "merge": lambda m, one, two: revision.merge_memories(m, [one, two]),
    "merge into an untrusted text": lambda m, one, two: revision.merge_memories(
        m, [two, one], "they both agree"
    ),
    "forget": lambda m, one, two: forget_memories(m, [one], "forgotten"),
    "erase": lambda m, one, two: erase_memories(m, [one]),
    "move": lambda m, one, two: spaces.move_memories(m, [one], "elsewhere"),
    "rename": lambda m, one, two: spaces.rename_space(m, "default", "elsewhere"),
    "forget the space": lambda m, one, two: spaces.forget_space(m, "forgotten"),
    "undo": lambda m, one, two: undo_change(m),
    "undo by name": lambda m, one, two: undo_change(m, next(m.store.history(one.id)).change),
    "unlink": lambda m, one, two: link_changes.unlink_entities(m, "Ann", "keeps", "gate"),
    "replace a link": lambda m, one, two: (
        link_changes.link_entities(m, "Ann", "keeps", "barn", replaces=True)
    ),
    "end a link's truth": lambda m, one, two: (
        link_changes.link_entities(m, "Ann", "keeps", "gate", until=m.now())
    ),
    "date a link": lambda m, one, two: link_changes.link_entities(m, "ann", "keeps", "Gate", since=m.now()),
    "rule": lambda m, one, two: stored_rules.put_rule(m, OwnerRule("r", "always", tag="x")),
    "force": lambda m, one, two: admit_drafts(m, m.model, [Draft(text="red")], WriteOptions(force=True)),
    "reject": lambda m, one, two: review.reject_held(m, list(review.list_held(m))),
    "accept": lambda m, one, two: review.accept_held(m, m.model, list(review.list_held(m))),
}  # fmt: skip


@pytest.mark.parametrize("deed", DEEDS)
def test_what_is_the_owners_is_refused_and_stays(memories: Memories, agent: Memories, deed: str) -> None:
    two = agent.remember(Draft(text="the robot says that the gate is open", origin=AGENT))
    one = memories.remember("the gate is locked at ten")
    link_changes.link_entities(memories, "Ann", "keeps", "gate", evidence=one)

    def everything() -> list[object]:
        store = memories.store
        return [list(store.select(ALL)), list(store.history()), list(store.links()), list(store.states())]

    before = everything()
    with pytest.raises(Refused, match=AGENT):
        DEEDS[deed](agent, one, two)
    assert everything() == before


def test_an_agent_confirms_no_link_and_revives_none(memories: Memories, agent: Memories) -> None:
    made = link_changes.link_entities(memories, "Ann", "keeps", "gate", confidence=0.5).link
    again = link_changes.link_entities(agent, "Ann", "keeps", "gate")
    assert (again.outcome, again.link) == ("unchanged", made)
    assert link_changes.link_entities(agent, "Ann", "keeps", "barn").outcome == "added"
    link_changes.unlink_entities(memories, "Ann", "keeps", "gate")
    with pytest.raises(Refused, match=AGENT):
        link_changes.link_entities(agent, "Ann", "keeps", "gate", confidence=0.9)
    assert [bool(link.ended_at) for link in memories.store.links()] == [True, False]


def test_what_is_untrusted_is_the_agents_to_change_and_stays_untrusted(agent: Memories) -> None:
    def said(text: str) -> Memory:
        return agent.remember(Draft(text=text, origin=AGENT))

    one, two = said("the robot likes oil"), said("the robot hums at night")
    revision.doubt_memory(agent, one)
    revision.edit_memory(agent, agent.find(one.id), tags=["robot"])
    fixed = revision.correct_memory(agent, one, "the robot likes silicone oil", WriteOptions())
    assert fixed.action == "supersede" and not fixed.memory.trusted
    merged = revision.merge_memories(agent, [fixed.memory, two])
    assert not merged.trusted
    assert forget_memories(agent, [merged], "done")[0].ended_at
    assert undo_change(agent).action == "end" and agent.find(merged.id).ended_at is None
    assert {event.actor for event in agent.store.history()} == {agent.origin}
    assert not any(each.trusted for each in agent.store.select(ALL))
    with pytest.raises(Refused):
        revision.edit_memory(agent, agent.find(merged.id), trusted=True)
    with pytest.raises(Refused):
        revision.restore_memories(agent, [agent.find(one.id)])


def test_a_correction_of_what_is_trusted_waits_for_its_owner(memories: Memories, agent: Memories) -> None:
    old = memories.remember("the gate code is on the fridge")
    asked = revision.correct_memory(agent, old, "the gate code is under the mat", WriteOptions())
    named = admit_drafts(
        agent, agent.model, [Draft(text="the gate code is in the shed", supersedes=old.id, origin=AGENT)]
    )[0]
    assert (asked.action, asked.rule, named.action) == ("hold", "untrusted-correction", "hold")
    assert memories.find(old.id).ended_at is None
    first, second = review.list_held(memories)
    review.reject_held(memories, [second])
    [decision] = review.accept_held(memories, memories.model, [first])
    assert (decision.action, decision.memory.origin) == ("supersede", agent.origin)
    # As with a proposed link: what its owner said yes to is the owner's from then on.
    assert decision.memory.trusted and memories.find(decision.memory.id).trusted
    assert memories.find(old.id).ended_why == f"superseded by {decision.memory.id}"
    taken = [event for event in memories.store.history() if event.memory in (old.id, decision.memory.id)]
    assert {event.actor for event in taken} == {memories.origin} and "accept" in {
        event.action for event in taken
    }
    undo_change(memories)
    assert memories.find(old.id).ended_at is None


def test_a_held_correction_of_what_is_gone_is_taken_alone(memories: Memories, agent: Memories) -> None:
    old = memories.remember("the gate code is on the fridge")
    revision.correct_memory(agent, old, "the gate code is under the mat", WriteOptions())
    forget_memories(memories, [old], "moved house")
    [decision] = review.accept_held(memories, memories.model, list(review.list_held(memories)))
    assert decision.action == "take" and memories.find(decision.memory.id).ended_at is None


def test_who_acts_is_on_record_whatever_door_the_memory_came_through(
    memories: Memories, agent: Memories
) -> None:
    admit_drafts(
        agent,
        agent.model,
        [Draft(text="the robot likes oil", source="inferred", confidence=0.9, origin=AGENT)],
    )
    [decision] = review.accept_held(memories, memories.model, list(review.list_held(memories)))
    assert decision.memory.origin == agent.origin
    said = memories.remember("the robot likes oil!")
    assert said.id == decision.memory.id
    assert {event.actor for event in memories.store.history()} == {memories.origin}
    own = agent.remember(Draft(text="the fence is painted green", origin=AGENT))
    memories.remember("the fence is painted green")
    assert [event.actor for event in memories.store.history(own.id)] == [
        memories.signed(AGENT),
        memories.origin,
    ]


def test_only_its_own_changes_are_taken_back(memories: Memories, agent: Memories) -> None:
    own = agent.remember(Draft(text="the robot likes oil", origin=AGENT))
    assert undo_change(agent).memories[0].id == own.id
    memories.restore([own.id])
    with pytest.raises(Refused, match="by cli"):
        undo_change(agent)


def test_an_untrusted_file_brings_no_state_history_or_replacement(memories: Memories) -> None:
    kept = memories.remember("the gate is locked at ten")
    newer = {**kept.to_record(), "text": "the gate is open", "updated_at": "2099-01-01T00:00:00.000Z"}
    event = {
        "type": "event", "at": "2099-01-01T00:00:00.000Z", "memory": kept.id, "action": "edit",
        "actor": memories.origin, "reason": None, "before": {"text": "evil"}, "after": {"text": kept.text},
    }  # fmt: skip
    state = {
        "type": "state", "space": "*", "area": "write-rules", "key": "x", "value": {"effect": "always"},
        "version": 1, "created_at": "2099-01-01T00:00:00.000Z", "updated_at": "2099-01-01T00:00:00.000Z",
        "expires_at": None,
    }  # fmt: skip
    records = [("1", {"type": "memory", **newer}), ("2", event), ("3", state)]
    before = [list(memories.store.select(ALL)), list(memories.store.history()), list(memories.store.states())]
    report = Importer(memories, "import:x", trusted=False).take(records)
    assert len(report.refused) == 3
    after = [list(memories.store.select(ALL)), list(memories.store.history()), list(memories.store.states())]
    assert after == before
    assert not Importer(memories, "import:x").take([("1", {"type": "memory", **newer})]).refused


def test_an_untrusted_outcome_is_on_record_and_not_counted(memories: Memories, agent: Memories) -> None:
    Procedures(memories).add("rollback", "# Rollback\n\n## Steps\n\n1. stop\n2. start\n", "markdown")
    assert Procedures(agent).report("rollback", ok=False).data.get("failed", 0) == 0
    assert Procedures(memories).report("rollback", ok=True).data["ok"] == 1
    actions = [(event.action, event.actor) for event in memories.store.history()]
    assert ("failed", agent.origin) in actions


def test_a_session_with_the_owners_turns_is_not_the_agents_to_clear(
    memories: Memories, agent: Memories
) -> None:
    sessions.append_turn(memories, Draft(text="the gate is stuck", session="s", kind="episode"))
    with pytest.raises(Refused):
        sessions.clear_session(agent, "s")


def test_by_hand(mem: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    ident = mem("remember", "the gate is locked at ten").stdout.strip()
    theirs = {"MEMCLI_ORIGIN": AGENT}
    for name, value in theirs.items():
        monkeypatch.setenv(name, value)
    own = mem("remember", "the robot hums at night").stdout.strip()
    for line in (
        f"doubt {ident}", f"confirm {own}", f"merge {ident} {own}", f"forget {ident}",
        f"forget {own} --hard --yes",
        f"space move x {own}", f"edit {ident} --tag x", f"edit {own} --trusted", "rule on medical",
        "remember --force hello there",
    ):  # fmt: skip
        done = mem(*line.split())
        assert done.returncode == 3 and done.stdout == "" and done.stderr.count("\n") == 1, line
        assert AGENT in done.stderr, line
    held = mem("correct", ident, "the gate is open all night", "--json")
    assert json.loads(held.stdout)["decision"]["action"] == "hold"
    assert mem("edit", own, "--tag", "x").returncode == 0
    assert mem("history", own, "--json").stdout.count(AGENT) >= 2
    monkeypatch.delenv("MEMCLI_ORIGIN")
    assert json.loads(mem("show", ident, "--json").stdout)["ended_at"] is None
    accepted = mem("review", "accept", "--all")
    assert accepted.returncode == 0 and f"stays on record ({ident})" in accepted.stderr


def test_a_paraphrase_of_the_owners_vouches_for_no_untrusted_text(
    memories: Memories, agent: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its vector is alike and its meaning the same; its words were never the owner's."""
    theirs = agent.remember(Draft(text="the meeting starts at nine", origin=AGENT))
    same = agent.remember(Draft(text="the front gate is always open", origin=AGENT))
    vector = memories.store.vectors(list(memories.store.refs_by_id([theirs.id]).values())).popitem()[1]
    monkeypatch.setattr(
        memories.model, "embed", lambda some, carried=None: {each.id: vector for each in some}
    )
    own = memories.remember("the meeting begins at nine")
    assert own.trusted and not memories.find(theirs.id).trusted
    vouched = memories.remember("The front gate is always open.")
    assert vouched.id == same.id and vouched.trusted


def test_whoever_may_not_force_is_not_told_of_it(
    mem: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Each refusal and note that names --force to its owner says the same without it to an agent."""
    mem("rule", "add", "never", "ex", "--topic", "medical")
    mem("config", "set", "session_writes", "1")
    ident = mem("remember", "the gate opens at nine on market days").stdout.strip()
    mem("remember", "the old well in the orchard ran dry")
    well = next(
        row for row in map(json.loads, mem("list", "--json").stdout.splitlines()) if "well" in row["text"]
    )
    export = tmp_path / "export.jsonl"
    export.write_text(mem("export").stdout)
    mem("forget", well["id"], "--hard", "--yes")
    secret = "the gate's password is tr0ub4dor-and-3"
    told = {
        "secret": (("remember", secret), None),
        "secret, dry": (("remember", "--dry-run", secret), None),
        "forgotten": (("remember", well["text"]), None),
        "correction": (("correct", ident, secret), None),
        "batch": (("remember", "--batch"), f"{secret}\n{well['text']}\n"),
        "passing": (("remember", "the lift is out of order today"), None),
        "import": (("import", str(export)), None),
    }
    owner = {name: mem(*line, input=words or "") for name, (line, words) in told.items()}
    monkeypatch.setenv("MEMCLI_ORIGIN", AGENT)
    mem("remember", "the robot hums at night")
    limit = mem("remember", "the robot sleeps on Sundays")
    assert limit.returncode == 3 and "session_writes" in limit.stderr and "--force" not in limit.stderr
    for name, (line, words) in told.items():
        done = mem(*line, input=words or "")
        if name != "secret, dry":
            assert "--force" in owner[name].stderr, (name, owner[name])
        assert "--force" not in done.stderr + done.stdout, (name, done)
        assert done.returncode == owner[name].returncode or name == "passing", (name, done)


def test_what_an_agent_states_waits_as_stated(memories: Memories, agent: Memories) -> None:
    """A rule for what programs conclude lets it wait, and says who states it."""
    stored_rules.put_rule(memories, OwnerRule("r", "review", pattern="quokka", inferred=True))
    how = WriteOptions(approved=True)
    [known] = admit_drafts(memories, memories.model, [Draft(text="one quokka lives in the barn")], how)
    drafts = [Draft(text="a quokka hops by the gate"), Draft(text="a quokka eats figs", source="inferred")]
    said, inferred = admit_drafts(agent, agent.model, drafts)
    correction = revision.correct_memory(agent, known.memory, "two quokkas fled the barn", WriteOptions())
    assert {each.rule for each in (said, inferred, correction)} == {"rule:r"}
    stated = f", and {said.memory.origin}, an untrusted origin, states it"
    assert f"{stated} (" in said.reason and "inferred" not in said.reason
    assert "a program inferred it (" in inferred.reason
    assert f"{stated} (" in correction.reason


def test_whatever_waits_says_what_it_would_replace(memories: Memories, agent: Memories) -> None:
    old = memories.remember("the gate code is on the fridge")
    told: dict[str, Any] = {"source": "inferred", "confidence": 0.3, "supersedes": old.id}
    for who in (memories, agent):
        draft = Draft(text=f"the gate code is in the {who.origin} shed", origin=who.origin, **told)
        [decision] = admit_drafts(who, who.model, [draft])
        assert (decision.action, decision.rule, decision.other) == ("hold", "unverified", old.id)
        assert decision.reason.endswith(f"; it would replace {old.id}, which is trusted")
        assert decision.notes[-1] == 'it would replace "the gate code is on the fridge"'
    assert all(f"would replace {old.id}" in each.reason for each in review.list_held(memories))
    [decision] = admit_drafts(agent, agent.model, [Draft(text="tea", **(told | {"supersedes": None}))])
    assert "replace" not in decision.reason
