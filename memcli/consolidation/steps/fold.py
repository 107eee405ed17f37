"""Folding closed sessions: a summary that names its turns, before any of them may expire.

A session is closed once it was ended, or nobody wrote to it for `turn_ttl`.
Which ones are open is kept as state, so that a night looks only at those.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from memcli import times
from memcli.consolidation.proposals import Proposal, proposal
from memcli.errors import BadInput
from memcli.memories import Memories, batched, ids_of
from memcli.model import Memory
from memcli.scope import Scope
from memcli.tiers.sessions.episodes import TURNS, Record, covered_by, read, role_of
from memcli.tiers.sessions.extracts import Fold, Summariser, extract
from memcli.tiers.sessions.folding import fold, summary_room

# One fold is one transaction: so many turns are folded at once.
AT_ONCE = 100


def sessions_of(some: Sequence[Memory]) -> set[str]:
    """The sessions that turns among these memories belong to."""
    return {each.session for each in some if each.session and _is_turn(each)}


def propose(scope: Scope, now: datetime, sessions: Sequence[str]) -> Iterator[Proposal]:
    """A fold for each of these sessions that is closed and has turns without a summary."""
    for session in sessions:
        turns = _unfolded(read(scope, session))
        if turns and closed(scope, turns, now):
            why = f"session {session} closed, {len(turns)} turns without a summary"
            yield proposal("fold", "fold", turns, why, session=session)


def waiting(scope: Scope, session: str) -> bool:
    """Whether a session still has turns without a summary."""
    return bool(_unfolded(read(scope, session)))


def closed(scope: Scope, turns: Sequence[Memory], now: datetime) -> bool:
    """Whether the last of these turns was written longer ago than turns live."""
    quiet = timedelta(seconds=scope.config["turn_ttl"])
    return max(turn.created_at for turn in turns) + quiet <= now or _ended(scope, turns)


def fold_session(memories: Memories, session: str, summarise: Summariser = extract) -> int:
    """Fold all turns of a session, some at a time; how many it were."""
    folded = 0
    while turns := read(memories, session).unfolded:
        if fold(memories, session, keep=max(len(turns) - AT_ONCE, 0), summarise=summarise) is None:
            break
        folded += min(len(turns), AT_ONCE)
    if folded and memories.config["folded_turns"] == "end":
        folded_turns = [turn.id for turn in read(memories, session).turns if "folded" in turn.data]
        for some in batched(folded_turns, AT_ONCE):
            memories.end(some, f"session {session} folded")
    return folded


def summarised(scope: Scope, session: str, summarise: Summariser) -> list[dict[str, object]]:
    """The summaries that folding a session would make, part by part, to be planned: `turns` and `text`."""
    record = read(scope, session)
    covered = covered_by(record.summary)
    before = Fold(record.summary.text if record.summary else "", covered, (), summary_room(scope))
    if record.summary and not record.summary.trusted:
        before = before._replace(previous_trusted=False)
    parts: list[dict[str, object]] = []
    for turns in batched(record.unfolded, AT_ONCE):
        text = summarise(before._replace(turns=turns))
        parts.append({"turns": ids_of(turns), "text": text})
        trusted = before.previous_trusted and all(turn.trusted for turn in turns)
        covered += len(turns)
        before = before._replace(previous=text, covered=covered, previous_trusted=trusted)
    return parts


def as_planned(parts: object) -> Summariser:
    """A summariser that says what was planned, for the turns that it was planned for; else BadInput."""
    known: dict[tuple[str, ...], str] = {}
    for part in parts if isinstance(parts, list) else ():
        if isinstance(part, dict) and isinstance(part.get("turns"), list):
            known[tuple(part["turns"])] = str(part.get("text", ""))

    def say(fold: Fold) -> str:
        try:
            return known[tuple(ids_of(fold.turns))]
        except KeyError:
            raise BadInput("its turns are others than were summarised") from None

    return say


def _unfolded(record: Record) -> list[Memory]:
    return record.unfolded if any(_is_turn(turn) for turn in record.unfolded) else []


def _is_turn(memory: Memory) -> bool:
    """Somebody's words, as against a note that happens to name its session."""
    return memory.kind == "episode" and (role_of(memory) in TURNS or "role" in memory.data)


def _ended(scope: Scope, turns: Sequence[Memory]) -> bool:
    """Whether its owner ended the session; who writes to an ended session goes on with it."""
    states = scope.store.states((scope.space,), "sessions", turns[0].session)
    ended = next((state.value.get("ended_at") for state in states), None)
    if not isinstance(ended, str) or not ended:
        return False
    return times.from_text(ended) >= max(turn.created_at for turn in turns)
