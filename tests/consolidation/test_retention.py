"""What a night may end and purge, and what must stay: each condition by itself, to the second."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from memcli.changes.open_questions import note_both_hold
from memcli.consolidation.news import erased_since, news_since
from memcli.consolidation.proposals import ORIGIN, Proposal, proposal, propose_end
from memcli.consolidation.report import ProposalStatus, RunReport
from memcli.consolidation.retention import ids_rested_on, may_purge, purge_grace
from memcli.consolidation.run import RunOptions, carry_out_plan, consolidate
from memcli.graph.link_changes import link_entities, unlink_entities
from memcli.graph.proposed_links import submit_link
from memcli.memories import Memories
from memcli.model import Change, Filter, Memory, as_ended
from memcli.recall.closed_questions import ClosedQuestions
from memcli.upkeep import spaces
from memcli.write_policy.direct import put_embedded
from memcli.write_policy.drafts import Draft, new_memory
from tests.conftest import TickingClock
from tests.erasure import erase_memories

SECOND = timedelta(seconds=1)
NIGHT = "consolidation"


def put(memories: Memories, text: str, **fields: Any) -> Memory:
    memory = replace(new_memory(memories, Draft(text=text, kind=fields.pop("kind", "fact"))), **fields)
    put_embedded(memories, memories.model, [memory], memories.change("import"))
    return memory


def ended(memories: Memories, memory: Memory, by: str, at: datetime | None = None) -> Memory:
    """A memory, ended by somebody."""
    at = at or memories.now()
    memories.store.put([as_ended(memory, at, "forgotten", "over")], Change("end", by), at)
    return memories.store.get([memory.id])[0]


def back(memories: Memories, memory: Memory) -> Memory:
    memories.restore([memory.id])
    return memories.store.get([memory.id])[0]


def after_grace(memories: Memories, memory: Memory, more: timedelta = SECOND) -> bool:
    """Whether it may be purged when its grace is over, and a second has passed."""
    assert memory.ended_at
    return may_purge(memories.at(memory.ended_at + purge_grace(memories) + more), memory)


# Purged


def test_what_is_in_force_or_in_its_grace_is_never_purged(memories: Memories) -> None:
    live = put(memories, "the mill grinds", source="inferred")
    assert not may_purge(memories.at(memories.now() + timedelta(days=9999)), live)
    gone = ended(memories, live, "cli")
    assert [after_grace(memories, gone, more) for more in (-SECOND, 0 * SECOND, SECOND)] == [
        False,
        True,
        True,
    ]


@pytest.mark.parametrize(
    ("source", "by", "expires", "may"),
    [
        ("explicit", "cli", None, True), ("explicit", NIGHT, None, False),
        ("explicit", "folding", None, False), ("merged", NIGHT, None, False),
        ("merged", "mcp:robot", None, True), ("inferred", NIGHT, None, True), ("learned", NIGHT, None, True),
        ("imported", NIGHT, None, True),
        # Its owner gave it that end.
        ("explicit", NIGHT, -1, True), ("explicit", NIGHT, 0, True), ("explicit", NIGHT, 1, False),
    ],
)  # fmt: skip
def test_what_somebody_stated_goes_only_by_the_will_of_its_owner(
    memories: Memories, source: str, by: str, expires: int | None, may: bool
) -> None:
    at = memories.now() + timedelta(days=1)
    until = None if expires is None else at + expires * SECOND
    kept = put(memories, "the mill grinds", source=source, expires_at=until)
    assert after_grace(memories, ended(memories, kept, by, at)) is may


@pytest.mark.parametrize(("first", "then", "may"), [(NIGHT, "cli", True), ("cli", NIGHT, False)])
def test_who_ended_it_last_is_who_ended_it(memories: Memories, first: str, then: str, may: bool) -> None:
    kept = back(memories, ended(memories, put(memories, "the mill grinds"), first))
    assert after_grace(memories, ended(memories, kept, then)) is may


def test_what_is_believed_for_a_reason_keeps_its_reason(memories: Memories) -> None:
    said = [put(memories, f"the mill has {n} stones") for n in range(4)]
    fact = put(memories, "a big mill", source="inferred", data={"cites": [said[0].id]})
    spoilt = put(memories, "a small mill", source="inferred", data={"cites": "all"})
    link = link_entities(memories, "Ann", "owns", "mill", evidence=said[1]).link
    names = {"subject": "Ann", "relation": "grinds", "object": "rye", "confidence": 0.9}
    submit_link(memories, names, [said[2]])
    assert ids_rested_on(memories) == {each.id for each in said[:3]} and spoilt
    ended(memories, fact, "cli")
    assert ids_rested_on(memories) == {each.id for each in said[1:3]}
    unlink_entities(memories, link.subject, link.relation, link.object)
    assert ids_rested_on(memories) == {said[2].id}
    # What was taken back bears nothing any more.
    ended(memories, said[2], "cli")
    assert ids_rested_on(memories) == set()


def test_the_night_purges_no_reason_and_no_plan_does(memories: Memories, clock: TickingClock) -> None:
    said = put(memories, "the mill has two stones", source="imported")
    other = put(memories, "the mill has three stones", source="imported")
    put(memories, "a mill", source="inferred", confidence=1.0, data={"cites": [said.id]})
    for each in (said, other):
        ended(memories, each, NIGHT)
    clock.advance(days=91)
    gone = memories.store.get([said.id, other.id])
    planned = [proposal("prune", "purge", [each], "past its grace") for each in gone]
    outcomes = carry_out_plan(memories, planned).outcomes
    assert [(each.proposal.memories, each.status) for each in outcomes] == [
        ((said.id,), ProposalStatus.REFUSED), ((other.id,), ProposalStatus.DONE),
    ]  # fmt: skip
    consolidate(memories, RunOptions(steps=("prune",)))
    assert [each.id for each in memories.store.get([said.id, other.id])] == [said.id]


def test_a_purge_of_several_needs_all_of_them_past_their_grace(
    memories: Memories, clock: TickingClock
) -> None:
    old = ended(memories, put(memories, "the mill grinds"), "cli")
    clock.advance(days=91)
    new = ended(memories, put(memories, "the owl hoots"), "cli")
    [outcome] = carry_out_plan(memories, [proposal("prune", "purge", [old, new], "over")]).outcomes
    assert outcome.status is ProposalStatus.REFUSED and len(memories.store.get([old.id, new.id])) == 2


def test_what_a_purged_memory_bore_rests_on_others_from_then_on(
    memories: Memories, clock: TickingClock
) -> None:
    one, two = put(memories, "Ann owns the mill", source="imported"), put(memories, "the mill is Ann's")
    for each in (one, two):
        link_entities(memories, "Ann", "owns", "mill", evidence=each)
    gone = ended(memories, one, "cli")
    clock.advance(days=91)
    [done] = carry_out_plan(memories, [proposal("prune", "purge", [gone], "over")]).outcomes
    assert done.status is ProposalStatus.DONE
    [link] = memories.store.links()
    assert link.evidence == two.id and one.id not in str(link)


# Ended


@pytest.mark.parametrize(
    ("fields", "goes"),
    [
        ({}, True), ({"source": "inferred"}, True), ({"source": "explicit"}, False),
        ({"importance": 0.3}, False), ({"access_count": 1}, True), ({"access_count": 2}, False),
        ({"kind": "constraint"}, False), ({"data": {"told_at": "2026-05-04T00:00:00.000Z"}}, False),
    ],
)  # fmt: skip
def test_only_what_is_unimportant_unused_and_nobodys_word_is_ended(
    memories: Memories, clock: TickingClock, fields: dict[str, Any], goes: bool
) -> None:
    kept = put(memories, "a remark", **{"source": "imported", "importance": 0.29, **fields})
    old = timedelta(seconds=memories.config["prune_after"])
    assert not proposed(memories, kept.created_at + old, kept)
    assert proposed(memories, kept.created_at + old + SECOND, kept) is goes


def proposed(memories: Memories, at: datetime, memory: Memory) -> bool:
    report = consolidate(memories.at(at), RunOptions(steps=("prune",), dry_run=True))
    return memory.id in {each for outcome in report.outcomes for each in outcome.proposal.memories}


def test_what_was_confirmed_since_or_brought_back_is_not_ended(memories: Memories) -> None:
    at = memories.now() + timedelta(seconds=memories.config["prune_after"], days=1)
    idle = put(memories, "a remark", source="imported", importance=0.1)
    confirmed = put(memories, "a note", source="imported", importance=0.1, confirmed_at=at - SECOND)
    assert proposed(memories, at, idle) and not proposed(memories, at, confirmed)
    by_owner = back(memories, ended(memories, idle, "cli"))
    assert proposed(memories, at, by_owner)
    assert not proposed(memories, at, back(memories, ended(memories, idle, NIGHT)))


# Merged


def test_what_holds_side_by_side_is_not_merged_be_it_the_same_text(memories: Memories) -> None:
    one, two = put(memories, "my bike is red"), put(memories, "my bike is red")
    three = put(memories, "my car is old"), put(memories, "my car is old")
    note_both_hold(memories, two, [one.id])
    assert ClosedQuestions(memories.store, (memories.space,)).without_closed([one, two]) == [one]
    consolidate(memories, RunOptions(steps=("merge",)))
    assert not any(each.ended_at for each in memories.store.get([one.id, two.id]))
    assert all(each.ended_at for each in memories.store.get([each.id for each in three]))


# What has changed since it was proposed


def plans(memories: Memories, some: list[Memory], new: Memory) -> list[Proposal]:
    return [
        propose_end("decay", some[:1], "decayed", "weak"),
        proposal("merge", "merge", some, "the same"),
        proposal("contradict", "relate", some[:1], "updated", updated_by={some[1].id: 0.9}),
        proposal("merge", "ask", some, "seem the same", question="duplicate"),
        proposal("distil", "link", some, "told", link={"subject": "A", "relation": "has", "object": "B"}),
        proposal("distil", "keep", some, "told", memory=new.to_record()),
    ]


def everything(memories: Memories) -> tuple[list[Memory], list[Any]]:
    states = [each for each in memories.store.states() if each.area != "consolidation"]
    return list(memories.store.select(Filter(spaces=None, live=False))), states


def carried_out(memories: Memories, planned: Proposal) -> RunReport:
    return carry_out_plan(memories, [planned])


@pytest.mark.parametrize("number", range(6))
@pytest.mark.parametrize("how", ["ended", "edited", "moved"])
def test_nothing_is_carried_out_of_what_is_otherwise_by_now(
    memories: Memories, number: int, how: str
) -> None:
    some = [put(memories, "the mill grinds rye"), put(memories, "The mill grinds rye.")]
    planned = plans(memories, some, new_memory(memories, Draft(text="rye is ground", source="inferred")))[
        number
    ]
    if how == "ended":
        ended(memories, some[0], "cli")
        # Be it that nobody noted when.
        planned = planned._replace(seen={**planned.seen, some[0].id: seen(memories, some[0])})
    elif how == "edited":
        memories.store.put(
            [replace(some[0], importance=0.9, updated_at=memories.now())], Change("edit"), memories.now()
        )
    else:
        spaces.move_memories(memories, some, "barn")
        planned = planned._replace(seen={each.id: seen(memories, each) for each in some})
    before = everything(memories)
    [outcome] = carried_out(memories, planned).outcomes
    assert outcome.status is ProposalStatus.STALE and everything(memories) == before


def seen(memories: Memories, memory: Memory) -> str:
    from memcli import times

    return times.to_iso(memories.store.get([memory.id])[0].updated_at)


def test_what_a_plan_keeps_is_of_here_and_no_more_trusted_than_its_evidence(memories: Memories) -> None:
    trusted, other = put(memories, "the mill grinds rye"), put(memories, "Ann said so", trusted=False)
    for number, evidence in enumerate(([trusted], [trusted, other])):
        text = f"the mill of Ann has {number + 2} stones"
        new = new_memory(memories, Draft(text=text, source="learned", confidence=1.0))
        record = replace(new, space="barn", origin="cli", trusted=True).to_record()
        [outcome] = carried_out(
            memories, proposal("distil", "keep", evidence, "told", memory=record)
        ).outcomes
        if outcome.status is ProposalStatus.HELD:
            [waiting] = memories.store.states(("default",), "held")
            kept = waiting.value["memory"]
        else:
            [kept] = [each.to_record() for each in memories.store.get([outcome.made or ""])]
        told = (kept["space"], kept["origin"], kept["trusted"])
        assert told == ("default", memories.signed(ORIGIN), len(evidence) == 1)


# Read from the record


def test_what_is_news_is_what_came_after_the_line_that_was_read(memories: Memories) -> None:
    one = put(memories, "the mill grinds")
    first = news_since(memories, 0, ())
    assert [each for _, each in first.numbers] == [one.id]
    assert news_since(memories, first.read_to, ()) == ([], first.read_to)
    assert not erased_since(memories, first.read_to)
    two = put(memories, "the owl hoots")
    second = news_since(memories, first.read_to, ())
    assert [each for _, each in second.numbers] == [two.id] and second.read_to == first.read_to + 1
    erase_memories(memories, [two])
    assert erased_since(memories, second.read_to)
    newest = next(memories.store.history(newest_first=True)).number
    assert erased_since(memories, newest - 1) and not erased_since(memories, newest)


def test_of_whom_nobody_knows_who_ended_it_the_word_stays(memories: Memories) -> None:
    kept = put(memories, "the mill grinds")
    memories.store.put([as_ended(kept, memories.now(), "forgotten", "over")], None, memories.now())
    [gone] = memories.store.get([kept.id])
    assert not after_grace(memories, gone)


# What is not even proposed


def test_a_dry_run_proposes_no_purge_and_no_merge_that_would_be_refused(
    memories: Memories, clock: TickingClock
) -> None:
    ended(memories, put(memories, "the mill grinds"), NIGHT)
    clock.advance(days=91)
    for fields in ({"kind": "preference"}, {"trusted": False}, {"valid_until": clock() + timedelta(days=9)}):
        text = f"the office of {len(fields)} {next(iter(fields))} is in Berlin"
        put(memories, text)
        put(memories, f"{text.capitalize()}!", **fields)
    report = consolidate(memories, RunOptions(steps=("merge", "prune"), dry_run=True))
    assert [each.proposal.action for each in report.outcomes] == []


def test_one_memory_is_merged_with_nothing(memories: Memories) -> None:
    one = put(memories, "the mill grinds rye")
    [outcome] = carried_out(memories, proposal("merge", "merge", [one], "the same")).outcomes
    assert outcome.status is ProposalStatus.REFUSED and not memories.store.get([one.id])[0].ended_at


def test_what_the_run_itself_has_changed_is_not_stale(memories: Memories) -> None:
    some = [put(memories, "my kite is red"), put(memories, "my kite is blue")]
    planned = plans(memories, some, some[0])
    report = carry_out_plan(memories, [planned[2], planned[3]])
    assert [each.status for each in report.outcomes] == [ProposalStatus.DONE] * 2
