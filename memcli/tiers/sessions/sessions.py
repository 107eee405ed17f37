"""Sessions of a space: start, append turns, end and list them, and find the current one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime

from memcli import ids, times
from memcli.doors import SESSION, Deed
from memcli.errors import BadInput, NotFound, StoreBusy
from memcli.memories import Memories
from memcli.model import OUTPUT_ROLES, ROLES, SUMMARY, Filter, Memory
from memcli.named_tuple import NamedTuple
from memcli.recall import session_and_task
from memcli.scope import Scope
from memcli.storage import areas, states
from memcli.text.checks import check_choice, check_name, check_text
from memcli.text.extraction.outputs import condense
from memcli.tiers.sessions.episodes import (
    put_turns,
    read_session,
    read_turns,
    require_session,
    turn_role,
)
from memcli.tiers.sessions.extracts import Summariser, extractive_summary
from memcli.tiers.sessions.folding import fold_turns_if_due, prepared_folds, put_fold
from memcli.write_policy.direct import vetted_memory, with_judged_notes
from memcli.write_policy.drafts import Draft, new_memory
from memcli.write_policy.flood import TURNS, beginning_of_day, check_flood

# The roles whose words may be promises or due dates: what a program says binds nobody.
_OWN_WORDS = ("user", "decision", "note", "event")
# How often ending a session is retried if others fold it at the same time.
_TRIES = 5


class LoggedTurn(NamedTuple):
    """An appended turn; why it has no vector yet, and the summary that it caused, if any.

    `notes` are for its writer: which secrets were redacted.
    """

    turn: Memory
    gap: str | None = None
    summary: Memory | None = None
    notes: tuple[str, ...] = ()


class SessionOverview(NamedTuple):
    """One session in a list; `episodes` counts the live ones without the summary."""

    session: str
    episodes: int
    first_at: datetime
    last_at: datetime
    summarised: bool
    current: bool
    ended_at: datetime | None
    # True if its owner began it, or said anything in it.
    trusted: bool = True
    # True if it is unknown when any of it was said (`memcli.prompt.context.told_day`).
    undated: bool = False


# The current session


def session_named(scope: Scope, session: str | None = None) -> str:
    """Return the named session, else the current one (`recall.session_and_task.session_at_hand`)."""
    if session is None:
        return session_and_task.session_at_hand(scope)
    return check_name("session", session)


def start_session(scope: Scope, name: str | None = None) -> tuple[str, bool]:
    """Make a session the current one of the space; return its name, and True if it is new.

    Without a name it gets one from the clock; a known one is continued.
    """
    from memcli.text.secrets.redaction import refuse_secret_names

    now = scope.now()
    new = name is None
    if name is None:
        stem = times.local_time(now).replace(" ", "-").replace(":", "")
        taken = {each.session for each in list_sessions(scope)} | set(_marks(scope))
        name = session_and_task.unused_name(stem, taken)
    else:
        name = check_name("session", name)
        refuse_secret_names([name], "the name of a session")
        new = name not in _marks(scope) and not read_session(scope, name, live=False).turns
    if name not in (marks := _marks(scope)) or _is_ones_own(scope, marks[name]):
        _mark(scope, name, ended_at=None, **({"started_at": now} if new else {}))
    session_and_task.put_at_hand(scope, session=name)
    return name, new


def end_session(
    memories: Memories, session: str, summarise: Summariser = extractive_summary
) -> Memory | None:
    """Fold all of a session and end it; return the summary, None if there is nothing to sum up.

    One transaction and one change; slow work is done before. Raises NotFound for a session that was neither
    started nor written to; Refused for an untrusted origin if anything in it is the owner's.
    """
    marks = _marks(memories)
    if session not in marks:
        require_session(memories, session, live=False)
    _check_end(memories, session, marks, read_session(memories, session).whole)
    whole = memories
    if not memories.shared_change:
        whole = memories.as_one_change(memories.change_id(), memories.origin)
    for _ in range(_TRIES):
        folds = list(prepared_folds(whole, session, summarise=summarise))
        with suppress(_Overtaken), memories.store.writing():
            if not all(put_fold(whole, each) for each in folds):
                raise _Overtaken
            _mark(memories, session, ended_at=memories.now())
            if session_and_task.names_at_hand(memories).session == session:
                session_and_task.put_at_hand(memories, session=None)
            break
    else:
        raise StoreBusy(f"others are writing to the session {session!r:.60} just now", advice="try again")
    return read_session(memories, session).summary


class _Overtaken(Exception):
    """Raised if another process folded, or forgot, a turn while its summary was made; then it is retried."""


def _check_end(scope: Scope, session: str, marks: Mapping[str, _Mark], episodes: Sequence[Memory]) -> None:
    """Raise Refused if an untrusted origin would end what is the owner's."""
    own = all(scope.is_own(each.untrusted_origin) for each in episodes)
    if session in marks:
        own = own and scope.is_own(marks[session].origin)
    scope.require(SESSION, Deed.END, f"the session {session!r:.60}", own=own)


def require_own(scope: Scope, session: str, episodes: Sequence[Memory]) -> None:
    """Raise Refused for an untrusted origin if a session of these episodes is the owner's."""
    _check_end(scope, session, _marks(scope), episodes)


def _is_ones_own(scope: Scope, mark: _Mark) -> bool:
    return not scope.is_untrusted or scope.is_own(mark.origin)


def clear_session(memories: Memories, session: str) -> list[Memory]:
    """Forget a session's live episodes softly, its summary too; return them."""
    episodes = read_session(memories, session).whole
    require_own(memories, session, episodes)
    with memories.store.writing():
        memories.store.drop_state(memories.space, areas.SESSION.name, session)
        return memories.end([episode.id for episode in episodes], f"session {session} cleared")


def list_sessions(scope: Scope) -> list[SessionOverview]:
    """Return the sessions with live episodes in the space, and those just started, last used first."""
    found: dict[str, list[Memory]] = {}
    for episode in scope.store.select(scope.within(kinds=("episode",))):
        if episode.session:
            found.setdefault(episode.session, []).append(episode)
    marks = _marks(scope)
    begun = [name for name, mark in marks.items() if mark.started_at and not mark.ended_at]
    for name in begun:
        found.setdefault(name, [])
    at_hand = session_named(scope)
    overviews = [
        _overview(name, episodes, marks.get(name, _Mark()), name == at_hand)
        for name, episodes in found.items()
    ]
    return sorted(overviews, key=lambda each: (each.last_at, each.session), reverse=True)


def _overview(session: str, episodes: Sequence[Memory], mark: _Mark, at_hand: bool) -> SessionOverview:
    instants = [episode.happened_at for episode in episodes]
    instants += [mark.started_at] if mark.started_at and not instants else []
    turns = sum(turn_role(episode) != SUMMARY for episode in episodes)
    # Writing to an ended session continues it.
    goes_on = mark.ended_at and any(episode.created_at > mark.ended_at for episode in episodes)
    ended_at = None if goes_on else mark.ended_at
    return SessionOverview(
        session=session, episodes=turns, first_at=min(instants), last_at=max(instants),
        summarised=turns < len(episodes), current=at_hand and ended_at is None, ended_at=ended_at,
        trusted=any(each.trusted for each in episodes) or bool(mark.started_at and not mark.origin),
        undated=bool(episodes) and all("undated" in each.data for each in episodes),
    )  # fmt: skip


# Appending


def append_turn(
    memories: Memories, draft: Draft, *, resolves: str | None = None, later: bool = False
) -> LoggedTurn:
    """Add a turn to its session, else to the current one; `draft.data` holds its role.

    `resolves` names the error that this resolves: each gets the other's id. The turn is kept without a
    vector if the model cannot be used, or with `later`; `mem reindex --missing` adds it. When the session
    exceeds its budget, older turns are folded. Raises BadInput, NotFound, StoreUnusable.
    """
    role = check_choice("role", str(draft.data.get("role", "user")), ROLES)
    text, extra = _kept_text(memories, draft.text, role)
    session = session_named(memories, draft.session)
    error = None if resolves is None else _error(memories, resolves)
    data = {**draft.data, "role": role, **extra, **({"resolves": error.id} if error else {})}
    # An origin that the draft names overrides the configured one.
    origin = memories.origin if draft.origin == "cli" else memories.signed(draft.origin)
    whole = replace(draft, text=text, kind="episode", session=session, data=data, origin=origin)
    turn, notes = vetted_memory(memories, new_memory(memories, whole))
    vectors, middles, gap = read_turns(memories, [turn], later=later)
    if vectors and role in _OWN_WORDS:
        turn = with_judged_notes(memories, turn, middles.get(turn.id))
    with memories.store.writing():
        check_flood(memories, "turns", _logged_today(memories), TURNS)
        change = memories.change("add", door=origin)
        put_turns(memories, [turn], change, vectors)
        for each in memories.store.get([error.id]) if error else ():
            resolved = replace(each, data={**each.data, "resolved_by": turn.id}, updated_at=turn.created_at)
            memories.store.put([resolved], change._replace(action="resolve"), turn.created_at)
    summary = None
    with suppress(StoreBusy):  # the turn is kept: after an error its caller would log it again
        summary = fold_turns_if_due(memories, session, later=later)
    return LoggedTurn(turn, gap, summary, notes)


def _logged_today(memories: Memories) -> Iterator[datetime]:
    """Yield when this origin logged turns today; nothing if there are too few to exceed the limit."""
    since = beginning_of_day(memories.now())
    where = Filter(spaces=(memories.space,), kinds=("episode",), live=False, created_since=since)
    if sum(number for _, _, number in memories.store.count(where)) >= memories.config[TURNS]:
        for memory in memories.store.select(where):
            if memory.origin == memories.origin and memory.session:
                yield memory.created_at


def _kept_text(scope: Scope, text: str, role: str) -> tuple[str, dict[str, int]]:
    limit = scope.config["output_limit"]
    if role not in OUTPUT_ROLES or len(text) <= limit:
        return text, {}
    check_text(text, max_bytes=4 * len(text))
    return condense(text, limit), {"length": len(text)}


def _error(scope: Scope, fragment: str) -> Memory:
    error = scope.find(fragment)
    scope.check_change([error], "resolving", door=SESSION)
    if error.space != scope.space:
        raise NotFound(f"no memory {fragment!r:.60} in the space {scope.space}")
    if error.kind != "episode" or turn_role(error) != "error":
        raise BadInput(
            f"{ids.short_id(error.id)} is not an error",
            by_hand="--resolves names one that was logged as `error`",
        )
    return error


# The record of a session beside its episodes


class _Mark(NamedTuple):
    """When a session was started or ended; and the untrusted origin that did so, if it was one."""

    started_at: datetime | None = None
    ended_at: datetime | None = None
    origin: str | None = None


def _marks(scope: Scope) -> dict[str, _Mark]:
    return {
        state.key: _Mark(
            _instant(state.value.get("started_at")),
            _instant(state.value.get("ended_at")),
            state.value.get("origin"),
        )
        for state in scope.store.states((scope.space,), areas.SESSION.name)
    }


def _instant(text: str | None) -> datetime | None:
    return times.from_iso(text) if text else None


def _mark(scope: Scope, session: str, **instants: datetime | None) -> None:
    now = scope.now()
    with scope.store.writing():
        state = states.read_state(scope.store, scope.space, areas.SESSION.name, session)
        changed = {name: times.to_iso(at) if at else None for name, at in instants.items()}
        before = {name: value for name, value in (state.value if state else {}).items() if name != "origin"}
        value = {**before, **changed, **({"origin": scope.origin} if scope.is_untrusted else {})}
        states.write_state(scope.store, scope.space, areas.SESSION.name, session, value, now)
