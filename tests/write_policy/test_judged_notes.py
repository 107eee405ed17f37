"""What is noted of a statement when it is written, by judges whose answers are given."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from math import inf
from types import SimpleNamespace
from typing import Any

import pytest

from memcli.memories import Memories
from memcli.write_policy.decision import Case
from memcli.write_policy.drafts import Draft, new_memory
from memcli.write_policy.gate import Gate
from memcli.write_policy.rules.contradictions import note_contradiction
from memcli.write_policy.rules.judged import judge_lasting, note_judged
from memcli.write_policy.settings import WriteOptions


@pytest.mark.parametrize(
    ("off", "by_model", "lasting", "change", "noted"),
    [
        (False, True, 0.5, 0.2, True), (True, True, 0.9, 0.9, False), (False, False, 0.9, 0.9, False),
        (False, True, 0.49, 0.9, False), (False, True, 0.9, 0.19, False),
    ],
)  # fmt: skip
def test_a_change_is_noted_where_a_judge_that_is_not_turned_off_reads_one(
    memories: Memories, off: bool, by_model: bool, lasting: float, change: float, noted: bool
) -> None:
    case = noting(memories, "the mill is for sale", off, by_model, lasting=lasting, change=change)
    assert ("tells of a change" in case.judged) is noted


@pytest.mark.parametrize(
    ("off", "by_model", "likely", "denied"),
    [(False, True, 0.05, True), (True, True, 0.05, False), (False, False, 0.05, False),
     (False, True, 0.2, False)],
)  # fmt: skip
@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("I will send Ann the report by Friday", {"no promise"}),
        ("Ann stays next Friday", {"not due"}),
        ("The mill grinds rye", set()),
    ],
)
def test_what_words_alone_speak_for_a_judge_that_is_not_turned_off_denies(
    memories: Memories, off: bool, by_model: bool, likely: float, denied: bool, text: str, what: set[str]
) -> None:
    assert noting(memories, text, off, by_model, likely=likely).judged.keys() == (what if denied else set())


@pytest.mark.parametrize(
    ("by_model", "least", "unlasting", "said"),
    [
        (True, 0.6, 0.7, True), (True, 0.6, 0.5, False), (True, 0.7, 0.7, True),
        # Words alone are believed where they are surer, and never below what the owner set.
        (False, 0.6, 0.7, False), (False, 0.6, 0.95, True), (False, 0.97, 0.95, False),
        (True, inf, 1.0, False), (False, inf, 1.0, False),
    ],
)  # fmt: skip
def test_what_most_likely_does_not_last_is_named_words_alone_only_where_they_are_sure(
    memories: Memories, by_model: bool, least: float, unlasting: float, said: bool
) -> None:
    grounds = Gate(memories, WriteOptions(), memories.now())._grounds
    grounds = grounds._replace(settings=grounds.settings._replace(judge_unlasting=least))
    states = {"lasting": 1 - unlasting, "passing": 0.1, "undecided": 0.3, "trivial": 0.2}
    judgement: Any = SimpleNamespace(tells_state=True, by_model=by_model, states=states)
    case = Case(new_memory(memories, Draft(text="we may paint the mill")))
    judged = judge_lasting(case, grounds, judgement)
    assert (judged.unlasting, dict(judged.judged)) == (
        ("undecided", {"undecided": unlasting}) if said else (None, {})
    )
    assert judge_lasting(case.overriding("echo", "x"), grounds, judgement).unlasting is None


def noting(
    memories: Memories, text: str, off: bool, by_model: bool, *,
    lasting: float = 0.9, change: float = 0.0, likely: float = 0.2,
) -> Case:  # fmt: skip
    """What is noted of a text, by judges that say so, with all that ask them turned off or none."""
    grounds = Gate(memories, WriteOptions(), memories.now())._grounds
    least = inf if off else 0.9
    settings = grounds.settings._replace(judge_update=least, judge_promise=least, judge_due=least)
    judgement: Any = SimpleNamespace(
        is_taught=True, by_model=by_model, states={"lasting": lasting}, change=change,
        promise=likely, due=likely, about={"other": 0.0},
    )  # fmt: skip
    case = Case(new_memory(memories, Draft(text=text, kind="fact")))
    return note_judged(case, grounds._replace(settings=settings), judgement)


@pytest.mark.parametrize(
    ("options", "fields", "is_told"),
    [
        (WriteOptions(), {}, True), (WriteOptions(carried=True), {}, False),
        (WriteOptions(), {"valid_until": datetime(2020, 1, 1, tzinfo=UTC)}, False),
        (WriteOptions(), {"kind": "episode", "data": {"role": "user"}}, False),
    ],
)  # fmt: skip
def test_what_is_brought_along_or_past_or_was_only_said_contradicts_nothing(
    memories: Memories, options: WriteOptions, fields: dict[str, Any], is_told: bool
) -> None:
    old = memories.remember("the mill grinds rye")
    doubted = SimpleNamespace(memory=old)
    related: Any = SimpleNamespace(updates=lambda least, beside: doubted, updated=lambda one: 0.9)
    new = replace(new_memory(memories, Draft(text="the mill grinds oats", kind="fact")), **fields)
    case = note_contradiction(Case(new), Gate(memories, options, memories.now())._grounds, related)
    assert case.contradicts == ((old.id,) if is_told else ())
    assert ("may contradict" in "".join(case.notes)) is is_told
