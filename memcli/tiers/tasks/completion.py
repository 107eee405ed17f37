"""Completion of a task: with an outcome that is kept as a memory, or dropped without one."""

from __future__ import annotations

from dataclasses import replace

from memcli.changes.values_before import noting
from memcli.doors import TASK, Deed
from memcli.memories import Memories
from memcli.model import Change, Memory, State
from memcli.named_tuple import NamedTuple
from memcli.prompt.sections import FAILED_TAG
from memcli.recall import session_and_task
from memcli.scope import Scope
from memcli.storage import areas, states
from memcli.text.checks import check_text
from memcli.text.sentences import MAX_SENTENCE, shorten
from memcli.tiers.sessions.episodes import put_turns, read_turns
from memcli.tiers.tasks.attribution import is_all_own
from memcli.tiers.tasks.tasks import Task, require_state, task_from_state
from memcli.write_policy.direct import put_embedded, vet_memory
from memcli.write_policy.drafts import Draft, new_memory

# The change of confidence, by success, for memories recalled for a task that ends with --learn.
CONFIDENCE_STEP = {True: 0.1, False: -0.2}
SUCCESS_IMPORTANCE = 0.7


class TaskResult(NamedTuple):
    """The result of a task: its outcome, and the memories recalled for it with their new confidence."""

    task: Task
    outcome: Memory
    learned: list[tuple[Memory, float]]


def end_task(
    memories: Memories,
    name: str | None,
    outcome: str,
    *,
    success: bool,
    learn: bool = False,
    dry_run: bool = False,
) -> TaskResult:
    """End a task: keep its outcome as a memory, clear the rest.

    With `learn` the confidence of what was recalled for it rises by 0.1, or after a failure falls by 0.2.
    Nothing is changed with `dry_run`. Raises NotFound, BadInput, ModelUnusable; Refused for an untrusted
    origin if anything in it is the owner's. The task is then as it was.
    """
    check_text(outcome, memories.config["max_text"])
    state = require_state(memories, name)
    _check_end(memories, state)
    ended = _ended(memories, task_from_state(state), outcome, success)
    if dry_run:
        return ended
    vectors = memories.model.embed([ended.outcome])
    with memories.store.writing():
        now = memories.now()
        # Another process may have changed the task meanwhile; it only has to exist still.
        state = require_state(memories, state.key)
        _check_end(memories, state)
        task = task_from_state(state)
        ended = ended._replace(task=task, learned=_to_learn(memories, task, success))
        change = memories.change("add", door=memories.untrusted_origin or "task")
        put_embedded(memories, memories.model, [ended.outcome], change, vectors)
        if learn:
            reason = f"recalled for the task {task.name}, which {'succeeded' if success else 'failed'}"
            moved = [replace(memory, confidence=new, updated_at=now) for memory, new in ended.learned]
            memories.store.put(moved, change._replace(action="learn", reason=reason), now)
        _clear(memories, task.name, change)
    return ended


def drop_task(memories: Memories, name: str | None, why: str | None = None) -> Memory:
    """End a task without an outcome: clear it, and record an event that says that it was dropped, and why.

    Raises NotFound, BadInput; Refused for an untrusted origin if anything in it is the owner's.
    """
    state = require_state(memories, name)
    _check_end(memories, state)
    task = task_from_state(state)
    goal = shorten(" ".join(task.goal.split()), MAX_SENTENCE)
    draft = Draft(
        text=f"Dropped the task {task.name}: {goal}{f' ({why})' if why else ''}",
        kind="episode", origin=_origin_of_end(memories, task), trusted=task.trusted, tags=tuple(task.tags),
        data={"role": "event", "task": task.name, "goal": task.goal, "dropped": True},
    )  # fmt: skip
    event = vet_memory(memories, new_memory(memories, draft))
    vectors = read_turns(memories, [event]).vectors
    with memories.store.writing():
        state = require_state(memories, state.key)
        _check_end(memories, state)
        change = memories.change("drop", why, door=memories.untrusted_origin or "task")
        put_turns(memories, [event], change, vectors)
        _clear(memories, state.key, change)
    return event


def _clear(scope: Scope, name: str, change: Change) -> None:
    """Delete all that a task held, in the transaction of `change`, whose undo restores it."""
    held = [(scope.space, area.name, name) for area in (areas.TASK, areas.TASK_RECALLS)]
    with noting(scope, change, [*held, session_and_task.at_hand_name(scope)]):
        for each in held:
            scope.store.drop_state(*each)
        if session_and_task.names_at_hand(scope).task == name:
            session_and_task.put_at_hand(scope, task=None)


def _check_end(scope: Scope, state: State) -> None:
    own = is_all_own(scope, state.value)
    scope.require(TASK, Deed.END, f"the task {state.key!r:.60}", own=own)


def _origin_of_end(scope: Scope, task: Task) -> str:
    return scope.untrusted_origin or task.origin_of("goal") or "task"


def _ended(memories: Memories, task: Task, outcome: str, success: bool) -> TaskResult:
    done = sum(bool(step["done"]) for step in task.steps)
    data = {
        "task": task.name, "goal": task.goal, "success": success, "decisions": task.decisions,
        "steps_done": done, "steps_pending": len(task.steps) - done,
    }  # fmt: skip
    goal = shorten(" ".join(task.goal.split()), MAX_SENTENCE)
    draft = Draft(
        text=f"{goal}: {outcome}" if success else f"Failed: {goal}: {outcome}",
        kind="outcome", data=data, trusted=task.trusted,
        origin=_origin_of_end(memories, task),
        importance=SUCCESS_IMPORTANCE if success else None,
        tags=(*task.tags, *(() if success else (FAILED_TAG,))),
    )  # fmt: skip
    return TaskResult(
        task, vet_memory(memories, new_memory(memories, draft)), _to_learn(memories, task, success)
    )


def _to_learn(scope: Scope, task: Task, success: bool) -> list[tuple[Memory, float]]:
    """Return the live memories that were recalled for a task, with their new confidence.

    An untrusted origin confirms nothing, and doubts only what is untrusted.
    """
    state = states.read_state(scope.store, scope.space, areas.TASK_RECALLS.name, task.name)
    recalled = scope.store.get(list(state.value)) if state else []
    moved = [
        (memory, min(max(round(memory.confidence + CONFIDENCE_STEP[success], 4), 0.0), 1.0))
        for memory in recalled
        if memory.space == scope.space and memory.ended_at is None
        if not scope.is_untrusted or not (success or memory.trusted)
    ]
    return [(memory, new) for memory, new in moved if new != memory.confidence]
