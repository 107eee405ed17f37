"""Plans: saved with what an LLM answered, carried out without asking, refused where anything changed."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from memcli import times
from memcli.consolidation import plan
from memcli.consolidation.proposals import Proposal, proposal, proposal_from_record, propose_end
from memcli.consolidation.report import ProposalStatus
from memcli.consolidation.run import RunOptions, carry_out_plan, consolidate
from memcli.errors import BadInput
from memcli.memories import Memories
from memcli.model import Filter, Memory
from memcli.tiers.sessions import sessions
from memcli.write_policy.direct import put_embedded
from memcli.write_policy.drafts import Draft, new_memory
from tests.conftest import Run, TickingClock, make_memories
from tests.consolidation.test_proposed_links import Concludes, waiting
from tests.erasure import erase_memories
from tests.llms import fake

MEANING = ("distil", "fold", "expire", "merge", "contradict", "decay", "prune")


def planned(memories: Memories, path: Path) -> list[Proposal]:
    plan.save_plan(consolidate(memories, RunOptions(steps=MEANING, dry_run=True)), path)
    return list(plan.load_plan(path)[1])


def said(memories: Memories, text: str, session: str = "s") -> Memory:
    return sessions.append_turn(memories, Draft(text=text, session=session, data={"role": "user"})).turn


# The file


def test_a_plan_may_lose_lines_but_not_be_changed(memories: Memories, tmp_path: Path) -> None:
    said(memories, "I live in Oulu. Nadia works at Helio.")
    path = tmp_path / "plan"
    proposals = planned(memories, path)
    assert len(proposals) == 3
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0], lines[2]]))
    assert plan.load_plan(path)[1] == [proposals[1]]
    path.write_text("\n".join(lines).replace("Oulu", "Oslo"))
    with pytest.raises(BadInput, match="line 2: changed since"):
        plan.load_plan(path)


@pytest.mark.parametrize(
    ("spoil", "said_so"),
    [
        (lambda text: text[: len(text) * 2 // 3], "cut off"),
        (lambda text: text.replace("memcli-plan/2", "memcli-plan/1"), "another version"),
        (lambda text: "", "not a plan"),
        (lambda text: "[1]\n" + text, "not a plan"),
        (lambda text: '{"format": 7}', "not a plan"),
        (lambda text: "[" * 100_000, "not a plan"),
        (lambda text: text + "{}\n", "changed since"),
        (lambda text: text.replace('"space": "default"', '"space": "other"'), "line 1: changed"),
    ],
)
def test_what_is_no_sound_plan_is_refused(
    memories: Memories, tmp_path: Path, spoil: Callable[[str], str], said_so: str
) -> None:
    said(memories, "I live in Oulu.")
    path = tmp_path / "plan"
    planned(memories, path)
    path.write_text(spoil(path.read_text()))
    with pytest.raises(BadInput, match=said_so):
        plan.load_plan(path)


def test_a_plan_that_names_no_space_or_proposes_nothing_that_can_be_is_none(
    memories: Memories, tmp_path: Path
) -> None:
    said(memories, "I live in Oulu.")
    path = tmp_path / "plan"
    planned(memories, path)
    head, *lines = (json.loads(line) for line in path.read_text().splitlines())
    for records, why in (
        ([{**head, "space": 7}, *lines], "line 1: names no space"),
        ([{name: value for name, value in head.items() if name != "space"}], "line 1: names no space"),
        ([{**head, "format": "memcli-plan/9"}], "another version"),
        ([head, {**lines[0], "action": "sing"}], "line 2: not a proposal"),
    ):
        path.write_text("".join(json.dumps(plan._checked(each)) + "\n" for each in records))
        with pytest.raises(BadInput, match=why):
            plan.load_plan(path)


def test_a_plan_repeats_no_text_that_it_can_name(memories: Memories, tmp_path: Path) -> None:
    said(memories, "I live in Oulu.")
    for mark in ("", "."):
        new = replace(new_memory(memories, Draft(text=f"the shed key hangs by the door{mark}")), kind="fact")
        put_embedded(memories, memories.model, [new], memories.change("import"))
    planned(memories, tmp_path / "plan")
    text = (tmp_path / "plan").read_text()
    assert text.count("I live in Oulu.") == 1
    assert "shed key" not in text
    if os.name != "nt":
        assert (tmp_path / "plan").stat().st_mode & 0o777 == 0o600


def test_a_plan_that_does_not_say_how_a_memory_ends_is_made_anew(memories: Memories) -> None:
    gone = memories.remember("not for long")
    record = propose_end("decay", [gone], "decayed", "faded").to_record()
    assert proposal_from_record(record).data == {"ended_as": "decayed"}
    for data in ({}, {"ended_as": "eaten"}, {"ended_as": "updated", "replaced_by": 7}):
        with pytest.raises(BadInput, match=r"data.ended_as|data.replaced_by"):
            proposal_from_record({**record, "data": data})


def test_what_a_plan_would_keep_twice_is_kept_once(memories: Memories) -> None:
    turn = memories.remember("We moved the blog to Hugo")
    new = new_memory(memories, Draft(text="The blog runs on Hugo", data={"cites": [turn.id]}))
    asked = [proposal("distil", "keep", [turn], "concluded", memory=new.to_record()) for _ in range(2)]
    report = carry_out_plan(memories, asked)
    assert [each.status for each in report.outcomes] == [ProposalStatus.DONE, ProposalStatus.KNOWN]
    assert len(list(memories.store.history(new.id))) == 1


def test_what_a_later_memcli_says_beside_a_proposal_hinders_nobody(memories: Memories) -> None:
    record = propose_end("decay", [memories.remember("not for long")], "decayed", "faded").to_record()
    memory = new_memory(memories, Draft(text="the shed is green")).to_record()
    link = {"subject": "Ann", "relation": "knows", "object": "Bob", "confidence": 0.9}
    for action, needed in (
        ("end", {"ended_as": "decayed"}), ("fold", {"session": "s"}), ("keep", {"memory": memory}),
        ("ask", {}), ("relate", {"updated_by": {}}), ("link", {"link": link}),
    ):  # fmt: skip
        read = proposal_from_record({**record, "action": action, "data": {**needed, "later": 1}})
        assert read.data == {**needed, "later": 1}


def test_the_plan_of_another_store_is_one_clear_line(memories: Memories, tmp_path: Path) -> None:
    foreign = replace(new_memory(memories, Draft(text="not here")), kind="fact")
    with pytest.raises(BadInput, match="another store"):
        plan.check_plan_is_ours(memories, tmp_path, [propose_end("decay", [foreign], "decayed", "faded")])
    plan.check_plan_is_ours(memories, tmp_path, [])


# What it may do


def test_no_plan_purges_what_is_in_force_or_not_past_its_grace(
    memories: Memories, clock: TickingClock
) -> None:
    live, ended = memories.remember("the shed is green"), memories.remember("the gate is blue")
    memories.end([ended.id], "forgotten")
    [ended] = memories.store.get([ended.id])
    asked = [proposal("prune", "purge", [each], "…") for each in (live, ended)]
    report = carry_out_plan(memories, asked)
    assert [outcome.note for outcome in report.outcomes] == ["not past its grace"] * 2
    clock.advance(days=91)
    assert [each.done for each in carry_out_plan(memories, asked).outcomes] == [False, True]
    assert memories.store.get([live.id, ended.id]) == [live]


@pytest.mark.parametrize(
    "other",
    [
        {"text": "the shed is red"},
        {"trusted": False},
        {"kind": "outcome"},
        {"valid_until": "later"},
    ],
)
def test_no_plan_merges_what_differs(
    memories: Memories, clock: TickingClock, other: dict[str, object]
) -> None:
    if "valid_until" in other:
        other = {"valid_until": clock() + timedelta(days=9)}
    one = replace(new_memory(memories, Draft(text="the shed is green")), kind="fact")
    two = replace(new_memory(memories, Draft(text="the shed is green")), **{"kind": "fact", **other})  # type: ignore[arg-type]
    put_embedded(memories, memories.model, [one, two], memories.change("import"))
    report = carry_out_plan(memories, [proposal("merge", "merge", [one, two], "2 say the same")])
    assert [outcome.note for outcome in report.outcomes] == ["not the same"]


def test_a_part_whose_text_was_forgotten_for_good_is_refused(memories: Memories, tmp_path: Path) -> None:
    turn = said(memories, "I live in Oulu. Nadia works at Helio.")
    other = said(memories, "I live in Oulu.", "t")
    proposals = planned(memories, tmp_path / "plan")
    erase_memories(memories, [turn])
    report = carry_out_plan(memories, proposals)
    # What the other turn states by itself still holds.
    gone = [outcome for outcome in report.outcomes if turn.id in outcome.proposal.memories]
    assert gone and {outcome.note for outcome in gone} == {"gone since"}
    assert not waiting(memories)
    erase_memories(memories, [other])
    fact = new_memory(memories, Draft(text="I live in Oulu.", kind="fact", source="inferred", confidence=0.9))
    late = said(memories, "well, it rains", "u")
    [refused] = carry_out_plan(
        memories, [proposal("distil", "keep", [late], "stated", memory=fact.to_record())]
    ).outcomes
    assert "forgotten" in refused.note


def test_a_session_that_went_on_is_not_folded_by_an_old_plan(
    memories: Memories, clock: TickingClock, tmp_path: Path
) -> None:
    said(memories, "We chose larch for the deck")
    clock.advance(days=2)
    proposals = planned(memories, tmp_path / "plan")
    said(memories, "No, oak it is")
    [outcome] = carry_out_plan(memories, proposals).outcomes
    assert "went on" in outcome.note
    assert not list(memories.store.select(memories.within(sources=("merged",))))


def test_a_fold_is_carried_out_in_the_words_that_were_planned(
    memories: Memories, clock: TickingClock, tmp_path: Path
) -> None:
    said(memories, "We chose larch for the deck")
    clock.advance(days=2)
    report = consolidate(memories, RunOptions(steps=("fold",), dry_run=True), reasoner=Concludes([]))
    plan.save_plan(report, tmp_path / "plan")
    assert carry_out_plan(memories, plan.load_plan(tmp_path / "plan")[1]).counts() == {"fold": {"fold": 1}}
    [summary] = memories.store.select(memories.within(sources=("merged",)))
    assert summary.text == "a summary"


# By hand, as a person would

_TURNS = "\n".join(
    json.dumps({"text": text, "kind": "episode", "role": "user", "session": "s", "at": "3 days ago"})
    for text in ("We moved the blog to Hugo", "Our logo is a heron")
)


@pytest.fixture
def filled(mem: Run) -> Run:
    assert mem("remember", "--batch", "-", input=_TURNS).returncode == 0
    return mem


def digest(own_home: Path) -> str:
    """All that a store holds, in short."""
    with make_memories(own_home / "data" / "memory.db", times.now) as memories:
        store = memories.store
        held = [*store.select(Filter(spaces=None, live=False)), *store.history(), *store.states()]
        return hashlib.sha256(repr([*held, *store.links()]).encode()).hexdigest()


def test_what_an_llm_answered_is_carried_out_without_asking_again(
    filled: Run, own_home: Path, tmp_path: Path
) -> None:
    before = digest(own_home)
    shown = filled("consolidate", "--plan", "p", "--llm", fake("good"), "--skip", "tend", cwd=tmp_path)
    assert shown.returncode == 0, shown
    assert "We moved the blog to Hugo" in shown.stdout
    assert filled("consolidate", "--dry-run", "--llm", fake("good")).returncode == 0
    assert filled("consolidate", "--apply", "p", "--dry-run", cwd=tmp_path).returncode == 0
    assert digest(own_home) == before
    done = filled("consolidate", "--apply", "p", "--llm", fake("fail", "was asked"), cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    facts = [json.loads(line) for line in filled("list", "--kind", "fact", "--json").stdout.splitlines()]
    assert {each["text"] for each in facts} == {"We moved the blog to Hugo", "Our logo is a heron"}
    assert all(each["source"] == "inferred" and each["data"]["cites"] for each in facts)


def test_bad_plans_are_one_line_each(filled: Run, tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(os.urandom(300))
    (tmp_path / "folder").mkdir()
    (tmp_path / "other").write_text('{"type": "memory"}\n')
    for name in ("binary", "folder", "other", "nosuch"):
        done = filled("consolidate", "--apply", str(tmp_path / name))
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done
    assert filled("consolidate", "--plan", str(tmp_path / "p"), "--skip", "tend").returncode == 0
    filled("remember", "Bob plays chess", "--space", "work")
    done = filled("consolidate", "--apply", str(tmp_path / "p"), "--space", "work")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    done = filled("consolidate", "--plan", "/nosuch/folder/p")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)


def test_a_link_of_a_plan_may_say_more_than_is_known_here(memories: Memories) -> None:
    link = {"subject": "Ann", "relation": "works_at", "object": "Acme", "confidence": 0.9, "since": None}
    told = [memories.remember("Ann works at Acme")]
    record = proposal("distil", "link", told, "stated", link={**link, "until": "May"}).to_record()
    assert proposal_from_record(record).data["link"]["until"] == "May"
    with pytest.raises(BadInput, match="confidence"):
        proposal_from_record({**record, "data": {"link": {**link, "confidence": 7}}})
