"""What a night merges, folds, notes and carries out: each condition by itself."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from memcli import times
from memcli.changes import revision
from memcli.changes.open_questions import note_both_hold
from memcli.consolidation import bookmarks, run
from memcli.consolidation.carry_out import _parts, carry_out
from memcli.consolidation.comparison_cache import ComparisonCache
from memcli.consolidation.link_proposals import propose_links
from memcli.consolidation.mergeable import are_mergeable, merge_key
from memcli.consolidation.pairs import Pair, PairFinder
from memcli.consolidation.proposals import ORIGIN, Proposal, proposal, propose_end
from memcli.consolidation.run import RunOptions, consolidate
from memcli.consolidation.step import Portion
from memcli.consolidation.steps import fold, merge, tend
from memcli.memories import Memories
from memcli.model import Memory, as_ended
from memcli.recall.closed_questions import ClosedQuestions, _lineage
from memcli.storage import areas
from memcli.storage.states import write_state
from memcli.tiers.sessions import sessions
from memcli.write_policy.direct import put_embedded
from memcli.write_policy.drafts import Draft, new_memory
from tests.conftest import TickingClock

SAID = "I live in Lisbon."


def made(memories: Memories, text: str, **fields: Any) -> Memory:
    return replace(new_memory(memories, Draft(text=text, kind=fields.pop("kind", "fact"))), **fields)


@pytest.mark.parametrize(
    ("other", "is_one"),
    [
        ({}, True), ({"kind": "preference"}, False), ({"trusted": False}, False),
        ({"valid_from": "at"}, False), ({"valid_until": "at"}, False), ({"text": "I live in Porto."}, False),
        ({"text": "i live in lisbon"}, True), ({"confidence": 0.2}, True),
    ],
)  # fmt: skip
def test_only_what_says_the_same_and_holds_alike_is_merged(
    memories: Memories, other: dict[str, Any], is_one: bool
) -> None:
    given = {name: memories.now() if value == "at" else value for name, value in other.items()}
    text = str(given.pop("text", SAID))
    one, two = made(memories, SAID), made(memories, text, **given)
    assert are_mergeable([one, two]) is are_mergeable([two, one]) is is_one
    if two.text == SAID:
        assert (merge_key(one) == merge_key(two)) is is_one


def test_episodes_and_turns_are_not_merged_whatever_they_say(memories: Memories) -> None:
    turns = [made(memories, SAID, kind="episode") for _ in range(2)]
    assert not are_mergeable(turns)
    assert [*merge._Duplicates(memories, PairFinder(memories)).among(turns)] == []


def test_what_seems_the_same_is_asked_about_unless_it_becomes_one_at_once_or_both_hold(
    memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    def put(text: str) -> Memory:
        memory = made(memories, text)
        put_embedded(memories, memories.model, [memory], memories.change("import"))
        return memory

    def proposed(cosine: float, *, same: bool = True) -> list[tuple[str, tuple[str, ...]]]:
        found: Any = SimpleNamespace(
            pairs=lambda *given: [Pair(a, b, cosine)], leave_out=lambda some: [*some]
        )
        monkeypatch.setattr(merge, "_same", lambda pair: same)
        asked = merge._Duplicates(memories, found).among([a, b, c, d])
        return [(each.action, each.memories) for each in asked]

    a, b = put("the red boat leaves at nine"), put("the boat that is red leaves at nine")
    c, d = put("an owl hoots"), put("An owl hoots!")
    owls = ("merge", (c.id, d.id))
    monkeypatch.setattr(merge, "all_alike", lambda group: True)
    monkeypatch.setattr(merge, "_same_text", lambda pair: False)
    assert proposed(0.98) == [owls, ("merge", (a.id, b.id))]
    assert proposed(0.97) == [owls, ("merge", (a.id, b.id))]
    assert proposed(0.9) == [("ask", (a.id, b.id)), owls]
    assert proposed(0.98, same=False) == [owls]
    monkeypatch.setattr(merge, "_same_text", lambda pair: True)
    assert proposed(0.9) == [owls, ("merge", (a.id, b.id))]
    note_both_hold(memories, b, [a.id])
    assert proposed(0.9) == [owls]
    monkeypatch.setattr(merge, "_same_text", lambda pair: False)
    assert proposed(0.9) == [owls]
    note_both_hold(memories, d, [c.id])
    assert proposed(0.9) == []


def test_who_is_new_in_a_session_is_noted_and_the_line_read_to(
    memories: Memories, clock: TickingClock
) -> None:
    turn = Draft(text="We chose Postgres for the shop", session="monday", data={"role": "user"})
    sessions.append_turn(memories, turn)
    memories.remember("an owl hoots at night")
    newest = next(memories.store.history(newest_first=True)).number
    consolidate(memories, RunOptions(steps=("fold",)))
    assert bookmarks.last_line_read(memories, "fold") == newest
    assert bookmarks.open_sessions(memories) == ["monday"]
    clock.advance(hours=25)
    consolidate(memories, RunOptions(steps=("fold",)))
    assert bookmarks.open_sessions(memories) == []


@pytest.mark.parametrize(
    ("session_ended", "quiet", "is_closed"),
    [(None, 0, False), (None, 24, True), (0, 0, False), (2, 1, True), (-9, 0, False), ("odd", 1, False)],
)
def test_a_session_is_closed_once_it_was_ended_or_long_quiet(
    memories: Memories, session_ended: Any, quiet: int, is_closed: bool
) -> None:
    turn = sessions.append_turn(
        memories, Draft(text="We chose Postgres", session="monday", data={"role": "user"})
    ).turn
    if session_ended is not None:
        at = turn.created_at + timedelta(seconds=session_ended) if session_ended != "odd" else None
        value = {"started_at": None, "ended_at": times.to_iso(at) if at else "soon"[:0]}
        if session_ended == 0:
            value["ended_at"] = times.to_iso(turn.created_at - timedelta(seconds=1))
        write_state(memories.store, "default", areas.SESSION.name, "monday", value, turn.created_at)
    now = turn.created_at + timedelta(hours=quiet)
    assert fold._closed(memories, [turn], now) is is_closed


def test_of_a_group_in_which_one_says_something_else_nothing_is_merged(memories: Memories) -> None:
    group = [made(memories, SAID), made(memories, "I live in Porto."), made(memories, "i live in lisbon")]
    found = merge._Duplicates(memories, PairFinder(memories))
    assert not found._may_merge(group, ClosedQuestions(memories.store, (memories.space,)))
    assert found._may_merge([group[0], group[2]], ClosedQuestions(memories.store, (memories.space,)))


def test_what_a_neighbour_ends_while_a_merge_is_prepared_stays_ended_as_it_was(
    memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = (made(memories, text) for text in (SAID, "i live in lisbon"))
    put_embedded(memories, memories.model, [one, two], memories.change("import"))
    prepared = revision.merged_memory

    def late(*given: Any) -> Memory:
        memories.end([two.id], "no longer so")
        return prepared(*given)

    monkeypatch.setattr(revision, "merged_memory", late)
    report = run.carry_out_plan(memories, [proposal("merge", "merge", [one, two], "2 say the same")])
    assert [each.status.value for each in report.outcomes] == ["done"]
    assert [each.ended_as for each in memories.store.get([one.id, two.id])] == ["merged", "forgotten"]


def test_of_pairs_that_both_hold_the_later_one_is_left_out(memories: Memories) -> None:
    boats = [made(memories, f"boat {n} is red") for n in range(3)]
    assert ClosedQuestions(memories.store, (memories.space,)).without_closed(boats) == boats
    assert not ClosedQuestions(memories.store, (memories.space,)).holds(boats[0].id, boats[1].id)
    note_both_hold(memories, boats[1], [boats[0].id])
    assert ClosedQuestions(memories.store, (memories.space,)).without_closed(boats) == [boats[0], boats[2]]
    assert ClosedQuestions(memories.store, (memories.space,)).holds(boats[1].id, boats[0].id)


def test_what_was_set_aside_in_a_run_is_kept_apart_from_it_and_only_so_much(memories: Memories) -> None:
    bookmarks.note_run(memories, "R1", {"run": "R1"}, [{"claim": str(n)} for n in range(30)])
    bookmarks.note_run(memories, "R2", {"run": "R2"})
    write_state(
        memories.store, memories.space, areas.CONSOLIDATION.name, "run:odd", "no object", memories.now()
    )
    newest, older = bookmarks.past_runs(memories)
    assert (newest["run"], newest["claims"], older["run"]) == ("R2", [], "R1")
    assert sorted(int(each["claim"]) for each in older["claims"]) == [*range(20)]
    kept = [*memories.store.states(area=areas.SET_ASIDE.name)]
    assert all(each.expires_at for each in kept)


def test_a_step_has_begun_once_and_reads_on_from_where_it_was(memories: Memories) -> None:
    assert not bookmarks.has_begun(memories, "merge") and bookmarks.last_line_read(memories, "merge") == 0
    bookmarks.begin_after(memories, "merge", 7)
    bookmarks.begin_after(memories, "merge", 9)
    assert bookmarks.has_begun(memories, "merge") and bookmarks.last_line_read(memories, "merge") == 7
    for number, expected in ((3, 7), (7, 7), (8, 8)):
        bookmarks.note_line_read(memories, "merge", number)
        assert bookmarks.last_line_read(memories, "merge") == expected
    bookmarks.note_open_sessions(memories, ["b", "a"])
    [state] = memories.store.states((memories.space,), areas.CONSOLIDATION.name, "open-sessions")
    bookmarks.note_open_sessions(memories, ["a", "b"])
    assert bookmarks.open_sessions(memories) == ["a", "b"]
    assert [*memories.store.states((memories.space,), areas.CONSOLIDATION.name, "open-sessions")] == [state]
    for spoilt in ("x", {"a": 1}, ["a", 7]):
        memories.store.put_state(state._replace(value=spoilt))
        assert bookmarks.open_sessions(memories) == (["a"] if isinstance(spoilt, list) else [])


@pytest.mark.parametrize(("confidence", "is_sure"), [(0.8, False), (0.81, True), (1.0, True)])
def test_only_what_is_sure_enough_proposes_a_link(
    memories: Memories, confidence: float, is_sure: bool
) -> None:
    told = made(memories, "Ann works at Acme", confidence=confidence)
    assert bool([*propose_links(memories, "distil", [told])]) is is_sure


def test_what_was_begun_is_carried_out_though_the_time_is_over(memories: Memories) -> None:
    some = [memories.remember(f"boat number {n} is painted red") for n in range(10)]
    planned = [propose_end("expire", [each], "expired", "over") for each in some]
    noted: list[int] = []
    cache = ComparisonCache(memories, memories.now())
    done = carry_out(memories, planned, cache, note=lambda: noted.append(1), over=lambda: True)
    assert len([*done]) == 8 and noted == []
    assert [each.ended_as for each in memories.store.get([each.id for each in some])] == [
        *["expired"] * 8, None, None,
    ]  # fmt: skip


def test_what_is_to_be_noted_is_noted_once_with_the_last_and_without_any(memories: Memories) -> None:
    some = [memories.remember(f"boat number {n} is painted red") for n in range(9)]
    planned = [propose_end("expire", [each], "expired", "over") for each in some]
    noted: list[int] = []
    cache = ComparisonCache(memories, memories.now())
    for proposals in (planned, []):
        done = [*carry_out(memories, proposals, cache, note=lambda: noted.append(1))]
        assert len(done) == len(proposals)
    assert noted == [1, 1]


def test_who_is_left_out_is_found_by_the_step_at_work_no_more_and_by_the_next_again(
    memories: Memories,
) -> None:
    some = [memories.remember(Draft(text=f"the mill of {name} grinds rye and oats", kind="fact"))
            for name in ("Ann", "Bob", "Cid")]  # fmt: skip
    finder = PairFinder(memories)

    def found() -> set[frozenset[str]]:
        pairs = finder.pairs(some, ("fact",), 0.1, 9)
        return {frozenset((each.older.id, each.newer.id)) for each in pairs}

    everyone = {frozenset((a.id, b.id)) for a in some for b in some if a is not b}
    assert found() == everyone
    finder.leave_out([])
    assert found() == everyone
    finder.leave_out([some[0].id])
    assert found() == {frozenset((some[1].id, some[2].id))}
    finder.leave_out([each.id for each in some])
    assert found() == set()
    finder.begin([])
    assert found() == everyone
    # What the step looks at later is left to then, where each pair is wanted once.
    finder.begin([each.id for each in some])
    finder.look_at([some[0].id])
    assert finder.pairs(some[:1], ("fact",), 0.1, 9, once=True) == []
    finder.look_at([some[1].id])
    assert len(finder.pairs(some[:1], ("fact",), 0.1, 9, once=True)) == 1
    assert finder.pairs(some, ("episode",), 0.1, 9) == []
    assert PairFinder(memories.in_space("empty")).leave_out(["x"]) is None  # type: ignore[func-returns-value]


def test_what_was_added_is_seen_by_the_next_step(memories: Memories) -> None:
    one = memories.remember(Draft(text="the mill of Ann grinds rye and oats", kind="fact"))
    finder = PairFinder(memories)
    assert finder.pairs([one], ("fact",), 0.1, 9) == []
    two = memories.remember(Draft(text="the mill of Bob grinds rye and oats", kind="fact"))
    finder.begin([])
    assert finder.pairs([one, two], ("fact",), 0.1, 9) == []
    finder.note_added()
    assert finder.pairs([one, two], ("fact",), 0.1, 9) == []
    finder.begin([])
    assert len(finder.pairs([one, two], ("fact",), 0.1, 9)) == 1


@pytest.mark.parametrize(("action", "adds"), [("merge", 1), ("keep", 1), ("fold", 1), ("end", 0), ("ask", 0)])
def test_the_next_step_is_told_of_what_a_step_adds_and_of_nothing_else(
    memories: Memories, monkeypatch: pytest.MonkeyPatch, action: Any, adds: int
) -> None:
    told: list[str] = []
    pairs = SimpleNamespace(note_added=lambda: told.append("added"), note_changed=told.extend)
    report = SimpleNamespace(at=memories.now(), add=lambda outcomes: None)
    context: Any = SimpleNamespace(
        memories=memories, report=report, pairs=pairs, summariser=lambda name: None, over=None
    )
    monkeypatch.setattr(run, "carry_out", lambda *_, **__: [])
    portion = Portion([Proposal("step", action, ("one",), "why", {}, {})])
    run._Run(context)._carry_out(SimpleNamespace(name="step"), portion)  # type: ignore[arg-type]
    assert told == ["added"] * adds + ["one"]


def test_of_a_mixed_list_each_proposal_is_carried_out(memories: Memories) -> None:
    some = [made(memories, f"the {thing} is in the barn") for thing in ("saw", "rake", "axe")]
    ends = [propose_end("prune", [each], "pruned", "x") for each in some]
    keeps = [proposal("distil", "keep", [each], "x", memory={}) for each in some]
    parts = list(_parts([ends[0], keeps[0], keeps[1], ends[1], ends[2]]))
    assert [list(each.within) for each in parts] == [ends[:1], [keeps[0]], [keeps[1]], ends[1:]]
    # Before the first of its kind those behind it are prepared with it, and once.
    assert [list(each.ahead) for each in parts] == [[], keeps[:2], [], []]


def test_a_merge_that_was_merged_is_known_all_the_way_back(memories: Memories) -> None:
    first, second = made(memories, "one"), made(memories, "two")
    middle = made(memories, "three", data={"merged_from": [first.id, "", 7, second.id]})
    last = made(memories, "four", data={"merged_from": [middle.id]})
    other = made(memories, "five", data={"merged_from": "nothing"})
    memories.store.put([first, second, middle, last, other], None, memories.now())
    assert _lineage(memories.store, last.id) - {""} == {last.id, middle.id, first.id, second.id}
    assert _lineage(memories.store, other.id) == {other.id}


def test_what_a_night_has_kept_it_does_not_keep_again(memories: Memories) -> None:
    new = made(memories, "I like rye bread", source="inferred", data={"cites": ["a", "b"]})
    cache = ComparisonCache(memories, memories.now())
    cache.note_kept(new)  # nobody has asked yet: what is on record is read then
    assert not cache.kept_before(new)
    cache.note_kept(new)
    assert cache.kept_before(new)
    assert not cache.kept_before(replace(new, data={"cites": ["a"]}))
    # Its owner may have ended it by now: it was said all the same.
    ended = as_ended(replace(new, origin=ORIGIN), memories.now(), "forgotten", "no")
    memories.store.put([ended], memories.change("keep"), memories.now())
    assert ComparisonCache(memories, memories.now() - timedelta(days=1)).kept_before(new)


@pytest.mark.parametrize(
    ("steps", "said"),
    [(0, []), (1, ["indexes tidied in 1 step"]), (2, ["indexes tidied in 2 steps"])],
)
def test_a_night_says_how_often_it_tidied(
    memories: Memories, monkeypatch: pytest.MonkeyPatch, steps: int, said: list[str]
) -> None:
    left = iter([True] * steps)
    monkeypatch.setattr(memories.store, "tend", lambda: next(left, False))
    report = consolidate(memories, RunOptions(steps=("tend",)))
    assert [line for line in report.upkeep if "tidied" in line] == said


def test_a_night_says_how_many_vectors_it_filled_unless_it_filled_none(
    memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    for text in ("the mill grinds rye", "an owl hoots"):
        sessions.append_turn(memories, Draft(text=text, session="s"), later=True)
    assert [*tend._fill_gaps(memories, lambda: True)] == []
    assert [*tend._fill_gaps(memories, lambda: False)] == ["2 missing vectors filled"]
    assert [*tend._fill_gaps(memories, lambda: False)] == []
