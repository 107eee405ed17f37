"""The current session and task of a space: where turns are recorded, and what is being worked on.

Both are in one keyed value, so that a recall learns of the task by a single look-up. Each untrusted origin
has a value of its own, and cannot change the owner's. Used by `memcli.memories` to note recalls for a task.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from itertools import count

from memcli import times
from memcli.model import State
from memcli.named_tuple import NamedTuple
from memcli.scope import Scope
from memcli.storage import areas, states
from memcli.storage.ledger import StateName

_OWNERS = "current"
# Recalls are counted for at most so many memories per task; more say nothing about what it needed.
MAX_TASK_RECALLS = 500


class NamesAtHand(NamedTuple):
    """The names of the current session and task; None if there is none."""

    session: str | None = None
    task: str | None = None


def names_at_hand(scope: Scope) -> NamesAtHand:
    """Return the current session and task; an untrusted origin without its own sees the owner's."""
    own, owners = _read(scope, _key(scope)), _read(scope, _OWNERS)
    return NamesAtHand(own.session or owners.session, own.task or owners.task)


def session_at_hand(scope: Scope) -> str:
    """Return the session that turns go to: the configured one, the one started here, or today's.

    Today's is named by its date, `2026-05-03`, so that a turn can be recorded without starting a session.
    Raises BadInput if the configured name is not valid.
    """
    name = scope.config["session"] or names_at_hand(scope).session
    if not name:
        return times.local_day(scope.now())
    from memcli.text.checks import check_name

    return check_name("session", name)


def put_at_hand(scope: Scope, **names: str | None) -> NamesAtHand:
    """Set the current session or task (None: none); what is not named stays."""
    key = _key(scope)
    with scope.store.writing():
        before = _read(scope, key)
        after = before._replace(**names)
        if after != before:
            _write(scope, key, after)
    return after


def rename_task_at_hand(scope: Scope, name: str, other: str) -> None:
    """Rename a task wherever it is the current one, and drop its recall counts."""
    with scope.store.writing():
        for state in list(scope.store.states((scope.space,), areas.SESSION_AT_HAND.name)):
            if (at_hand := _read(scope, state.key)).task == name:
                _write(scope, state.key, at_hand._replace(task=other))
        scope.store.drop_state(scope.space, areas.TASK_RECALLS.name, name)


def is_owners_hand(key: str) -> bool:
    """True if this key holds the owner's current session and task, not an untrusted origin's."""
    return key == _OWNERS


def at_hand_name(scope: Scope) -> StateName:
    """Return the name of the state that holds the current session and task of whoever works here."""
    return scope.space, areas.SESSION_AT_HAND.name, _key(scope)


def _key(scope: Scope) -> str:
    return f"{_OWNERS}:{scope.untrusted_origin}" if scope.is_untrusted else _OWNERS


def _write(scope: Scope, key: str, names: NamesAtHand) -> None:
    states.write_state(
        scope.store, scope.space, areas.SESSION_AT_HAND.name, key, names._asdict(), scope.now()
    )


def _read(scope: Scope, key: str) -> NamesAtHand:
    state = states.read_state(scope.store, scope.space, areas.SESSION_AT_HAND.name, key)
    # An import may have brought a value written by a newer memcli, with other fields.
    return (
        NamesAtHand(**{name: state.value.get(name) for name in NamesAtHand._fields})
        if state
        else NamesAtHand()
    )


def unused_name(stem: str, taken: Container[str]) -> str:
    """Return a name for a session or task that was given none: `stem`, else `stem-2`, `stem-3`…"""
    numbered = (f"{stem}-{number}" for number in count(2))
    return stem if stem not in taken else next(name for name in numbered if name not in taken)


def task_state(scope: Scope, name: str | None = None) -> State | None:
    """Return the state of the named task, else of the current one; None if there is none or it expired."""
    name = name or names_at_hand(scope).task
    state = states.read_state(scope.store, scope.space, areas.TASK.name, name) if name else None
    return None if state is None or (state.expires_at and state.expires_at <= scope.now()) else state


def task_tags(scope: Scope, name: str | None = None) -> tuple[str, ...]:
    """Return the tags of the named task, else of the current one; none without a task."""
    state = task_state(scope, name)
    return tuple(state.value.get("tags", ())) if state else ()


def note_task_recall(scope: Scope, memory_ids: Iterable[str], name: str | None = None) -> None:
    """Count these memories as recalled for the named task, else for the current one.

    Recalls by an untrusted origin are not counted for the owner's task.
    """
    task = task_state(scope, name)
    if task is None or (scope.is_untrusted and "goal" not in task.value.get("origins", {})):
        return
    store = scope.store
    with store.writing():
        state = states.read_state(store, scope.space, areas.TASK_RECALLS.name, task.key)
        counts: dict[str, int] = dict(state.value) if state else {}
        for memory_id in memory_ids:
            if memory_id in counts or len(counts) < MAX_TASK_RECALLS:
                counts[memory_id] = counts.get(memory_id, 0) + 1
        now, expires_at = scope.now(), task.expires_at
        states.write_state(
            store, scope.space, areas.TASK_RECALLS.name, task.key, counts, now, expires_at=expires_at
        )
