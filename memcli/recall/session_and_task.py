"""What is at hand in a space: the session that turns go to, and the task being worked on.

Both stand in one keyed value, so that a recall learns of the task by a single
look-up. Below `memcli.memories`, which notes what was recalled for a task.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from datetime import datetime
from itertools import count
from typing import NamedTuple

from memcli import times
from memcli.config import Config
from memcli.model import State
from memcli.storage import Store, areas, states

_KEY = "current"
# Past so many memories, recalls say no more about what a task needed.
MAX_TASK_RECALLS = 500


class NamesAtHand(NamedTuple):
    """The names of the session and the task at hand; None where there is none."""

    session: str | None = None
    task: str | None = None


def names_at_hand(store: Store, space: str) -> NamesAtHand:
    """What is at hand in a space."""
    state = states.read_state(store, space, areas.SESSION_AT_HAND.name, _KEY)
    # An import may have brought the value of a newer memcli along.
    return (
        NamesAtHand(**{name: state.value.get(name) for name in NamesAtHand._fields})
        if state
        else NamesAtHand()
    )


def session_at_hand(store: Store, space: str, config: Config, now: datetime) -> str:
    """The session that turns go to: the configured one, the one started here, or today's.

    Today's is named by its date, `2026-05-03`: a record needs no ceremony.
    Raises BadInput where the configured name is none.
    """
    name = config["session"] or names_at_hand(store, space).session
    if not name:
        return times.local_day(now)
    from memcli.text.checks import check_name

    return check_name("session", name)


def put_at_hand(store: Store, space: str, now: datetime, **names: str | None) -> NamesAtHand:
    """Put another session or task at hand (None: none); what is not named stays."""
    with store.writing():
        before = names_at_hand(store, space)
        after = before._replace(**names)
        if after != before:
            states.write_state(store, space, areas.SESSION_AT_HAND.name, _KEY, after._asdict(), now)
    return after


def unused_name(stem: str, taken: Container[str]) -> str:
    """A name for a session or task that was given none: `stem`, else `stem-2`, `stem-3`…"""
    numbered = (f"{stem}-{number}" for number in count(2))
    return stem if stem not in taken else next(name for name in numbered if name not in taken)


def task_state(store: Store, space: str, now: datetime, name: str | None = None) -> State | None:
    """The state of the task of that name, else of the one at hand; None where none is alive."""
    name = name or names_at_hand(store, space).task
    state = states.read_state(store, space, areas.TASK.name, name) if name else None
    return None if state is None or (state.expires_at and state.expires_at <= now) else state


def task_tags(store: Store, space: str, now: datetime, name: str | None = None) -> tuple[str, ...]:
    """The tags of the task of that name, else of the one at hand; none without a task."""
    state = task_state(store, space, now, name)
    return tuple(state.value.get("tags", ())) if state else ()


def note_task_recall(
    store: Store, space: str, now: datetime, memory_ids: Iterable[str], name: str | None = None
) -> None:
    """Count these memories as recalled for the task of that name, else for the one at hand."""
    task = task_state(store, space, now, name)
    if task is None:
        return
    with store.writing():
        state = states.read_state(store, space, areas.TASK_RECALLS.name, task.key)
        counts: dict[str, int] = dict(state.value) if state else {}
        for memory_id in memory_ids:
            if memory_id in counts or len(counts) < MAX_TASK_RECALLS:
                counts[memory_id] = counts.get(memory_id, 0) + 1
        states.write_state(
            store, space, areas.TASK_RECALLS.name, task.key, counts, now, expires_at=task.expires_at
        )
