"""What a copy, or a file, still holds of what was forgotten for good: each way to know it, by itself."""

from __future__ import annotations

import shutil
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from memcli.changes.forgetting import unfinished
from memcli.changes.forgetting.erased_things import ErasedThings
from memcli.changes.forgetting.erasure_plan import DoomedMemories, _turns
from memcli.changes.values_before import values_before
from memcli.graph import link_changes
from memcli.graph.links import evidence_of
from memcli.memories import Memories
from memcli.model import Memory, State
from memcli.storage import areas
from memcli.storage.reports import Erasure
from memcli.tiers.procedures.files import ProcedureFile
from memcli.tiers.procedures.procedures import Procedures
from memcli.upkeep.copies import rollback
from memcli.upkeep.copies.rollback import roll_back
from memcli.upkeep.copies.sides import Side
from memcli.upkeep.copies.snapshots import create_snapshot, find_snapshot, opened_snapshot
from memcli.write_policy.drafts import Draft, new_memory
from memcli.write_policy.forgotten_traces import ForgottenTraces, remember_traces, thing_address
from tests.erasure import erase_memories

SAID = "Quentomar hides the vermeilion ledger in the attic"


def made(memories: Memories, text: str, **fields: Any) -> Memory:
    return replace(new_memory(memories, Draft(text=text, kind="fact")), **fields)


def go_back(memories: Memories) -> None:
    with opened_snapshot(memories, find_snapshot(memories, "one")) as then:
        roll_back(memories, then, "one", None)


@pytest.mark.parametrize("by", ["its record", "its trace"])
def test_a_memory_is_known_as_erased_by_its_record_or_its_trace(memories: Memories, by: str) -> None:
    gone, other = memories.remember("the owl hoots"), memories.remember("the mill grinds rye")
    if by == "its record":
        memories.store.erase([gone.id], memories.change("erase"), memories.now())
    else:
        remember_traces(memories.store, memories.now(), things=[thing_address("memory", gone.id)])
    erased = ErasedThings(memories.store)
    assert (erased.memory(gone), erased.memory(other)) == (True, False)


def test_a_link_is_known_as_erased_by_its_trace_or_when_nothing_that_says_so_is_left(
    memories: Memories,
) -> None:
    one, two, three = (memories.remember(text) for text in ("the owl hoots", "oats grow", "it rains"))
    bare = link_changes.link_entities(memories, "Ann", "met", "Bob").link
    resting = link_changes.link_entities(memories, "Bob", "keeps", "geese", evidence=one).link
    both = resting._replace(data={"evidence": [two.id]})
    memories.store.erase([one.id, three.id], memories.change("erase"), memories.now())
    erased = ErasedThings(memories.store)
    assert [erased.link(each) for each in (bare, resting, both)] == [False, True, False]
    assert erased.link(resting._replace(data={"evidence": [three.id]}))
    remember_traces(memories.store, memories.now(), things=[thing_address("link", bare.id)])
    assert ErasedThings(memories.store).link(bare)


def test_a_value_is_erased_as_it_was_and_by_what_it_says(memories: Memories) -> None:
    now = memories.now()
    state = State("default", areas.BLOCK.name, "me", {"text": "I sail"}, 1, now, now)
    later = state._replace(updated_at=now + timedelta(hours=1))
    quoting = state._replace(key="you", value={"text": f"Mind that {SAID}"})
    erase_memories(memories, [memories.remember(SAID)])
    before = ErasedThings(memories.store)
    assert [before.value(each) for each in (state, quoting)] == [False, True]
    remember_traces(memories.store, memories.now(), things=[thing_address(*state[:3])])
    erased = ErasedThings(memories.store)
    assert [erased.value(each) for each in (state, later)] == [True, False]


def test_a_line_of_history_loses_what_quotes_it_and_nothing_else(memories: Memories) -> None:
    kept = memories.remember("the owl hoots")
    erase_memories(memories, [memories.remember(SAID)])
    [line] = memories.store.history(kept.id)
    after = {"text": "the owl hoots", "data": {"note": f"Ann wrote: {SAID}"}}
    told = line._replace(reason=f"since {SAID}", before=None, after=after)
    clean = line._replace(reason=None, before=None, after={"text": "the owl hoots"})
    erased = ErasedThings(memories.store)
    assert erased.cleaned(told) == clean
    assert erased.cleaned(clean._replace(reason="so")) == clean._replace(reason="so")


def test_a_link_that_goes_back_rests_on_nothing_that_was_erased(memories: Memories) -> None:
    gone, kept = memories.remember(SAID), memories.remember("Bob keeps geese by the river")
    for evidence in (gone, kept):
        link_changes.link_entities(memories, "Bob", "keeps", "geese", evidence=evidence)
    made = create_snapshot(memories, "one")
    outside = made.path.with_name("carried-away.db")
    shutil.copyfile(made.path, outside)
    erase_memories(memories, [gone])
    shutil.copyfile(outside, made.path)  # as if the erasure had not reached it
    link_changes.unlink_entities(memories, "Bob", "keeps", "geese")
    go_back(memories)
    [link] = memories.store.links()
    assert (link.ended_at, evidence_of(link)) == (None, [kept.id])


def test_a_rollback_leaves_the_files_of_what_it_ends(memories: Memories) -> None:
    create_snapshot(memories, "one")
    Procedures(memories).add("oil", "description: oil it\n", "yaml", files={"a.sh": ProcedureFile(b"echo 1")})
    link_changes.link_entities(memories, "Ann", "met", "Bob")
    before = [*memories.store.states(area=areas.PROCEDURE_FILE.name)]
    go_back(memories)
    assert before and [*memories.store.states(area=areas.PROCEDURE_FILE.name)] == before
    assert not [each for each in memories.store.select(memories.within()) if each.kind == "procedure"]


def test_of_turns_whose_summary_goes_only_those_in_force_are_told_so(memories: Memories) -> None:
    now = memories.now()
    summaries = [made(memories, f"summary {number}") for number in range(3)]
    gone, rebuilt, stays = summaries
    doomed = DoomedMemories([], [], [gone, rebuilt])
    again = made(memories, "summary again")

    def turn(of: Memory | None, **fields: Any) -> Memory:
        data = {"folded": of.id} if of else {}
        return made(memories, "a turn", kind="episode", data=data, **fields)

    turns = [
        turn(None), turn(stays), turn(gone, ended_at=now), turn(gone, expires_at=now), turn(rebuilt),
        turn(rebuilt, ended_at=now), turn(gone), turn(gone, expires_at=now + timedelta(days=1)),
        replace(turn(gone), kind="fact"),
    ]  # fmt: skip
    told = dict(_turns(memories, turns, doomed, {rebuilt.id: again}))
    assert told == {turns[4].id: again.id, turns[5].id: again.id, turns[6].id: None, turns[7].id: None}


def test_a_note_of_a_value_that_somebody_spoilt_hides_no_other(memories: Memories) -> None:
    now = memories.now()
    whole = {"value": {}, "version": 1, "created_at": "x", "expires_at": None}
    note = {"change": "c", "action": "put", "area": "block", "key": "owner"}
    spoilt: list[Any] = [
        "nothing", {**note, "before": {"value": {}}}, {**note, "key": 7, "before": None},
        {**note, "before": 3},
        {**note, "before": whole}, {**note, "before": None},
    ]  # fmt: skip
    for number, value in enumerate(spoilt):
        state = State("default", areas.VALUE_BEFORE.name, f"k{number}", value, 1, now, now)
        assert memories.store.put_state(state, expected_version=0)
    assert [each.before for each in values_before(memories.store)] == [whole, None]


def test_a_value_comes_back_only_with_every_memory_that_it_rests_on(memories: Memories) -> None:
    here, then = memories.remember("the mill grinds rye"), made(memories, "an owl hoots")
    was = Side({then.id: then}, {}, {})
    for ids, are_there in (
        ([], True), ([here.id], True), ([then.id], True), ([here.id, then.id], True),
        (["01J8ZQ4X7N3V5T9R2K6M8P0BCD"], False), ([here.id, "01J8ZQ4X7N3V5T9R2K6M8P0BCD"], False),
    ):  # fmt: skip
        assert rollback._are_there(memories.store, was, ids) is are_there


def test_the_reason_of_an_end_quotes_nothing_that_was_erased(memories: Memories) -> None:
    gone, other = memories.remember(SAID), memories.remember("an owl hoots at night")
    memories.end([other.id], f"told by whom I trust: {SAID}")
    erase_memories(memories, [gone])
    assert [(each.ended_as, each.ended_why) for each in memories.store.get([other.id])] == [
        ("forgotten", None)
    ]
    assert not any(SAID in str(event) for event in memories.store.history())


def test_an_erasure_that_was_cut_off_goes_on_with_just_what_it_was_asked(memories: Memories) -> None:
    one, other = (link_changes.link_entities(memories, "Ann", "owns", name).link for name in ("boat", "car"))
    kept = memories.remember(Draft(text="the mill grinds rye", kind="fact"))
    asked = unfinished._asked(Erasure(ids=["gone"], links=[one], memories=[kept]))
    found = unfinished._unfinished(memories.store, asked)
    assert [each.id for each in found.links] == [one.id] and [each.id for each in found.memories] == [kept.id]
    assert list(found.ids) == ["gone"] and not found.events
    assert not any(unfinished._unfinished(memories.store, {}))
    assert other.id in {each.id for each in memories.store.links()}


@pytest.mark.parametrize(
    ("text", "is_known"),
    [
        (f"As he says: {SAID}", True), (f'"m":"{SAID} of Bo', True), (f'he says {SAID}","n":1', True),
        (f'"m":"{SAID}","n":1', True), (f'"m":"{SAID[:-5]}cellar","n":1', False),
    ],
)  # fmt: skip
def test_a_quotation_is_known_whatever_is_written_right_before_or_behind_it(
    memories: Memories, text: str, is_known: bool
) -> None:
    """As it stands in what was cut out of a file of JSON, say."""
    erase_memories(memories, [memories.remember(SAID)])
    assert ForgottenTraces(memories.store).in_text(text) is is_known
