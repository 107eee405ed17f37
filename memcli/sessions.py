"""Sessions: what was said and done, in time order, folded into a summary as it grows.

A turn is a memory of kind episode with a role; it is a record, not knowledge,
so two alike stay two. Raw turns expire `turn_ttl` after they were written, and
only once they are folded: a fold sets their expiry, nothing else does. Kept
and imported turns, and all that is no turn (decisions, errors, notes, events),
do not expire. The summary is an episode of the session as well: it names the
turns that it folds and supersedes the summary before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import count
from typing import NamedTuple

from memcli import current, ids, times
from memcli.budget import estimate
from memcli.drafts import Draft, check_name, check_text, one_of
from memcli.errors import BadInput, ModelUnusable, NotFound
from memcli.folding import Fold, Summariser, extract, shorten
from memcli.memories import Memories
from memcli.model import Change, Filter, Memory, State
from memcli.storage import Vectors

TURNS = ("user", "assistant", "system", "tool")
NOTES = ("decision", "error", "note", "event")
ROLES = (*TURNS, *NOTES)
SUMMARY = "summary"
# What may be long for no good reason, and is kept in extract.
_OUTPUTS = ("tool", "error")
# A summary takes up to this part of the session's budget.
SUMMARY_SHARE = 1 / 8
# Tokens that a message's frame takes as JSON: {"role":"assistant","content":"…"}
FRAME = 13
# Started and ended sessions, by name: {"started_at", "ended_at"}.
_AREA = "sessions"


class Logged(NamedTuple):
    """An appended turn; why it has no vector yet, and the summary that it set off, if any."""

    turn: Memory
    gap: str | None = None
    summary: Memory | None = None


class Overview(NamedTuple):
    """One session in a list; `episodes` are the live ones, the summary not counted."""

    session: str
    episodes: int
    first_at: datetime
    last_at: datetime
    summarised: bool
    current: bool
    ended_at: datetime | None


class Record(NamedTuple):
    """A session's live episodes in time order, and the summary of what was folded."""

    summary: Memory | None
    turns: list[Memory]

    @property
    def unfolded(self) -> list[Memory]:
        """The turns for which no summary stands."""
        return [turn for turn in self.turns if not (self.summary and "folded" in turn.data)]


def role_of(turn: Memory) -> str:
    """Who speaks; an episode without a role is a note."""
    role = turn.data.get("role")
    return role if isinstance(role, str) and role else "note"


def cost(turn: Memory) -> int:
    """Tokens that a turn takes as a message, by `memcli.budget.estimate`.

    By the estimate everywhere, whether or not a tokenizer happens to be
    loaded: every process must fold at the same point.
    """
    return estimate(turn.text) + FRAME


def is_raw(turn: Memory) -> bool:
    """Whether it expires once it is folded."""
    return role_of(turn) in TURNS and not turn.data.get("keep") and turn.source != "imported"


# The session at hand


def chosen(memories: Memories, session: str | None = None) -> str:
    """The session meant: the named one, the configured one, the one started here, or today's.

    Today's is named by its date, `2026-05-03`: a record needs no ceremony.
    """
    name = session or memories.config["session"] or current.current(memories.store, memories.space).session
    return check_name("session", name) if name else times.local(memories.now())[:10]


def start(memories: Memories, name: str | None = None) -> tuple[str, bool]:
    """Make a session the current one of the space: its name, and whether it is new.

    Without a name it gets one from the clock; a known one is taken up again.
    """
    now = memories.now()
    new = name is None
    if name is None:
        stem = times.local(now).replace(" ", "-").replace(":", "")
        taken = {each.session for each in listed(memories)} | set(_marks(memories))
        name = next(n for n in _numbered(stem) if n not in taken)
    else:
        name = check_name("session", name)
        new = not read(memories, name, live=False).turns
    _mark(memories, name, now, started_at=times.to_text(now), ended_at=None)
    current.change(memories.store, memories.space, now, session=name)
    return name, new


def end(memories: Memories, session: str, summarise: Summariser = extract) -> Memory | None:
    """Fold all of a session and let go of it; the summary, None where there is nothing to sum up.

    Raises NotFound for a session that was neither started nor written to.
    """
    record = read(memories, session, live=False)
    if not record.turns and session not in _marks(memories):
        raise NotFound(f"no session {session!r:.60}; `mem session list` shows them")
    fold(memories, session, keep=0, summarise=summarise)
    now = memories.now()
    with memories.store.writing():
        _mark(memories, session, now, ended_at=times.to_text(now))
        if current.current(memories.store, memories.space).session == session:
            current.change(memories.store, memories.space, now, session=None)
    return read(memories, session).summary


def clear(memories: Memories, session: str) -> list[Memory]:
    """Forget a session's live episodes, its summary too, softly; which they were."""
    record = read(memories, session)
    episodes = [*([record.summary] if record.summary else []), *record.turns]
    return memories.end([episode.id for episode in episodes], f"session {session} cleared")


def listed(memories: Memories) -> list[Overview]:
    """The sessions with live episodes in the space, the last used first."""
    at_hand = chosen(memories)
    marks = _marks(memories)
    found: dict[str, list[Memory]] = {}
    for episode in memories.store.select(memories.within(kinds=("episode",))):
        if episode.session:
            found.setdefault(episode.session, []).append(episode)
    sessions = []
    for name, episodes in found.items():
        instants = [episode.happened_at for episode in episodes]
        ended = marks.get(name, {}).get("ended_at")
        summaries = sum(role_of(episode) == SUMMARY for episode in episodes)
        sessions.append(
            Overview(
                session=name, episodes=len(episodes) - summaries, first_at=min(instants),
                last_at=max(instants), summarised=summaries > 0, current=name == at_hand,
                ended_at=times.from_text(ended) if ended else None,
            )
        )  # fmt: skip
    return sorted(sessions, key=lambda each: (each.last_at, each.session), reverse=True)


def read(memories: Memories, session: str, *, live: bool = True) -> Record:
    """A session's episodes; with `live=False` expired and forgotten ones too."""
    where = memories.within(kinds=("episode",), sessions=(session,), live=live)
    episodes = sorted(memories.store.select(where), key=lambda each: (each.happened_at, each.id))
    turns = [each for each in episodes if role_of(each) != SUMMARY]
    summaries = [each for each in episodes if role_of(each) == SUMMARY and each.ended_at is None]
    return Record(max(summaries, key=lambda each: each.id, default=None), turns)


# Appending


def append(memories: Memories, draft: Draft, *, resolves: str | None = None, later: bool = False) -> Logged:
    """Add a turn to its session, else to the session at hand; `draft.data` holds its role.

    `resolves` names the error that this resolves: each gets the other's id.
    The turn is kept without a vector where the model cannot be used, or with
    `later`; `mem reindex --missing` makes up for it. When the session passes
    its budget, older turns are folded. Raises BadInput, NotFound, StoreUnusable.
    """
    role = one_of("role", str(draft.data.get("role", "user")), ROLES)
    text, extra = _kept_text(memories, draft.text, role)
    session = chosen(memories, draft.session)
    error = _error(memories, resolves) if resolves else None
    data = {**draft.data, "role": role, **extra, **({"resolves": error.id} if error else {})}
    turn = memories.prepare(replace(draft, text=text, kind="episode", session=session, data=data))
    vectors, gap = vectors_or_gap(memories, [turn], later=later)
    with memories.store.writing():
        put(memories, [turn], Change(action="add", actor=turn.origin), vectors)
        if error:
            data = {**error.data, "resolved_by": turn.id}
            resolved = replace(error, data=data, updated_at=turn.created_at)
            memories.store.put([resolved], Change(action="resolve", actor=turn.origin), turn.created_at)
    return Logged(turn, gap, fold_if_due(memories, session, later=later))


def vectors_or_gap(
    memories: Memories, turns: Sequence[Memory], *, later: bool = False
) -> tuple[dict[str, Vectors], str | None]:
    """The vectors of turns; or none, and why not. A record is kept whether or not there is a model."""
    if later:
        return {}, "left for later"
    try:
        return memories.embed(turns), None
    except ModelUnusable as error:
        return {}, str(error)


def put(memories: Memories, turns: Sequence[Memory], change: Change, vectors: Mapping[str, Vectors]) -> None:
    """Write turns with such vectors as there are; without any they are wanting."""
    if vectors:
        memories.put(turns, change, vectors)
    else:
        memories.store.put(turns, change, memories.now())


def _kept_text(memories: Memories, text: str, role: str) -> tuple[str, dict[str, int]]:
    limit = memories.config["output_limit"]
    if role not in _OUTPUTS or len(text) <= limit:
        return text, {}
    check_text(text, max_bytes=4 * len(text))
    return shorten(text, limit), {"length": len(text)}


def _error(memories: Memories, fragment: str) -> Memory:
    error = memories.find(fragment)
    if error.space != memories.space:
        raise NotFound(f"no memory {fragment!r:.60} in the space {memories.space}")
    if error.kind != "episode" or role_of(error) != "error":
        raise BadInput(f"{ids.tail(error.id)} is no error; --resolves names one that was logged as `error`")
    return error


# Folding


def fold_if_due(
    memories: Memories, session: str, *, summarise: Summariser = extract, later: bool = False
) -> Memory | None:
    """Fold where the session has passed its part of the budget, or its number of episodes.

    Beyond `session_limit` live episodes the oldest raw turns expire at once, folded.
    """
    keep, limit = memories.config["fold_keep"], memories.config["session_limit"]
    where = memories.within(kinds=("episode",), sessions=(session,))
    crowd = sum(number for _, _, number in memories.store.count(where)) - limit
    # A tenth more, so that the next turn is not one too many again.
    oldest = read(memories, session).turns[: crowd + limit // 10] if crowd > 0 else []
    summary = None
    if any("folded" not in turn.data for turn in oldest) or _budget_passed(memories, where, keep):
        summary = fold(memories, session, keep=keep, summarise=summarise, later=later)
    if oldest:
        now = memories.now()
        with memories.store.writing():
            expired = [
                replace(turn, expires_at=now, updated_at=now)
                for turn in memories.store.get([turn.id for turn in oldest])
                if "folded" in turn.data and is_raw(turn)
            ]
            memories.store.put(expired, Change("expire", "folding", f"over {limit} episodes"), now)
    return summary


def fold(
    memories: Memories,
    session: str,
    *,
    keep: int = 0,
    summarise: Summariser = extract,
    later: bool = False,
) -> Memory | None:
    """Fold all unfolded turns but the newest `keep` into a new summary, which is returned.

    None where there is nothing to fold, or where another process was first.
    Slow work, an LLM's too, is done before the transaction.
    """
    record = read(memories, session)
    turns = record.unfolded[: max(len(record.unfolded) - keep, 0)]
    if not turns:
        return None
    summary = _summary(memories, session, record.summary, turns, summarise)
    vectors, _ = vectors_or_gap(memories, [summary], later=later)
    change = Change(action="fold", actor="folding")
    now = summary.created_at
    with memories.store.writing():
        fresh = read(memories, session)
        known = {turn.id: turn for turn in fresh.unfolded}
        first = (fresh.summary and fresh.summary.id) == (record.summary and record.summary.id)
        if not first or any(turn.id not in known for turn in turns):
            return None
        put(memories, [summary], change, vectors)
        memories.store.put([_folded(memories, known[turn.id], summary) for turn in turns], change, now)
        if record.summary:
            memories.end([record.summary.id], f"folded into {summary.id}")
    return summary


def _summary(
    memories: Memories, session: str, before: Memory | None, turns: Sequence[Memory], summarise: Summariser
) -> Memory:
    covered = int(before.data.get("turns", 0)) if before else 0
    room = int(memories.config["session_budget"] * SUMMARY_SHARE)
    text = summarise(Fold(before.text if before else "", covered, turns, room))
    return memories.prepare(
        Draft(
            text=text or f"{covered + len(turns)} turns", kind="episode", session=session,
            source="merged", origin="folding", happened_at=turns[-1].happened_at,
            trusted=all(turn.trusted for turn in turns) and (before is None or before.trusted),
            supersedes=before.id if before else None,
            data={"role": SUMMARY, "turns": covered + len(turns), "folds": [turn.id for turn in turns]},
        )
    )  # fmt: skip


def _folded(memories: Memories, turn: Memory, summary: Memory) -> Memory:
    """The turn as folded: from now on it may expire."""
    now = summary.created_at
    expires_at = turn.expires_at
    if expires_at is None and is_raw(turn):
        expires_at = max(turn.created_at + timedelta(seconds=memories.config["turn_ttl"]), now)
    return replace(turn, data={**turn.data, "folded": summary.id}, expires_at=expires_at, updated_at=now)


def _budget_passed(memories: Memories, where: Filter, keep: int) -> bool:
    """Whether summary and unfolded turns take more than their part of the budget.

    Read from the newest back, no further than to the first folded turn.
    """
    allowed = memories.config["session_budget"] * memories.config["fold_at"]
    spent = unfolded = 0
    summarised = False
    for episode in memories.store.select(where):
        if summarised and "folded" in episode.data:
            return False
        summarised = summarised or role_of(episode) == SUMMARY
        unfolded += role_of(episode) != SUMMARY
        spent += cost(episode)
        if spent > allowed and unfolded > keep:
            return True
    return False


# What is known of a session beside its episodes


def _marks(memories: Memories) -> dict[str, dict[str, str | None]]:
    return {state.key: state.value for state in memories.store.states((memories.space,), _AREA)}


def _mark(memories: Memories, session: str, now: datetime, **fields: str | None) -> None:
    with memories.store.writing():
        state = current.state_of(memories.store, memories.space, _AREA, session)
        memories.store.put_state(
            State(
                space=memories.space, area=_AREA, key=session,
                value={**(state.value if state else {}), **fields},
                version=state.version + 1 if state else 1,
                created_at=state.created_at if state else now, updated_at=now,
            )
        )  # fmt: skip


def _numbered(stem: str) -> Iterator[str]:
    yield stem
    yield from (f"{stem}-{number}" for number in count(2))
