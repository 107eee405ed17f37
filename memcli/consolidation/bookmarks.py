"""How far each step has come, and what past runs did: keyed state of the space."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from memcli.consolidation.questions import AREA
from memcli.memories import Memories
from memcli.model import State

# A record of a run is kept for so long.
_KEPT = timedelta(days=730)
_READ_TO = "read-to:"
_SESSIONS = "open-sessions"
_RUN = "run:"


def read_to(memories: Memories, step: str) -> int:
    """The line of history up to which a step has seen everything; 0 before its first run."""
    value = _value(memories, _READ_TO + step)
    return value if isinstance(value, int) else 0


def note_read(memories: Memories, step: str, number: int) -> None:
    """Say that a step has seen everything up to a line of history."""
    if number > read_to(memories, step):
        _put(memories, _READ_TO + step, number)


def begun(memories: Memories, step: str) -> bool:
    """Whether a step was ever begun."""
    return _value(memories, _READ_TO + step) is not None


def begin(memories: Memories, step: str, number: int) -> None:
    """Say that a step that was never done begins after a line of history."""
    if not begun(memories, step):
        _put(memories, _READ_TO + step, number)


def open_sessions(memories: Memories) -> list[str]:
    """Sessions that had turns without a summary when they were last looked at."""
    value = _value(memories, _SESSIONS)
    return [name for name in value if isinstance(name, str)] if isinstance(value, list) else []


def note_open(memories: Memories, sessions: Iterable[str]) -> None:
    """Say which sessions are still to be folded."""
    names = sorted(sessions)
    if names != open_sessions(memories):
        _put(memories, _SESSIONS, names)


def note_run(memories: Memories, run: str, record: dict[str, Any]) -> None:
    """Keep what a run did; counts and times only."""
    _put(memories, _RUN + run, record, expires_at=memories.now() + _KEPT)


def past_runs(memories: Memories) -> list[dict[str, Any]]:
    """What past runs did, newest first."""
    states = memories.store.states((memories.space,), AREA)
    runs = [state for state in states if state.key.startswith(_RUN) and isinstance(state.value, dict)]
    return [state.value for state in sorted(runs, key=lambda each: each.key, reverse=True)]


def _value(memories: Memories, key: str) -> Any:
    return next((state.value for state in memories.store.states((memories.space,), AREA, key)), None)


def _put(memories: Memories, key: str, value: Any, expires_at: datetime | None = None) -> None:
    now = memories.now()
    before = next(iter(memories.store.states((memories.space,), AREA, key)), None)
    version, since = (before.version + 1, before.created_at) if before else (1, now)
    memories.store.put_state(State(memories.space, AREA, key, value, version, since, now, expires_at))
