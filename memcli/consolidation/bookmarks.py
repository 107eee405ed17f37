"""Bookmarks: how far each step has read, and records of past runs, kept as keyed state of the space."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from memcli.consolidation.comparison_cache import CUT_SHORT
from memcli.consolidation.news import undone_since
from memcli.model import new_state
from memcli.scope import Scope
from memcli.storage import areas, states

# How long the record of a run is kept.
_KEPT = timedelta(days=730)
# How many refused claims of one run are kept: more show nothing new about a model.
_SET_ASIDE = 20
_READ_TO = "read-to:"
_SESSIONS = "open-sessions"
_RUN = "run:"
# The field, in the record of a run, for how far the steps in _READING had read before it.
_READ_FROM = "read_from"
# The suffix of bookmarks for questions to an LLM, which may lag behind the step.
_ASKED = "-asked"
_READING = ("distil", f"distil{_ASKED}", "merge", "contradict")
# Memories that these steps kept are recognised for CUT_SHORT only: re-reading older news would repeat them.
_KEEPING = ("distil", f"distil{_ASKED}")


def asked_about(step: str) -> str:
    """Return the name of the bookmark for asking an LLM about a step's news."""
    return f"{step}{_ASKED}"


def last_line_read(scope: Scope, step: str) -> int:
    """Return the history line up to which a step has read everything; 0 before its first run."""
    value = _value(scope, _READ_TO + step)
    return value if isinstance(value, int) else 0


def note_line_read(scope: Scope, step: str, number: int) -> None:
    """Record that a step has read everything up to a history line."""
    if number > last_line_read(scope, step):
        _put(scope, _READ_TO + step, number)


def has_begun(scope: Scope, step: str) -> bool:
    """True if a step has ever begun."""
    return _value(scope, _READ_TO + step) is not None


def begin_after(scope: Scope, step: str, number: int) -> None:
    """Let a step that has never run begin after a history line."""
    if not has_begun(scope, step):
        _put(scope, _READ_TO + step, number)


def open_sessions(scope: Scope) -> list[str]:
    """Return the sessions that had turns without a summary when last checked."""
    value = _value(scope, _SESSIONS)
    return [name for name in value if isinstance(name, str)] if isinstance(value, list) else []


def note_open_sessions(scope: Scope, sessions: Iterable[str]) -> None:
    """Record which sessions are still to be folded."""
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
    """Record what a run did (counts and times), and from where it read, in case the run is undone.

    Refused claims are stored separately: they quote memories, so an erasure must be able to delete them
    alone.
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
    """Move the bookmarks back to before the runs that were undone since the last one.

    What such a run asked or proposed was withdrawn by the undo; what still applies is proposed again.
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
    """Return the bookmarks of the steps that ask or propose, by name."""
    return {step: last_line_read(scope, step) for step in _READING}


def past_runs(scope: Scope) -> list[dict[str, Any]]:
    """Return the records of past runs, newest first; `claims` holds their refused claims, if still kept."""
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
