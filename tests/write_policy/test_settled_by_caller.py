"""The reply to a write says what is near and how, and the caller settles it with one call."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest

from memcli.changes.open_questions import note_both_hold, put_question
from memcli.errors import BadInput, NotFound, Refused
from memcli.memories import Memories
from memcli.model import Memory
from memcli.recall.closed_questions import ClosedQuestions
from memcli.upkeep.audit import audit_memories
from memcli.write_policy.admission import admit_drafts
from memcli.write_policy.decision import Decision
from memcli.write_policy.drafts import Draft
from tests.conftest import AGENT, Run

OLD, NEW = "The staging server listens on port 8443", "The staging server listens on port 8444"


def keep(memories: Memories, text: str, **told: Any) -> Decision:
    [decision] = admit_drafts(memories, memories.model, [Draft(text=text, kind="fact", **told)])
    return decision


def live(memories: Memories) -> list[Memory]:
    return list(memories.store.select(memories.within()))


def relations(decision: Decision) -> dict[str, str]:
    return {each.id: each.relation for each in decision.near}


def test_the_decision_names_what_is_near_and_how(memories: Memories) -> None:
    old = keep(memories, OLD).memory
    other = keep(memories, "Ann plays the cello on Sundays").memory
    decision = keep(memories, NEW)
    assert decision.action == "take" and relations(decision) == {old.id: "replaces"}
    [record] = decision.to_record()["near"]
    assert set(record) == {"id", "relation", "likely"}
    assert other.id not in relations(decision)
    again = keep(memories, NEW)
    assert again.action == "reinforce" and relations(again) == {decision.memory.id: "same"}


def test_no_more_than_three_are_named(memories: Memories) -> None:
    for port in range(8443, 8449):
        keep(memories, f"The staging server listens on port {port}", both_hold=())
    assert len(keep(memories, "The staging server listens on port 9000").near) == 3


@pytest.mark.parametrize("kept_before", [False, True])
def test_what_replaces_is_there_once(memories: Memories, kept_before: bool) -> None:
    old = keep(memories, OLD).memory
    first = keep(memories, NEW, tags=("ops",)).memory if kept_before else None
    decision = keep(memories, NEW, supersedes=old.id[-8:], tags=("staging",))
    assert (decision.action, decision.other) == ("supersede", old.id)
    [only] = live(memories)
    assert only.text == NEW and only.supersedes == old.id
    assert only.tags == (("ops", "staging") if first else ("staging",))
    assert first is None or only.id == first.id
    assert memories.store.get([old.id])[0].replaced_by == only.id


def test_a_replacement_that_is_told_once_more_is_known(memories: Memories) -> None:
    """An agent that heard no answer makes its call again, and names what it named before."""
    old = keep(memories, OLD).memory
    new = keep(memories, NEW, supersedes=old.id).memory
    again = keep(memories, f"{NEW}.", supersedes=old.id, tags=("ops",))
    assert (again.action, again.rule, again.memory.id, again.notes) == ("reinforce", "duplicate", new.id, ())
    assert [(each.id, each.tags) for each in live(memories)] == [(new.id, ("ops",))]
    # Another value, time or kind is no repetition.
    other = keep(memories, "The staging server listens on port 9000", supersedes=old.id)
    assert (other.action, other.other) == ("supersede", new.id)
    until = memories.now() + timedelta(days=9)
    ends = keep(memories, other.memory.text, supersedes=old.id, valid_until=until)
    assert (ends.action, ends.other) == ("supersede", other.memory.id)
    constraint = Draft(text=other.memory.text, kind="constraint", valid_until=until, supersedes=old.id)
    assert admit_drafts(memories, memories.model, [constraint])[0].action == "supersede"


@pytest.mark.parametrize(("kind", "is_known"), [(None, True), ("fact", True), ("constraint", False)])
def test_what_is_known_under_another_kind_replaces_only_where_nobody_named_one(
    memories: Memories, kind: str | None, is_known: bool
) -> None:
    old, known = keep(memories, OLD).memory, keep(memories, NEW).memory
    draft = Draft(text=NEW, kind=kind, supersedes=old.id[-8:])
    [decision] = admit_drafts(memories, memories.model, [draft])
    assert decision.action == "supersede"
    assert (decision.memory.id == known.id) is is_known
    assert is_known or decision.memory.kind == kind


def test_both_hold_leaves_no_note_and_keeps_what_judges_take_for_the_same(memories: Memories) -> None:
    old = keep(memories, OLD).memory
    decision = keep(memories, NEW, both_hold=(old.id,))
    assert decision.action == "take" and not decision.contradicts and not decision.notes
    assert old.id not in relations(decision)
    twice = keep(memories, OLD, both_hold=(old.id,))
    assert twice.action == "take" and len(live(memories)) == 3
    first = decision.memory
    told_later = keep(memories, NEW, both_hold=(old.id,))
    assert (told_later.action, told_later.memory.id) == ("reinforce", first.id)
    assert told_later.memory.confirm_count == first.confirm_count


def test_both_hold_is_a_closed_question(memories: Memories) -> None:
    old, new = keep(memories, OLD).memory, keep(memories, NEW).memory
    assert any(each.check == "contradictions" for each in audit_memories(memories))
    assert put_question(memories, [old.id, new.id], "contradiction")
    note_both_hold(memories, new, [old.id])
    note_both_hold(memories, new, [old.id])
    assert ClosedQuestions(memories.store, (memories.space,)).holds(new.id, old.id)
    assert not put_question(memories, [old.id, new.id], "contradiction")
    found = {each.check for each in audit_memories(memories)}
    assert not found & {"contradictions", "questions", "duplicates"}


@pytest.mark.parametrize("kept_before", [False, True])
def test_what_is_the_same_confirms_and_is_on_record(memories: Memories, kept_before: bool) -> None:
    old = keep(memories, "Ann's home is Paris").memory
    if kept_before:
        keep(memories, "She sleeps beside the Seine")
    decision = keep(memories, "She sleeps beside the Seine", same_as=old.id[-8:])
    assert (decision.action, decision.memory.id, decision.near) == ("reinforce", old.id, ())
    [only] = live(memories)
    assert (only.text, only.confirm_count) == (old.text, 1)
    last = next(memories.store.history(old.id, newest_first=True))
    assert last.reason == "said again: She sleeps beside the Seine"


def test_what_cannot_be_told_is_said(memories: Memories) -> None:
    old = keep(memories, OLD).memory
    gone = keep(memories, "Ann plays the cello on Sundays").memory
    memories.end([gone.id], "forgotten")
    for told in ({"both_hold": ("ZZZZZZZZ",)}, {"same_as": "ZZZZZZZZ"}, {"supersedes": "ZZZZZZZZ"}):
        with pytest.raises(NotFound, match="ZZZZZZZZ"):
            keep(memories, NEW, **told)
    for told in ({"both_hold": (gone.id,)}, {"same_as": gone.id}, {"supersedes": gone.id}):
        with pytest.raises(BadInput, match="mem restore"):
            keep(memories, NEW, **told)
    with pytest.raises(NotFound):
        keep(memories, NEW, same_as=old.id, space="elsewhere")
    with pytest.raises(BadInput, match="leave one"):
        keep(memories, NEW, same_as=old.id, supersedes=old.id)
    for told in ({"supersedes": old.id}, {"same_as": old.id}):
        with pytest.raises(BadInput, match="name it once"):
            keep(memories, NEW, both_hold=(old.id,), **told)
    assert [each.text for each in live(memories)] == [OLD]


def test_an_untrusted_caller_settles_its_own_only(memories: Memories, agent: Memories) -> None:
    old = keep(memories, OLD).memory
    decision = keep(agent, NEW, supersedes=old.id)
    assert (decision.action, decision.rule) == ("hold", "untrusted-correction")
    for told in ({"both_hold": (old.id,)}, {"same_as": old.id}):
        with pytest.raises(Refused, match=AGENT):
            keep(agent, NEW, **told)
    own = keep(agent, "Ann plays the cello on Sundays").memory
    assert keep(agent, "Ann plays the cello on Mondays", both_hold=(own.id,)).action == "take"
    assert len(live(memories)) == 3 and memories.store.get([old.id])[0].confirm_count == 0


def test_an_agent_settles_what_its_write_has_told(mem: Run) -> None:
    """With the real model, by the commands alone."""

    def run(*arguments: str) -> dict[str, Any]:
        done = mem("remember", "--json", *arguments)
        assert done.returncode == 0, done.stderr
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    old = run("Our supplier for oak boards is Hansen")["id"]
    new = run("We get our oak boards from Petersen these days")
    assert [(each["id"], each["relation"]) for each in new["decision"]["near"]] == [(old, "replaces")]
    assert new["decision"]["near"][0]["likely"] > 0.5
    settled = run("We get our oak boards from Petersen these days", "--replaces", old[-8:])
    assert settled["id"] == new["id"] and settled["decision"]["other"] == old
    assert f"update: {old}" in settled["data"]["judged"]
    port, beside = run(OLD)["id"], run(NEW)
    assert beside["decision"]["contradicts"] == [port]
    run(NEW, "--both-hold", port)
    checks = [json.loads(line)["check"] for line in mem("audit", "--json").stdout.splitlines()]
    assert "contradictions" not in checks
    mem("consolidate")
    assert "questions" not in mem("audit", "--json").stdout
    assert {"8443", "8444"} <= {line[-4:] for line in mem("list").stdout.splitlines()}
    bad = mem("remember", "--batch", "--same-as", port, input="x\n")
    assert bad.returncode == 2 and "--same-as" in bad.stderr
    lines = [
        {"text": "The staging server listens on port 8446", "both_hold": [port, beside["id"]]},
        {"text": "Port 8443 is where staging listens", "same_as": port},
        {"text": "The door is blue", "replaces": "ZZZZZZZZ"},
    ]
    done = mem("remember", "--batch", "--json", input="\n".join(map(json.dumps, lines)))
    assert [json.loads(line)["decision"]["action"] for line in done.stdout.splitlines()] == [
        "take",
        "reinforce",
    ]
    assert done.returncode == 2 and "line 3: no memory 'ZZZZZZZZ'" in done.stderr
    assert "contradictions" not in mem("audit", "--json").stdout
    assert mem("correct", port, "The staging server listens on port 8445", "--json").returncode == 0
