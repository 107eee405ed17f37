"""Expiry of a task that was left alone past its time to live: report what is gone, and record an event.

Its keyed value stays until the next task begins, or consolidation runs, but counts as gone meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterator

from memcli import times
from memcli.errors import NotFound
from memcli.messages import Command, message
from memcli.model import Memory, State
from memcli.recall import session_and_task
from memcli.scope import Scope
from memcli.storage import areas, states
from memcli.text.counting import counted
from memcli.text.sentences import MAX_SENTENCE, shorten
from memcli.tiers.tasks.attribution import is_all_own
from memcli.tiers.tasks.tasks import Task, task_from_state
from memcli.write_policy.drafts import Draft, new_memory

# The key in the data of the event.
_EXPIRED = "expired"


def let_go_of_expired(scope: Scope) -> list[Memory]:
    """Clear the expired tasks of the space; return the events that record them, with what is gone.

    An untrusted origin clears no task of the owner's. In a transaction of its own.
    """
    events = []
    with scope.store.writing():
        for state in list(_expired(scope)):
            if scope.is_untrusted and not is_all_own(scope, state.value):
                continue
            task = task_from_state(state)
            change = scope.change("drop", "expired", door=scope.untrusted_origin or "task")
            events.append(_event(scope, task))
            scope.store.put(events[-1:], change, scope.now())
            scope.store.drop_state(scope.space, areas.TASK.name, task.name)
            scope.store.drop_state(scope.space, areas.TASK_RECALLS.name, task.name)
    return events


def expired_names(scope: Scope) -> set[str]:
    """Return the names of the expired tasks that are not cleared yet."""
    return {state.key for state in _expired(scope)}


def expired_task(scope: Scope, name: str | None) -> NotFound | None:
    """Return the error that the named (or last current) task expired, with what is gone; or None."""
    name = name or session_and_task.names_at_hand(scope).task
    if not name:
        return None
    way_out = message(
        Command("task start GOAL"), " begins one; ", Command("config set task_ttl"), " lets them live longer"
    )
    state = states.read_state(scope.store, scope.space, areas.TASK.name, name)
    if state and state.expires_at and state.expires_at <= scope.now():
        when, gone = state.expires_at, _held(task_from_state(state))
        return NotFound(f"the task {name!r:.60} expired on {times.local_time(when)}{gone}", by_hand=way_out)
    for memory in scope.store.select(scope.within(kinds=("episode",))):
        if memory.data.get(_EXPIRED) is True and memory.data.get("task") == name:
            return NotFound(
                f"the task {name!r:.60} expired; {memory.id} is on record for it", by_hand=way_out
            )
    return None


def _expired(scope: Scope) -> Iterator[State]:
    now = scope.now()
    for state in scope.store.states((scope.space,), areas.TASK.name):
        if state.expires_at and state.expires_at <= now:
            yield state


def _event(scope: Scope, task: Task) -> Memory:
    goal = shorten(" ".join(task.goal.split()), MAX_SENTENCE)
    draft = Draft(
        text=f"The task {task.name} expired: {goal}{_held(task)}",
        kind="episode", origin=task.origin_of("goal") or "task", trusted=task.trusted, tags=tuple(task.tags),
        data={"role": "event", "task": task.name, "goal": task.goal, _EXPIRED: True},
    )  # fmt: skip
    return new_memory(scope, draft)


def _held(task: Task) -> str:
    """Return what a task held beside its goal, for the message that it is gone."""
    held = (
        (len(task.decisions), "decision"), (len(task.notes) + task.folded, "note"), (len(task.steps), "step"),
        (len(task.constraints), "constraint"), (len(task.variables), "variable"),
        (len(task.results), "result"),
    )  # fmt: skip
    told = ", ".join(counted(number, what) for number, what in held if number)
    return f", and with it {told}" if told else ""
