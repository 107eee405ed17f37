"""Open questions: as many as somebody answers, closed for good, taken back with the run that put them."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise, product
from typing import Any

import pytest

from memcli.changes import open_questions, revision
from memcli.changes.undo import undo_change
from memcli.consolidation import portions
from memcli.consolidation.report import RunReport
from memcli.consolidation.run import RunOptions, consolidate
from memcli.consolidation.steps import contradict as contradict_step
from memcli.errors import NotFound
from memcli.judgement.pairs import PairJudgement
from memcli.memories import Memories
from memcli.model import Memory
from memcli.storage import areas
from memcli.upkeep.audit import audit_memories
from memcli.write_policy.direct import put_embedded
from memcli.write_policy.drafts import Draft, new_memory
from tests.conftest import Run, TickingClock

COLOURS = ("red", "blue", "green", "white", "black", "amber")


@pytest.fixture(autouse=True)
def judged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of one thing two types are an update, not surely: how well that is judged is no subject here."""

    def judge(newer: str, older: str, cosine: float | None = None) -> PairJudgement:
        update = 0.6 if newer.partition(" is ")[0] == older.partition(" is ")[0] else 0.1
        return PairJudgement(same=0.0, update=update, both=1 - update)

    monkeypatch.setattr(contradict_step, "judge_pair", judge)


def put(memories: Memories, text: str, **fields: object) -> Memory:
    memory = replace(new_memory(memories, Draft(text=text, kind="fact")), **fields)  # type: ignore[arg-type]
    put_embedded(memories, memories.model, [memory], memories.change("import"))
    return memory


def contradict(memories: Memories) -> RunReport:
    return consolidate(memories, RunOptions(steps=("merge", "contradict")))


def test_no_more_are_open_than_somebody_answers_the_newest_first(
    memories: Memories, clock: TickingClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_questions, "MAX_QUESTIONS", 3)
    for colour, other in pairwise(COLOURS):
        put(memories, f"my {colour} kite's type is delta")
        clock.advance(days=1)
        put(memories, f"my {colour} kite's type is {other} parafoil")
        clock.advance(days=1)
    dry = consolidate(memories, RunOptions(steps=("contradict",), dry_run=True))
    report = consolidate(memories, RunOptions(steps=("contradict",)))
    standing = list(open_questions.open_questions(memories))
    assert len(standing) == 3
    assert report.put_off == dry.put_off > 0
    newest = max(memories.store.select(memories.within()), key=lambda each: each.happened_at)
    assert newest.id in {each.newer.id for each in standing}
    assert report.counts()["contradict"]["ask"] == 3
    assert not consolidate(memories, RunOptions(steps=("contradict",))).counts()


def test_a_night_that_asks_hundreds_keeps_few_on_the_way(
    memories: Memories, clock: TickingClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_questions, "MAX_QUESTIONS", 3)
    monkeypatch.setattr(portions, "BATCH_SIZE", 4)
    for colour, thing in product(COLOURS, ("kite", "boat", "lamp", "tent")):
        for kind in ("delta", "parafoil"):
            put(memories, f"my {colour} {thing}'s type is {kind}")
            clock.advance(days=1)
    dry = consolidate(memories, RunOptions(steps=("contradict",), dry_run=True))
    most, put_state = 0, memories.store.put_state

    def counted(*given: Any, **named: Any) -> bool:
        nonlocal most
        most = max(most, sum(1 for _ in memories.store.states((memories.space,), areas.QUESTION.name)))
        return put_state(*given, **named)

    monkeypatch.setattr(memories.store, "put_state", counted)
    report = consolidate(memories, RunOptions(steps=("contradict",)))
    asked = report.counts()["contradict"]["ask"] + report.put_off
    assert asked > 10 and most <= 8
    standing = {frozenset((each.older.id, each.newer.id)) for each in open_questions.open_questions(memories)}
    would_stand = {frozenset(o.proposal.memories) for o in dry.outcomes if o.proposal.action == "ask"}
    assert standing == would_stand and len(standing) == 3


def test_a_closed_question_is_not_put_again_nor_of_what_it_was_merged_into(
    memories: Memories, clock: TickingClock
) -> None:
    one = put(memories, "my kite's type is delta")
    clock.advance(days=1)
    two = put(memories, "my kite's type is parafoil")
    contradict(memories)
    assert len(list(audit_memories(memories, ("questions",)))) == 1
    open_questions.close_question(memories, [two, one])
    assert not list(audit_memories(memories, ("questions",)))
    again = put(memories, "My kite's type is delta.")
    merged = revision.merge_memories(memories, [one, again])
    consolidate(memories)
    assert merged.ended_at is None
    assert not list(open_questions.open_questions(memories))
    with pytest.raises(NotFound):
        open_questions.close_question(memories, [one, again])


@pytest.mark.parametrize("is_closed", [False, True])
def test_of_what_its_owner_says_that_both_hold_neither_is_ended_later(
    memories: Memories, clock: TickingClock, monkeypatch: pytest.MonkeyPatch, is_closed: bool
) -> None:
    for thing in ("boat", "kite"):
        one = put(memories, f"my {thing}'s type is delta")
        clock.advance(days=1)
        two = put(memories, f"my {thing}'s type is parafoil")
        contradict(memories)
        if is_closed:
            open_questions.close_question(memories, [two, one])
    revision.edit_memory(memories, two, tags=["kites"])

    def surely(newer: str, older: str, cosine: float | None = None) -> PairJudgement:
        is_update = newer.partition(" is ")[0] == older.partition(" is ")[0]
        return PairJudgement(same=0.0, update=float(is_update), both=float(not is_update))

    monkeypatch.setattr(contradict_step, "judge_pair", surely)
    monkeypatch.setattr(contradict_step, "told_change", lambda memory: 1.0)
    assert contradict(memories).counts() == ({} if is_closed else {"contradict": {"end": 1}})
    assert (memories.find(one.id).ended_at is None) is is_closed


@pytest.mark.parametrize("is_trusted", [True, False])
def test_what_an_untrusted_source_says_puts_nothing_of_its_owners_in_question(
    memories: Memories, clock: TickingClock, is_trusted: bool
) -> None:
    put(memories, "my kite's type is delta")
    clock.advance(days=1)
    put(memories, "my kite's type is parafoil", trusted=is_trusted)
    assert contradict(memories).counts() == ({"contradict": {"ask": 1}} if is_trusted else {})


def test_who_says_that_two_hold_is_asked_of_a_third_all_the_same(
    memories: Memories, clock: TickingClock
) -> None:
    for colour in COLOURS[:2]:
        pair = []
        for kind in ("delta", "parafoil"):
            pair.append(put(memories, f"my {colour} kite's type is {kind}"))
            clock.advance(days=1)
        contradict(memories)
        open_questions.close_question(memories, pair)
    third = put(memories, f"my {COLOURS[0]} kite's type is sled")
    assert contradict(memories).counts() == {"contradict": {"ask": 2}}
    assert {each.newer.id for each in open_questions.open_questions(memories)} == {third.id}


def test_of_several_values_the_newest_replaces_the_others_and_what_is_replaced_replaces_none(
    memories: Memories, clock: TickingClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def surely(newer: str, older: str, cosine: float | None = None) -> PairJudgement:
        is_update = newer.split()[:2] == older.split()[:2] and {newer, older} != {said[-1], said[-3]}
        return PairJudgement(same=0.0, update=float(is_update), both=0.0)

    said = [f"my {thing}'s type is {kind}" for thing, kind in (
        ("boat", "sloop"), ("boat", "ketch"), ("lamp", "neon"), ("lamp", "arc"), ("lamp", "gas"),
        ("kite", "delta"), ("kite", "parafoil"), ("kite", "sled"),
    )]  # fmt: skip
    monkeypatch.setattr(contradict_step, "judge_pair", surely)
    monkeypatch.setattr(contradict_step, "told_change", lambda memory: 1.0)
    kept = []
    for text in said:
        kept.append(put(memories, text))
        clock.advance(days=1)
    contradict(memories)
    by_id = {each.id: each.text.split()[-1] for each in kept}
    replaced = {by_id[each.id]: by_id.get(str(memories.find(each.id).replaced_by)) for each in kept}
    assert replaced == {
        "sloop": "ketch", "ketch": None, "neon": "gas", "arc": "gas", "gas": None,
        # Of the first and the last nothing is judged: the one between them is gone when it is met.
        "delta": None, "parafoil": "sled", "sled": None,
    }  # fmt: skip


def test_undo_of_the_run_withdraws_its_questions(memories: Memories, clock: TickingClock) -> None:
    put(memories, "my kite's type is delta")
    clock.advance(days=1)
    put(memories, "my kite's type is parafoil")
    report = contradict(memories)
    assert report.counts() == {"contradict": {"ask": 1}}
    undone = undo_change(memories, report.run)
    assert (undone.memories, len(undone.withdrawn)) == ([], 1)
    assert not list(open_questions.open_questions(memories))
    # What still stands is put again, once; who says that both hold is not asked again.
    assert contradict(memories).counts() == {"contradict": {"ask": 1}}
    assert not contradict(memories).counts()


def test_by_hand_a_question_is_shown_closed_and_gone(mem: Run) -> None:
    said = [{"text": "Ann lives in Berlin", "at": "2 days ago"}, {"text": "Ann now lives in Paris"}]
    lines = "\n".join(map(json.dumps, said))
    assert mem("remember", "--batch", "-", "--force", input=lines).returncode == 0
    assert "1 open question" in mem("consolidate").stdout
    shown = mem("audit", "--check", "questions").stdout
    command = shown.split("if both hold: mem ")[1].split()
    assert mem(*command).returncode == 0
    assert mem("audit", "--check", "questions").returncode == 1
    assert mem("consolidate").stdout == ""
    assert mem(*command[:3], "nosuch").returncode == 1


@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize("role", ["assistant", "summary"])
def test_what_nobody_stated_contradicts_nothing(
    memories: Memories, clock: TickingClock, which: int, role: str
) -> None:
    for number, text in enumerate(("my kite's type is delta", "my kite's type is parafoil")):
        put(memories, text, **({"kind": "episode", "data": {"role": role}} if number == which else {}))
        clock.advance(days=1)
    assert not contradict(memories).counts()
