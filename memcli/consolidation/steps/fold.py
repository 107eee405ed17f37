"""Fold step: summarise closed sessions, before any of their turns may expire.

A session is closed once it was ended, or nobody wrote to it for `turn_ttl`. Sessions still to be folded are
kept as state, so that a run looks only at those.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from memcli import times
from memcli.consolidation import bookmarks
from memcli.consolidation.folds import planned_summaries
from memcli.consolidation.proposals import Proposal, proposal
from memcli.consolidation.step import Portion, Step, StepContext
from memcli.model import Memory, speaker_of
from memcli.scope import Scope
from memcli.storage import areas
from memcli.text.counting import counted
from memcli.tiers.sessions.episodes import SessionRecord, read_session


class FoldStep(Step):
    """Folds sessions; an LLM's summaries are stored in a plan, so that carrying it out asks no LLM."""

    name = "fold"
    does = "gives closed sessions a summary that names its turns"
    actions = ("fold",)

    def propose(self, run: StepContext) -> Iterator[Portion]:
        """Yield a fold for each session that is closed and has turns without a summary."""
        scope, now = run.memories, run.memories.now()
        found = run.news(self, bookmarks.last_line_read(scope, self.name))
        turns = run.live([memory for _, memory in found.numbers])
        sessions = {*bookmarks.open_sessions(scope), *_sessions_of(turns)}

        def note_found() -> None:
            bookmarks.note_open_sessions(scope, sessions)
            bookmarks.note_line_read(scope, self.name, found.read_to)

        if found.numbers:
            yield Portion(note=note_found)
        left = set(sessions)
        for session in sorted(sessions):
            if run.over():
                break
            yield Portion([self._planned(run, each) for each in _folds(scope, session, now)])
            if not _unfolded(read_session(scope, session)):
                left.discard(session)
        if left != sessions:
            yield Portion(note=lambda: bookmarks.note_open_sessions(scope, left))

    def _planned(self, run: StepContext, asked: Proposal) -> Proposal:
        if not (run.dry_run and run.reasoner):
            return asked
        session = asked.fold["session"]
        summaries = planned_summaries(run.memories, session, run.summariser(self.name))
        return asked._replace(data={**asked.data, "summaries": summaries})


def _folds(scope: Scope, session: str, now: datetime) -> Iterator[Proposal]:
    turns = _unfolded(read_session(scope, session))
    if turns and _closed(scope, turns, now):
        why = f"session {session} closed, {counted(len(turns), 'turn')} without a summary"
        yield proposal(FoldStep.name, "fold", turns, why, session=session)


def _sessions_of(some: Sequence[Memory]) -> set[str]:
    """Return the sessions of the turns among these memories."""
    return {each.session for each in some if each.session and _is_turn(each)}


def _unfolded(record: SessionRecord) -> list[Memory]:
    return record.unfolded if any(_is_turn(turn) for turn in record.unfolded) else []


def _is_turn(memory: Memory) -> bool:
    """True for somebody's words, as opposed to a note that happens to name a session."""
    return memory.kind == "episode" and speaker_of(memory) != ""


def _closed(scope: Scope, turns: Sequence[Memory], now: datetime) -> bool:
    """True if the last of these turns is older than `turn_ttl`, or the session was ended."""
    quiet = timedelta(seconds=scope.config["turn_ttl"])
    return max(turn.created_at for turn in turns) + quiet <= now or _ended(scope, turns)


def _ended(scope: Scope, turns: Sequence[Memory]) -> bool:
    """True if the owner ended the session and no turn was written after that."""
    states = scope.store.states((scope.space,), areas.SESSION.name, turns[0].session)
    ended = next((state.value.get("ended_at") for state in states), None)
    if not isinstance(ended, str) or not ended:
        return False
    return times.from_iso(ended) >= max(turn.created_at for turn in turns)


STEP = FoldStep()
