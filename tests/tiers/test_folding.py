"""Folding: when turns go into the summary, and when they expire."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

import pytest

from memcli.errors import NotFound
from memcli.memories import Memories
from memcli.tiers.sessions import episodes, folding, sessions
from memcli.tiers.sessions.extracts import SummaryRequest
from memcli.tiers.sessions.messages import messages_cost
from tests.conftest import TickingClock, make_memories
from tests.tiers.openai_messages import session_messages
from tests.tiers.turns import log

DAY = timedelta(days=1)


@pytest.fixture
def small(own_home: Path, clock: TickingClock) -> Iterator[Memories]:
    """Memories whose sessions fold early: past 80 % of 400 tokens."""
    with make_memories(own_home / "memory.db", clock, settings={"session_budget": "400"}) as opened:
        yield opened


# Life and death of raw turns


def test_an_unfolded_turn_does_not_expire(memories: Memories, clock: TickingClock) -> None:
    log(memories, "hello", session="s")
    clock.advance(days=400)
    assert [turn.text for turn in episodes.read_session(memories, "s").turns] == ["hello"]


def test_a_folded_turn_expires_a_day_after_it_was_written_not_after_it_happened(
    memories: Memories, clock: TickingClock
) -> None:
    turn = log(memories, "hello", session="s", happened_at=clock.instant - 30 * DAY)
    folding.fold_turns(memories, "s")
    assert memories.find(turn.id).expires_at == turn.created_at + DAY
    assert len(episodes.read_session(memories, "s").turns) == 1
    clock.advance(hours=25)
    assert episodes.read_session(memories, "s").turns == []
    assert "hello" in session_messages(memories, "s")[0]["content"]


def test_a_turn_folded_late_expires_at_the_fold(memories: Memories, clock: TickingClock) -> None:
    log(memories, "hello", session="s")
    clock.advance(days=3)
    folding.fold_turns(memories, "s")
    assert episodes.read_session(memories, "s").turns == []


def test_kept_turns_decisions_and_errors_outlive_the_fold(memories: Memories, clock: TickingClock) -> None:
    log(memories, "kept", session="s", data={"keep": True})
    log(memories, "we use SQLite", "decision", session="s")
    log(memories, "it failed", "error", session="s")
    log(memories, "raw", session="s")
    folding.fold_turns(memories, "s")
    clock.advance(days=2)
    assert [turn.text for turn in episodes.read_session(memories, "s").turns] == [
        "kept",
        "we use SQLite",
        "it failed",
    ]


def test_a_time_to_live_that_was_asked_for_holds_without_a_fold(
    memories: Memories, clock: TickingClock
) -> None:
    log(memories, "for an hour", session="s", ttl=timedelta(hours=1))
    clock.advance(hours=2)
    assert episodes.read_session(memories, "s").turns == []


def test_over_the_limit_the_oldest_are_folded_and_expire(own_home: Path, clock: TickingClock) -> None:
    with make_memories(own_home / "memory.db", clock, settings={"session_limit": "20"}) as memories:
        for number in range(40):
            log(memories, f"turn {number}", session="s")
            assert len(episodes.read_session(memories, "s").turns) <= 20
        turns = [turn.text for turn in episodes.read_session(memories, "s").turns]
        assert turns[-5:] == [f"turn {number}" for number in range(35, 40)]
        assert "turn 39" in turns and "turn 0" not in turns
        summary = session_messages(memories, "s")[0]["content"]
        assert "turn 0" in summary


def test_the_limit_holds_beside_turns_that_do_not_expire(own_home: Path, clock: TickingClock) -> None:
    with make_memories(own_home / "memory.db", clock, settings={"session_limit": "20"}) as memories:
        for number in range(18):
            log(memories, f"we use the tool {number}", "decision", session="s")
        for number in range(30):
            log(memories, f"turn {number}", session="s")
            record = episodes.read_session(memories, "s")
            assert len(record.turns) + (record.summary is not None) <= 20
        decisions = [
            turn for turn in episodes.read_session(memories, "s").turns if not episodes.is_raw_turn(turn)
        ]
        assert len(decisions) == 18


# Folding


def test_at_80_percent_of_the_budget_older_turns_are_folded_and_five_stay(small: Memories) -> None:
    spent = 0
    for number in range(40):
        turn = log(small, f"This is turn number {number} of the session", session="s")
        record = episodes.read_session(small, "s")
        spent = sum(episodes.turn_cost(each) for each in record.unfolded)
        if record.summary:
            break
        assert spent <= 320
    assert record.summary and len(record.unfolded) == 5 and record.unfolded[-1].id == turn.id
    shown = session_messages(small, "s")
    assert [message["role"] for message in shown] == ["system"] + ["user"] * 5
    assert shown[-1]["content"] == turn.text
    assert messages_cost(shown) <= 400


def test_a_summary_names_what_it_folds_and_supersedes_the_one_before(small: Memories) -> None:
    turns = [log(small, f"Turn number {n} says that disk {n} is full", session="s") for n in range(60)]
    summaries = [
        memory
        for memory in small.store.select(small.within(sessions=("s",), live=False), order="oldest")
        if memory.data["role"] == "summary"
    ]
    assert len(summaries) > 2
    live = [summary for summary in summaries if not summary.ended_at]
    assert live == summaries[-1:]
    for earlier, later in pairwise(summaries):
        assert later.supersedes == earlier.id
        assert (earlier.ended_as, earlier.replaced_by) == ("folded", later.id)
    folded = [turn_id for summary in summaries for turn_id in summary.data["folds"]]
    assert folded == [turn.id for turn in turns[: len(folded)]]
    assert live[0].data["turns"] == len(folded)


def test_untrusted_turns_have_a_summary_of_their_own(memories: Memories) -> None:
    log(memories, "from the owner", session="s")
    log(memories, "from a web page", session="s", trusted=False)
    folding.fold_turns(memories, "s")
    record = episodes.read_session(memories, "s")
    assert [(each.trusted, "owner" in each.text, "web" in each.text) for each in record.summaries] == [
        (True, True, False),
        (False, False, True),
    ]
    assert not record.unfolded and record.trusted.summaries == [record.summary]
    first, second = session_messages(memories, "s")
    assert first["role"] == "system" and "web" not in first["content"]
    assert second["role"] == "user" and 'trust="untrusted"' in second["content"]
    log(memories, "from the owner, later", session="s")
    folding.fold_turns(memories, "s")
    again = episodes.read_session(memories, "s")
    assert again.untrusted_summary == record.untrusted_summary and again.summary
    assert "web" not in again.summary.text and again.summary.data["turns"] == 2


def test_a_summariser_gets_the_summary_so_far_and_the_turns_to_come(memories: Memories) -> None:
    seen: list[SummaryRequest] = []

    def summarise(fold: SummaryRequest) -> str:
        seen.append(fold)
        return f"{fold.previous} + {len(fold.turns)}"

    for text in ("one", "two", "three"):
        log(memories, text, session="s")
    folding.fold_turns(memories, "s", keep=1, summarise=summarise)
    summary = sessions.end_session(memories, "s", summarise)
    assert summary and summary.text == " + 2 + 1"
    assert [(fold.covered, [turn.text for turn in fold.turns]) for fold in seen] == [
        (0, ["one", "two"]),
        (2, ["three"]),
    ]


def test_of_two_folds_at_once_one_wins_and_nothing_is_folded_twice(memories: Memories) -> None:
    log(memories, "one", session="s")
    log(memories, "two", session="s")

    def slow(fold: SummaryRequest) -> str:
        folding.fold_turns(memories, "s")  # a neighbour is quicker
        return "mine"

    assert folding.fold_turns(memories, "s", summarise=slow) is None
    record = episodes.read_session(memories, "s")
    assert record.summary and record.summary.text != "mine" and record.unfolded == []


def test_a_forgotten_summary_leaves_its_turns_unfolded(memories: Memories) -> None:
    log(memories, "one", session="s")
    summary = folding.fold_turns(memories, "s")
    assert summary
    memories.end([summary.id], "wrong")
    assert [message["content"] for message in session_messages(memories, "s")] == ["one"]


def test_clearing_forgets_softly(memories: Memories) -> None:
    log(memories, "one", session="s")
    folding.fold_turns(memories, "s")
    cleared = sessions.clear_session(memories, "s")
    assert len(cleared) == 2
    with pytest.raises(NotFound):
        session_messages(memories, "s")
    memories.restore([memory.id for memory in cleared])
    assert len(session_messages(memories, "s")) == 1
