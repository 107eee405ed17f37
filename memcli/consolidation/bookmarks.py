"""How far each step has come, and what past runs did: keyed state of the space."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any

from memcli.model import State
from memcli.scope import Scope
from memcli.storage import areas

# A record of a run is kept for so long.
_KEPT = timedelta(days=730)
# Claims of one run that are kept: more show nothing new of a model.
_SET_ASIDE = 20
_READ_TO = "read-to:"
_SESSIONS = "open-sessions"
_RUN = "run:"


def last_line_read(scope: Scope, step: str) -> int:
    """The line of history up to which a step has seen everything; 0 before its first run."""
    value = _value(scope, _READ_TO + step)
    return value if isinstance(value, int) else 0


def note_line_read(scope: Scope, step: str, number: int) -> None:
    """Say that a step has seen everything up to a line of history."""
    if number > last_line_read(scope, step):
        _put(scope, _READ_TO + step, number)


def has_begun(scope: Scope, step: str) -> bool:
    """Whether a step was ever begun."""
    return _value(scope, _READ_TO + step) is not None


def begin_after(scope: Scope, step: str, number: int) -> None:
    """Say that a step that was never done begins after a line of history."""
    if not has_begun(scope, step):
        _put(scope, _READ_TO + step, number)


def open_sessions(scope: Scope) -> list[str]:
    """Sessions that had turns without a summary when they were last looked at."""
    value = _value(scope, _SESSIONS)
    return [name for name in value if isinstance(name, str)] if isinstance(value, list) else []


def note_open_sessions(scope: Scope, sessions: Iterable[str]) -> None:
    """Say which sessions are still to be folded."""
    names = sorted(sessions)
    if names != open_sessions(scope):
        _put(scope, _SESSIONS, names)


def note_run(
    scope: Scope, run: str, record: dict[str, Any], set_aside: Sequence[dict[str, str]] = ()
) -> None:
    """Keep what a run did: counts and times; apart from that, claims that were set aside in it.

    These quote, so an erasure must be able to take them alone.
    """
    now = scope.now()
    _put(scope, _RUN + run, record, expires_at=now + _KEPT)
    for number, claim in enumerate(set_aside[:_SET_ASIDE]):
        key = f"{run}:{number:02}"
        scope.store.put_state(
            State(scope.space, areas.SET_ASIDE.name, key, claim, 1, now, now, now + _KEPT), expected_version=0
        )


def past_runs(scope: Scope) -> list[dict[str, Any]]:
    """What past runs did, newest first; under `claims` what was set aside in them, as far as it is kept."""
    states = scope.store.states((scope.space,), areas.CONSOLIDATION.name)
    runs = [state for state in states if state.key.startswith(_RUN) and isinstance(state.value, dict)]
    claims: dict[str, list[Any]] = {}
    for state in scope.store.states((scope.space,), areas.SET_ASIDE.name):
        claims.setdefault(state.key.partition(":")[0], []).append(state.value)
    return [
        {**state.value, "claims": claims.get(state.key.removeprefix(_RUN), [])}
        for state in sorted(runs, key=lambda each: each.key, reverse=True)
    ]


def _value(scope: Scope, key: str) -> Any:
    return next(
        (state.value for state in scope.store.states((scope.space,), areas.CONSOLIDATION.name, key)), None
    )


def _put(scope: Scope, key: str, value: Any, expires_at: datetime | None = None) -> None:
    now = scope.now()
    before = next(iter(scope.store.states((scope.space,), areas.CONSOLIDATION.name, key)), None)
    version, since = (before.version + 1, before.created_at) if before else (1, now)
    scope.store.put_state(
        State(scope.space, areas.CONSOLIDATION.name, key, value, version, since, now, expires_at)
    )
