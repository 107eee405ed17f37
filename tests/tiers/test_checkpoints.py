"""Checkpoints as a library keeps them: saved versions, expiry, steps on record."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memcli.errors import BadInput, MemcliError, NotFound
from memcli.memories import Memories
from memcli.storage import areas
from memcli.text.checks import check_name
from memcli.text.printable import safe_json
from memcli.tiers.tasks import checkpoints, steps
from memcli.tiers.tasks.steps import StepOutput, TaskStep
from tests.conftest import TickingClock, make_memories

HOUR = timedelta(hours=1)
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


def done(memories: Memories, name: str, **fields: Any) -> TaskStep:
    values: dict[str, Any] = {
        "name": name, "status": "done", "command": ("true",), "inputs": {}, "at_most_once": False,
        "runs": 1, "started_at": memories.now(), "exit_status": 0,
    }  # fmt: skip
    return TaskStep(**(values | fields))


@pytest.mark.parametrize(
    "text",
    [
        '{"b": 1, "a": 2}',
        "123456789012345678901234567890",
        "1.10",
        "1e400",
        '{"a": 1, "a": 2}',
        '"\\ud800 \\u0000 \u2028 \x9b31m"',
        '[1,\r\n\t"é 東京"]',
        "9" * 10_000,
    ],
)
def test_what_comes_out_is_what_went_in(memories: Memories, text: str) -> None:
    checkpoints.save_checkpoint(memories, "build", text)
    assert checkpoints.restore_checkpoint(memories, "build").text == text


@settings(max_examples=40)
@given(value=ANY_JSON, indent=st.none() | st.integers(0, 3), ascii_only=st.booleans())
@example(value="\x9b\x1f", indent=None, ascii_only=False)  # a backslash behind what opens a sequence
def test_any_json_survives_and_is_safe_to_show(
    memories: Memories, value: Any, indent: int | None, ascii_only: bool
) -> None:
    try:
        text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
        text.encode("utf-8")
    except UnicodeEncodeError:
        return
    checkpoints.save_checkpoint(memories, "build", text, force=True)  # a text may look like a secret
    saved = checkpoints.restore_checkpoint(memories, "build").text
    assert saved == text.strip()
    assert json.loads(safe_json(saved)) == value
    assert not any(sign in safe_json(saved) for sign in "\x1b\x9b\r\u202e")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a": 1,\n "b" 2}', "line 2, column 6"),
        ("", "empty"),
        (" \n", "empty"),
        ('{"NaN": "Infinity",\n "x": NaN}', "line 2, column 7: there is no NaN"),
        ("[1, -Infinity]", "line 1, column 5"),
        ("{} {}", "line 1, column 4"),
        ("[" * 200_000, "nested too deeply"),
        ('"' + "x" * checkpoints.MAX_STATE + '"', "too many"),
    ],
)
def test_what_is_not_json_is_refused_and_nothing_is_lost(memories: Memories, text: str, said: str) -> None:
    checkpoints.save_checkpoint(memories, "build", "1")
    with pytest.raises(BadInput, match=f"state.json: .*{said}"):
        checkpoints.save_checkpoint(memories, "build", text, where="state.json")
    assert checkpoints.restore_checkpoint(memories, "build").version == 1


def test_a_byte_order_mark_is_no_part_of_the_state(memories: Memories) -> None:
    checkpoints.save_checkpoint(memories, "build", '\ufeff{"a": 1}\n')
    assert checkpoints.restore_checkpoint(memories, "build").text == '{"a": 1}'


def test_the_last_five_versions_stay(memories: Memories) -> None:
    for number in range(1, 9):
        checkpoints.save_checkpoint(memories, "build", str(number))
    checkpoint = checkpoints.require_checkpoint(memories, "build")
    assert [saved.text for saved in checkpoints.saved_states(memories, checkpoint)] == list("45678")
    assert checkpoints.restore_checkpoint(memories, "build", 5).text == "5"
    with pytest.raises(NotFound, match="kept are 4, 5, 6, 7, 8"):
        checkpoints.restore_checkpoint(memories, "build", 3)
    assert len(list(memories.store.states(area=areas.CHECKPOINT_SAVE.name))) == 5


def test_each_save_counts_the_expiry_anew(memories: Memories, clock: TickingClock) -> None:
    checkpoints.save_checkpoint(memories, "build", "1", HOUR)
    clock.advance(minutes=50)
    checkpoints.save_checkpoint(memories, "build", "2")
    clock.advance(minutes=50)
    assert checkpoints.restore_checkpoint(memories, "build").text == "2"
    clock.advance(minutes=11)
    with pytest.raises(NotFound, match="expired"):
        checkpoints.restore_checkpoint(memories, "build")
    assert checkpoints.list_checkpoints(memories) == []


def test_a_completed_step_counts_the_expiry_anew(memories: Memories, clock: TickingClock) -> None:
    checkpoints.save_checkpoint(memories, "build", "1", HOUR)
    clock.advance(minutes=50)
    steps.record_step(memories, "build", done(memories, "one"))
    clock.advance(minutes=50)
    assert checkpoints.restore_checkpoint(memories, "build").text == "1"


def test_thirty_days_are_the_default(memories: Memories, clock: TickingClock) -> None:
    checkpoints.save_checkpoint(memories, "build", "1")
    clock.advance(days=29, hours=23)
    assert checkpoints.find_checkpoint(memories, "build")
    clock.advance(hours=2)
    assert checkpoints.find_checkpoint(memories, "build") is None


def test_what_expired_does_not_come_back_to_life(memories: Memories, clock: TickingClock) -> None:
    checkpoints.save_checkpoint(memories, "build", "1", HOUR)
    steps.record_step(memories, "build", done(memories, "one"), output=StepOutput(b"out"))
    clock.advance(hours=2)
    task, saved = checkpoints.save_checkpoint(memories, "build", "2", HOUR)
    assert saved.version == 1 and steps.task_steps(memories, task) == []
    assert steps.step_output(memories, task, "one") == StepOutput()


def test_a_save_drops_what_expired_whole(memories: Memories, clock: TickingClock) -> None:
    checkpoints.save_checkpoint(memories, "old", "1", HOUR)
    steps.record_step(memories, "old", done(memories, "one"), output=StepOutput(b"out"))
    clock.advance(hours=2)
    checkpoints.save_checkpoint(memories, "new", "1")
    kept = [(state.area, state.key.partition("/")[2] or state.key) for state in memories.store.states()]
    assert kept == [(areas.CHECKPOINT.name, "new"), (areas.CHECKPOINT_SAVE.name, "1")]


def test_clearing_leaves_nothing(memories: Memories) -> None:
    for number in range(7):
        checkpoints.save_checkpoint(memories, "build", str(number))
    steps.record_step(memories, "build", done(memories, "one"), output=StepOutput(b"out"))
    checkpoints.save_checkpoint(memories, "other", "1")
    steps.clear_checkpoint(memories, "build")
    assert {state.key for state in memories.store.states(area=areas.CHECKPOINT.name)} == {"other"}
    assert len(list(memories.store.states())) == 2
    with pytest.raises(NotFound, match="no checkpoint 'build'"):
        steps.clear_checkpoint(memories, "build")


def test_spaces_are_walls(memories: Memories, clock: TickingClock, own_home: Path) -> None:
    checkpoints.save_checkpoint(memories, "build", "1")
    steps.record_step(memories, "build", done(memories, "one"))
    with make_memories(own_home / "memory.db", clock, space="work") as others:
        assert checkpoints.list_checkpoints(others) == []
        with pytest.raises(NotFound):
            checkpoints.restore_checkpoint(others, "build")
        checkpoints.save_checkpoint(others, "build", "2")
        assert steps.task_steps(others, checkpoints.require_checkpoint(others, "build")) == []
    assert checkpoints.restore_checkpoint(memories, "build").text == "1"


@settings(max_examples=30)
@given(out=st.binary(), err=st.binary())
def test_output_is_kept_byte_by_byte(memories: Memories, out: bytes, err: bytes) -> None:
    steps.record_step(memories, "build", done(memories, "one"), output=StepOutput(out, err))
    task = checkpoints.require_checkpoint(memories, "build")
    assert steps.step_output(memories, task, "one") == StepOutput(out, err)


@settings(max_examples=60)
@given(task=st.text(max_size=250), step=st.text(max_size=250))
def test_any_printable_name_will_do_and_no_other(memories: Memories, task: str, step: str) -> None:
    try:
        checkpoints.save_checkpoint(memories, task, "1")
        steps.record_step(memories, task, done(memories, check_name("step", step)))
    except MemcliError as error:
        assert isinstance(error, BadInput)
    else:
        found = checkpoints.require_checkpoint(memories, task)
        assert found.name == task.strip()
        assert steps.find_step(memories, found, step).name == step.strip()


def test_a_step_is_marked_by_hand(memories: Memories) -> None:
    checkpoints.save_checkpoint(memories, "build", "1")
    task = checkpoints.require_checkpoint(memories, "build")
    with pytest.raises(NotFound, match="no step 'one'"):
        steps.mark_step(memories, "build", "one", done=False)
    steps.record_step(memories, "build", done(memories, "one", status="failed"))
    with pytest.raises(NotFound, match="no step 'won'; there are 'one'"):
        steps.mark_step(memories, "build", "won", done=True)
    steps.mark_step(memories, "build", "one", done=True)
    assert steps.find_step(memories, task, "one").status == "done"
    steps.mark_step(memories, "build", "one", done=False)
    assert steps.task_steps(memories, task) == []
    with pytest.raises(NotFound, match="no checkpoint 'bild'"):
        steps.mark_step(memories, "bild", "one", done=True)


def test_a_step_on_record_as_running_was_cut_off_where_nobody_runs_it(memories: Memories) -> None:
    steps.record_step(memories, "build", done(memories, "one", status="running"))
    steps.record_step(memories, "build", done(memories, "two", status="running", at_most_once=True))
    task = checkpoints.require_checkpoint(memories, "build")
    assert [step.status for step in steps.task_steps(memories, task)] == ["interrupted", "uncertain"]
