"""Episodes: what happened, one memory each, and the record that they form of a session.

A turn is an episode with a role; it is a record, not knowledge, so two equal ones stay two. Raw turns
expire `turn_ttl` after they were written, and only once they are folded: `memcli.tiers.sessions.folding`
sets their expiry, nothing else does. Kept and imported turns, and everything that is no turn (decisions,
errors, notes, events), do not expire.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from memcli.errors import ModelUnusable, NotFound
from memcli.memories import Memories
from memcli.memory_data import is_folded
from memcli.messages import Command, message
from memcli.model import SUMMARY, TURN_ROLES, Change, Memory, speaker_of
from memcli.named_tuple import NamedTuple
from memcli.prompt.budget import estimate_tokens
from memcli.scope import Scope
from memcli.storage import Vectors
from memcli.write_policy.direct import put_embedded

if TYPE_CHECKING:
    from memcli.embedding import Floats

# The tokens of a message's JSON frame: {"role":"assistant","content":"…"}
FRAME = 13


class SessionRecord(NamedTuple):
    """A session's live episodes in time order, and the summaries of what was folded.

    Trusted and untrusted turns are summarised separately: `summary` is the only summary, or the trusted one
    of two.
    """

    summary: Memory | None
    turns: list[Memory]
    untrusted_summary: Memory | None = None

    @property
    def summaries(self) -> list[Memory]:
        """The summaries that exist."""
        return [each for each in (self.summary, self.untrusted_summary) if each]

    @property
    def whole(self) -> list[Memory]:
        """All of it: the summaries, then the turns."""
        return [*self.summaries, *self.turns]

    @property
    def unfolded(self) -> list[Memory]:
        """The turns that no summary covers."""
        return [turn for turn in self.turns if not (is_folded(turn) and self.summary_like(turn))]

    @property
    def trusted(self) -> SessionRecord:
        """This record without untrusted episodes."""
        told = self.summary if self.summary and self.summary.trusted else None
        return SessionRecord(told, [turn for turn in self.turns if turn.trusted])

    def summary_like(self, turn: Memory) -> Memory | None:
        """Return the summary for turns of this one's trust; None if there is none yet."""
        return next((each for each in self.summaries if each.trusted == turn.trusted), None)


def turn_role(turn: Memory) -> str:
    """Return the role of a turn in its session's record; an episode without a role is a note."""
    return speaker_of(turn) or "note"


def turns_covered(summary: Memory | None) -> int:
    """Return how many turns a summary covers; 0 without one, or if an import does not say."""
    turns = summary.data.get("turns") if summary else None
    return turns if isinstance(turns, int) and turns > 0 else 0


def turn_cost(turn: Memory) -> int:
    """Return the tokens that a turn takes as a message, by `prompt.budget.estimate_tokens`.

    Always by the estimate, whether or not a tokenizer happens to be loaded: every process must fold at the
    same point.
    """
    return estimate_tokens(turn.text) + FRAME


def is_raw_turn(turn: Memory) -> bool:
    """True if it expires once it is folded."""
    return turn_role(turn) in TURN_ROLES and not turn.data.get("keep") and turn.source != "imported"


def read_session(scope: Scope, session: str, *, live: bool = True) -> SessionRecord:
    """Return a session's episodes; with `live=False` expired and forgotten ones too."""
    where = scope.within(kinds=("episode",), sessions=(session,), live=live)
    episodes = sorted(scope.store.select(where), key=lambda each: (each.happened_at, each.id))
    turns = [each for each in episodes if turn_role(each) != SUMMARY]
    summaries = [each for each in episodes if turn_role(each) == SUMMARY and each.ended_at is None]
    newest = {each.trusted: each for each in sorted(summaries, key=lambda each: each.id)}
    first = newest.get(True) or newest.get(False)
    return SessionRecord(first, turns, newest.get(False) if first and first.trusted else None)


def require_session(
    scope: Scope, session: str, *, live: bool = True, trusted_only: bool = False
) -> SessionRecord:
    """Return a session's episodes as `read_session` does, with `trusted_only` the trusted ones.

    Raises NotFound if there are none.
    """
    record = read_session(scope, session, live=live)
    if trusted_only and record.whole:
        record = record.trusted
        if not record.whole:
            raise NotFound(f"nothing in the session {session!r:.60} is trusted")
    if not record.whole and live and read_session(scope, session, live=False).whole:
        raise NotFound(
            f"nothing of the session {session!r:.60} is left: it was cleared, forgotten, or has expired",
            by_hand=message(Command(f"session show {shlex.quote(session)} --ended"), " shows what was there"),
        )
    if not record.whole:
        from memcli.text.spelling import did_you_mean

        meant = did_you_mean(session, session_names(scope))
        raise NotFound(
            f"no session {session!r:.60}",
            advice=meant,
            by_hand=message(Command("session list"), " shows them"),
        )
    return record


def session_names(scope: Scope) -> set[str]:
    """Return the names of all sessions that memories of the space belong to."""
    found = scope.store.select(scope.within(at=None, live=False))
    return {memory.session for memory in found if memory.session}


class TurnReadings(NamedTuple):
    """Vectors of turns by id, and of the middle layer, if the judges know the model; or why not (`gap`)."""

    vectors: dict[str, Vectors]
    middles: dict[str, Floats]
    gap: str | None = None


def read_turns(memories: Memories, turns: Sequence[Memory], *, later: bool = False) -> TurnReadings:
    """Embed turns, if a model is available: a record is kept in any case."""
    if later:
        return TurnReadings({}, {}, "left for later")
    try:
        return TurnReadings(*memories.model.read(turns))
    except ModelUnusable as error:
        return TurnReadings({}, {}, str(error))


def put_turns(
    memories: Memories, turns: Sequence[Memory], change: Change, vectors: Mapping[str, Vectors]
) -> None:
    """Write turns with the vectors there are; without any they are wanting."""
    if vectors:
        put_embedded(memories, memories.model, turns, change, vectors)
    else:
        memories.store.put(turns, change, memories.now())
