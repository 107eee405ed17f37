"""How far each step has come, and what past runs did: keyed state of the space."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from memcli.consolidation.comparison_cache import CUT_SHORT
from memcli.consolidation.news import undone_since
from memcli.model import new_state
from memcli.scope import Scope
from memcli.storage import areas, states

# A record of a run is kept for so long.
_KEPT = timedelta(days=730)
# Claims of one run that are kept: more show nothing new of a model.
_SET_ASIDE = 20
_READ_TO = "read-to:"
_SESSIONS = "open-sessions"
_RUN = "run:"
# In the record of a run: how far the steps that ask or propose had read before it.
_READ_FROM = "read_from"
# Of what an LLM is asked about, which may lag behind.
_ASKED = "-asked"
_READING = ("distil", f"distil{_ASKED}", "merge", "contradict")
# What these have kept, and was taken back, is known for so long only: it would be kept again later.
_KEEPING = ("distil", f"distil{_ASKED}")


def asked_about(step: str) -> str:
    """The name of the bookmark of the LLM that is asked about a step's news."""
    return f"{step}{_ASKED}"


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
    scope: Scope,
    run: str,
    record: dict[str, Any],
    set_aside: Sequence[dict[str, str]] = (),
    read_from: Mapping[str, int] | None = None,
) -> None:
    """Keep what a run did: counts and times; apart from that, claims that were set aside in it.

    And from where it read (`lines_read` before it), for a later one where this one is taken back. Claims
    quote, so an erasure must be able to take them alone.
    """
    now = scope.now()
    record = {**record, _READ_FROM: dict(read_from)} if read_from else record
    _put(scope, _RUN + run, record, expires_at=now + _KEPT)
    for number, claim in enumerate(set_aside[:_SET_ASIDE]):
        key = f"{run}:{number:02}"
        scope.store.put_state(
            new_state(scope.space, areas.SET_ASIDE.name, key, claim, now, now + _KEPT), expected_version=0
        )


def read_again_what_was_undone(scope: Scope) -> None:
    """Move the bookmarks back to where they were before the nights that were taken back since the last one.

    What such a night asked or proposed was withdrawn with it; what still stands of it is put again.
    """
    runs = [
        state
        for state in scope.store.states((scope.space,), areas.CONSOLIDATION.name)
        if state.key.startswith(_RUN) and isinstance(state.value, dict) and _READ_FROM in state.value
    ]
    if not runs:
        return
    undone = undone_since(scope, max(last_line_read(scope, step) for step in _READING))
    for state in runs:
        if state.key.removeprefix(_RUN) not in undone:
            continue
        read_from = state.value[_READ_FROM]
        with scope.store.writing():
            for step in _READING:
                too_old = step in _KEEPING and state.updated_at < scope.now() - CUT_SHORT
                if not too_old and step in read_from and read_from[step] < last_line_read(scope, step):
                    _put(scope, _READ_TO + step, read_from[step])
            _put(scope, state.key, {name: value for name, value in state.value.items() if name != _READ_FROM},
                 expires_at=state.expires_at)  # fmt: skip


def lines_read(scope: Scope) -> dict[str, int]:
    """How far the steps have read that ask or propose something, by their names."""
    return {step: last_line_read(scope, step) for step in _READING}


def past_runs(scope: Scope) -> list[dict[str, Any]]:
    """What past runs did, newest first; under `claims` what was set aside in them, as far as it is kept."""
    states = scope.store.states((scope.space,), areas.CONSOLIDATION.name)
    runs = [state for state in states if state.key.startswith(_RUN) and isinstance(state.value, dict)]
    claims: dict[str, list[Any]] = {}
    for state in scope.store.states((scope.space,), areas.SET_ASIDE.name):
        claims.setdefault(state.key.partition(":")[0], []).append(state.value)
    return [
        {
            **{k: v for k, v in state.value.items() if k != _READ_FROM},
            "claims": claims.get(state.key.removeprefix(_RUN), []),
        }
        for state in sorted(runs, key=lambda each: each.key, reverse=True)
    ]


def _value(scope: Scope, key: str) -> Any:
    return next(
        (state.value for state in scope.store.states((scope.space,), areas.CONSOLIDATION.name, key)), None
    )


def _put(scope: Scope, key: str, value: Any, expires_at: datetime | None = None) -> None:
    states.write_state(
        scope.store, scope.space, areas.CONSOLIDATION.name, key, value, scope.now(), expires_at=expires_at
    )
