"""What runs at most once does so, and nothing takes away or marks what is running."""

from __future__ import annotations

import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from memcli.errors import BadInput, Refused, StoreBusy
from memcli.memories import Memories
from memcli.storage.stores import open_store
from memcli.tiers.policies.checks import check_action
from memcli.tiers.policies.document import PolicyText
from memcli.tiers.policies.policies import Policies
from memcli.tiers.tasks import run_once, steps

PRINT = [sys.executable, "-c", ""]


def run(memories: Memories, command: list[str], *, again: bool = False) -> run_once.StepRun:
    order = run_once.StepOrder(command, at_most_once=True, again=again)
    sinks = run_once.StepSinks(lambda part: None, lambda part: None)
    return run_once.run_step(memories, "job", "pay", order, sinks)


def begun(memories: Memories) -> steps.TaskStep:
    step = steps.TaskStep("pay", "running", tuple(PRINT), {}, True, 1, memories.now())
    steps.record_step(memories, "job", step)
    return step


def test_what_may_have_had_its_effect_is_not_run_again_unasked(memories: Memories) -> None:
    begun(memories)
    with pytest.raises(Refused, match="uncertain"):
        run(memories, PRINT)
    assert not run(memories, PRINT, again=True).skipped


def test_what_is_done_and_differs_now_is_not_run_again_unasked(memories: Memories) -> None:
    assert not run(memories, PRINT).skipped and run(memories, PRINT).skipped
    with pytest.raises(Refused, match="once is once"):
        run(memories, [*PRINT, "more"])


def test_a_step_that_runs_is_neither_marked_nor_cleared(memories: Memories) -> None:
    begun(memories)
    errand = steps.step_errand(memories, "job", "pay", None)
    with (
        closing(open_store(Path(memories.store.location))) as other,
        other.alone(errand, busy="busy", patience=0),
    ):
        with pytest.raises(StoreBusy, match="is running"):
            steps.mark_step(memories, "job", "pay", done=True)
        with pytest.raises(StoreBusy, match="is running"):
            steps.clear_checkpoint(memories, "job")
    steps.mark_step(memories, "job", "pay", done=True)
    steps.clear_checkpoint(memories, "job")


def test_a_policy_that_came_in_unreadable_does_not_allow_what_it_forbids(memories: Memories) -> None:
    made = Policies(memories).add(PolicyText("calm", "never at night", patterns=("rm",), when=("hour = 23",)))
    assert check_action(memories, "rm -r photos", {"hour": "23"}, words_only=True).outcome != "allowed"
    kept = memories.find(made.memory.id)
    for name in ("when", "unless"):
        memories.store.put([replace(kept, data={**kept.data, name: ["hour = 25"]})], None, memories.now())
        with pytest.raises(BadInput, match="cannot be enforced"):
            check_action(memories, "rm -r photos", {"hour": "23"}, words_only=True)
