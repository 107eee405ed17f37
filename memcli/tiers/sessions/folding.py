"""Folding: merge older turns of a session into its summary, and set their expiry.

The summary is an episode of the session too: it names the turns that it folds and supersedes the summary
before it. A fold gives the raw turns their expiry.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

from memcli.doors import SESSION, Deed
from memcli.memories import Memories
from memcli.memory_data import FOLDED, FOLDS, is_folded
from memcli.model import SUMMARY, Filter, Memory
from memcli.named_tuple import NamedTuple
from memcli.scope import Scope
from memcli.storage import Vectors
from memcli.tiers.sessions.episodes import (
    SessionRecord,
    is_raw_turn,
    put_turns,
    read_session,
    read_turns,
    turn_cost,
    turn_role,
    turns_covered,
)
from memcli.tiers.sessions.extracts import Summariser, SummaryRequest, extractive_summary
from memcli.write_policy.drafts import Draft, new_memory

# The largest share of a session's budget for its summary.
SUMMARY_SHARE = 1 / 8


def fold_turns_if_due(
    memories: Memories, session: str, *, summarise: Summariser = extractive_summary, later: bool = False
) -> Memory | None:
    """Fold if the session has exceeded its share of the budget, or its number of episodes.

    Beyond `session_limit` live episodes the oldest raw turns expire at once, folded.
    """
    keep, limit = memories.config["fold_keep"], memories.config["session_limit"]
    where = memories.within(kinds=("episode",), sessions=(session,))
    crowd = sum(number for _, _, number in memories.store.count(where)) - limit
    oldest: list[Memory] = []
    if crowd > 0:
        record = read_session(memories, session)
        raw = [turn for turn in _ones_own(memories, record, record.turns) if is_raw_turn(turn)]
        # A first fold adds a summary. A tenth more than needed, so that not every turn folds again.
        least = crowd + (record.summary is None)
        oldest = raw[: max(least, min(least + limit // 10, len(raw) - keep))]
        # If many do not expire, the oldest raw turns may be among the newest few.
        gone = {turn.id for turn in oldest}
        last = max((n for n, turn in enumerate(record.unfolded, 1) if turn.id in gone), default=0)
        keep = min(keep, len(record.unfolded) - last)
    summary = None
    if any(not is_folded(turn) for turn in oldest) or _budget_passed(memories, where, keep):
        summary = fold_turns(memories, session, keep=keep, summarise=summarise, later=later)
    if oldest:
        now = memories.now()
        with memories.store.writing():
            expired = [
                replace(turn, expires_at=now, updated_at=now)
                for turn in memories.store.get([turn.id for turn in oldest])
                if is_folded(turn) and is_raw_turn(turn)
            ]
            change = memories.change("expire", f"over {limit} episodes", door="folding")
            memories.store.put(expired, change, now)
    return summary


def fold_turns(
    memories: Memories,
    session: str,
    *,
    keep: int = 0,
    summarise: Summariser = extractive_summary,
    later: bool = False,
) -> Memory | None:
    """Fold all unfolded turns but the newest `keep` into a new summary, which is returned.

    Untrusted ones go into a summary of their own, and an untrusted origin folds no others. None if there is
    nothing to fold, or if another process was first. Slow work, including an LLM's, is done before the
    transaction.
    """
    made = [
        put_fold(memories, each)
        for each in prepared_folds(memories, session, keep=keep, summarise=summarise, later=later)
    ]
    return next(filter(None, made), None)


class PreparedFold(NamedTuple):
    """A new summary with its vectors, and the turns that it will cover; not written yet."""

    summary: Memory
    before: Memory | None
    """The summary that it replaces."""
    turns: Sequence[Memory]
    vectors: Mapping[str, Vectors]


def prepared_folds(
    memories: Memories,
    session: str,
    *,
    keep: int = 0,
    summarise: Summariser = extractive_summary,
    later: bool = False,
) -> Iterator[PreparedFold]:
    """Do the slow part of `fold_turns`: yield a fold each for trusted and untrusted turns; write nothing."""
    record = read_session(memories, session)
    turns = _ones_own(memories, record, record.unfolded[: max(len(record.unfolded) - keep, 0)])
    for some in alike_turns(turns):
        before = record.summary_like(some[0])
        summary = _summary(memories, session, before, some, summarise)
        vectors = read_turns(memories, [summary], later=later).vectors
        yield PreparedFold(summary, before, some, vectors)


def put_fold(memories: Memories, fold: PreparedFold) -> Memory | None:
    """Write a fold, in one transaction; return its summary, None if another process was first."""
    summary, before, turns = fold.summary, fold.before, fold.turns
    change = memories.change("fold", door="folding")
    with memories.store.writing():
        fresh = read_session(memories, str(summary.session))
        known = {turn.id: turn for turn in fresh.unfolded}
        now_before = fresh.summary_like(turns[0])
        first = (now_before and now_before.id) == (before and before.id)
        if not first or any(turn.id not in known for turn in turns):
            return None
        put_turns(memories, [summary], change, fold.vectors)
        folded = [_folded(memories, known[turn.id], summary) for turn in turns]
        memories.store.put(folded, change, summary.created_at)
        if before:
            memories.end([before.id], f"folded into {summary.id}", "folded", summary.id)
    return summary


def alike_turns(turns: Sequence[Memory]) -> list[list[Memory]]:
    """Return turns grouped for folding: the trusted ones, then the others, without empty groups."""
    both = [[turn for turn in turns if turn.trusted is trusted] for trusted in (True, False)]
    return [some for some in both if some]


def _ones_own(scope: Scope, record: SessionRecord, turns: Sequence[Memory]) -> Sequence[Memory]:
    """Return the turns that this origin may fold, so that a flood of untrusted ones displaces no others.

    None of them if the summary that would be replaced is not its own.
    """
    if not scope.is_untrusted:
        return turns
    own = [turn for turn in turns if SESSION.lets(Deed.END, own=scope.is_own(turn.untrusted_origin))]
    before = record.summary_like(own[0]) if own else None
    return own if before is None or scope.is_own(before.untrusted_origin) else []


def summary_room(scope: Scope) -> int:
    """Return the tokens that a summary may take."""
    return int(scope.config["session_budget"] * SUMMARY_SHARE)


def _summary(
    memories: Memories, session: str, before: Memory | None, turns: Sequence[Memory], summarise: Summariser
) -> Memory:
    covered = turns_covered(before)
    trusted = turns[0].trusted
    text = summarise(
        SummaryRequest(before.text if before else "", covered, turns, summary_room(memories), trusted)
    )
    return new_memory(
        memories,
        Draft(
            text=text or f"{covered + len(turns)} turns", kind="episode", session=session,
            source="merged", happened_at=turns[-1].happened_at,
            origin="folding" if trusted else turns[-1].origin, trusted=trusted,
            supersedes=before.id if before else None,
            data={"role": SUMMARY, "turns": covered + len(turns), FOLDS: [turn.id for turn in turns]},
        ),
    )  # fmt: skip


def _folded(scope: Scope, turn: Memory, summary: Memory) -> Memory:
    """Return the turn as folded: from now on it may expire."""
    now = summary.created_at
    expires_at = turn.expires_at
    if expires_at is None and is_raw_turn(turn):
        expires_at = max(turn.created_at + timedelta(seconds=scope.config["turn_ttl"]), now)
    return replace(turn, data={**turn.data, FOLDED: summary.id}, expires_at=expires_at, updated_at=now)


def _budget_passed(scope: Scope, where: Filter, keep: int) -> bool:
    """True if summary and unfolded turns exceed their share of the budget.

    Read from the newest back, no further than to the first folded turn.
    """
    allowed = scope.config["session_budget"] * scope.config["fold_at"]
    spent = unfolded = 0
    summarised = False
    for episode in scope.store.select(where):
        if summarised and is_folded(episode):
            return False
        summarised = summarised or turn_role(episode) == SUMMARY
        unfolded += turn_role(episode) != SUMMARY
        spent += turn_cost(episode)
        if spent > allowed and unfolded > keep:
            return True
    return False
