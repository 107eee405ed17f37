"""The conditions inside the steps of a night: turned around, each would keep or end something else."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from memcli.consolidation.pairs import Pair
from memcli.consolidation.run import RunOptions, consolidate
from memcli.consolidation.steps import contradict, distil
from memcli.memories import Memories
from memcli.model import Memory
from memcli.tiers.sessions import sessions
from memcli.write_policy.drafts import Draft, new_memory
from tests.conftest import TickingClock

SAID = "I live in Lisbon."


def made(memories: Memories, text: str, **fields: Any) -> Memory:
    return replace(new_memory(memories, Draft(text=text, kind=fields.pop("kind", "fact"))), **fields)


@pytest.mark.parametrize(
    ("fact", "how", "left", "is_borne"),
    [
        (SAID, "stated", [SAID], True),
        (SAID, "stated", ["I live in Porto."], False),
        (SAID, "stated", [], False),
        ("We bake on Fridays.", "judged", ["We bake on Fridays. Come by!"], True),
        ("We bake on Fridays.", "concluded", ["We fry on Mondays. Come by!"], False),
        ("We bake on Fridays.", "judged", ["We fry on Mondays. Come by!"], False),
        ("Tomatoes want water", "repeated", ["a", "b", "c"], True),
        ("Tomatoes want water", "repeated", ["a", "b"], False),
        ("Tomatoes want water", "concluded", ["a", "b", "c"], False),
    ],
)
def test_what_is_left_of_its_evidence_bears_a_fact_or_does_not(
    memories: Memories, fact: str, how: str, left: list[str], is_borne: bool
) -> None:
    turns = [made(memories, text, kind="episode", session=f"s{n}") for n, text in enumerate(left)]
    assert distil._borne(made(memories, fact, data={"how": how}), turns) is is_borne


@pytest.mark.parametrize(
    ("older", "newer", "days", "is_comparable"),
    [
        ({}, {}, 1, True), ({}, {}, 0, True), ({}, {}, -1, False),
        ({}, {"trusted": False}, 1, False), ({"trusted": False}, {}, 1, True),
        ({"trusted": False}, {"trusted": False}, 1, True),
        # What a tool prints states nothing.
        ({}, {"kind": "episode", "data": {"role": "tool"}}, 1, False),
        ({"kind": "episode", "data": {"role": "tool"}}, {}, 1, False),
        ({}, {"kind": "episode", "data": {"role": "user"}}, 1, True),
    ],
)  # fmt: skip
def test_who_may_contradict_whom(
    memories: Memories, older: dict[str, Any], newer: dict[str, Any], days: int, is_comparable: bool
) -> None:
    one = made(memories, SAID, **older)
    other = made(memories, "I live in Porto.", happened_at=one.happened_at + timedelta(days=days), **newer)
    assert contradict._comparable(Pair(one, other, 0.9)) is is_comparable


def test_only_a_plan_with_an_llm_keeps_the_words_of_a_fold(memories: Memories, clock: TickingClock) -> None:
    for text in ("We chose Postgres for the shop", "Good choice"):
        sessions.append_turn(memories, Draft(text=text, session="monday", data={"role": "user"}))
    clock.advance(hours=25)
    [outcome] = consolidate(memories, RunOptions(steps=("fold",), dry_run=True)).outcomes
    assert "summaries" not in outcome.proposal.data
    [outcome] = consolidate(memories, RunOptions(steps=("fold",))).outcomes
    assert "summaries" not in outcome.proposal.data


def test_what_is_to_end_with_its_session_is_what_was_folded(
    memories: Memories, clock: TickingClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMCLI_FOLDED_TURNS", "end")
    # Raw turns expire at once; what was to be kept does not.
    draft = Draft(text="We chose Postgres", session="monday", data={"role": "user", "keep": True})
    folded = sessions.append_turn(memories, draft).turn
    sessions.append_turn(memories, replace(draft, text="It has to be ready by the end of May"))
    clock.advance(hours=25)
    consolidate(memories, RunOptions(steps=("fold",)))
    later = sessions.append_turn(memories, replace(draft, text="And what of Redis?")).turn
    after = {each.id: each.ended_as for each in memories.store.get([folded.id, later.id])}
    assert after == {folded.id: "folded", later.id: None}


def test_a_note_that_names_a_session_is_no_turn_of_it(memories: Memories, clock: TickingClock) -> None:
    memories.remember(Draft(text="the door is red", kind="episode", session="monday"))
    clock.advance(hours=25)
    assert not consolidate(memories, RunOptions(steps=("fold",))).counts()
