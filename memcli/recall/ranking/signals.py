"""Signals: every reason to rank a memory, in units of cosine, and its weight.

A signal depends on the memory itself: what helps a short turn of a conversation (its neighbours, its session)
is scaled by how far the memory depends on them, and is zero for a fact or a long message that stands alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from memcli.named_tuple import NamedTuple
from memcli.text.kinds import is_standing
from memcli.text.question import Question, asking_share, says_number, says_something, says_when

# The length in words at which a turn counts as half self-contained (40 to 100 rank alike).
HALF_SELF_CONTAINED = 60
# The weight, beside that of a date, of a validity that spans the time asked about. Set by hand: it puts what
# was true then before what is true now, and lifts nothing that is about something else.
PAST_SHARE = 0.5
# Words count for a turn that are within so many turns of it.
WINDOW = 3
# How far above the median candidate (0), towards the best (1), a standing instruction must be to begin to
# count, and to count in full. All but a few that BEAM asks for stand out as far, and what asks for those
# shares nothing with them (docs/measured.md).
BEGINS_TO_BEAR, BEARS = 0.1, 0.4


class Weights(NamedTuple):
    """The weight of each signal; 1 is that of the memory's own similarity to the question.

    Found by benchmarks/train.py on LoCoMo 0-4, BEAM 1-10 and PrefEval-dev together, checked by leaving one
    conversation out.
    """

    # Cosine to the question, after half of the mean of all memories is subtracted.
    meaning: float = 1.0
    # The share of the question's information that it contains; cubed outside a session, where a few shared
    # words mislead more than they help.
    words: float = 0.50
    # It was said by the person whom the question names, and has content.
    role: float = 0.36
    # It is a question itself, which is no answer.
    asking: float = -0.30
    # The question asks for a time, or a number, and it states one.
    when: float = 0.20
    number: float = 0.13
    # Similarity together with its neighbours, of its session's best turn, and words within three turns.
    context: float = 0.60
    session: float = 0.34
    window: float = 0.42
    # It was said in, or soon after, the time asked about; or was true then and is no longer.
    date: float = 0.41
    # It is a standing instruction ("Always …", "Never …"), which applies beyond its own words; scaled by how
    # far its similarity stands out.
    standing: float = 0.15


class Candidate(NamedTuple):
    """A memory that may answer the question, and what the signals are computed from.

    Meanings are cosines to the question; all 0 if meaning was not searched.
    """

    text: str
    role: str
    happened_at: datetime
    meaning: float
    meaning_around: float
    """The cosine blended with its neighbours'; its own if it has none."""
    session_best: float
    """The best cosine in its session; -1 without a session."""
    words: float
    """Coverage of the question's information, 0 to 1."""
    words_around: float
    """Coverage by all turns within WINDOW of it together."""
    in_session: bool
    leaning: float
    """How far it depends on its neighbours to be understood, 0 to 1 (`context_need`)."""
    past: bool = False
    """It is no longer true, and was at the time asked about."""
    standing_out: float = 1.0
    """Where its own cosine lies between that of the median candidate (0) and the best (1)."""


def context_need(role: str, neighbours: Sequence[str], words: int) -> float:
    """Return how far a memory depends on its neighbours, 0 to 1: 1 if short and between turns of others."""
    if not neighbours:
        return 0.0
    others = sum(neighbour != role for neighbour in neighbours) / len(neighbours)
    return others * HALF_SELF_CONTAINED**2 / (HALF_SELF_CONTAINED**2 + words**2)


def signals(question: Question, candidate: Candidate) -> Weights:
    """Return each signal of one candidate before it is weighted, by the same names as the weights."""
    c = candidate
    return Weights(
        meaning=c.meaning,
        words=c.words if c.in_session else c.words**3,
        role=float(question.names(c.role) and says_something(c.text, c.role)),
        asking=c.leaning * asking_share(c.text) if c.leaning else 0.0,
        when=float(question.asks_when and says_when(c.text)),
        number=float(question.asks_number and says_number(c.text)),
        context=c.leaning * (c.meaning_around - c.meaning),
        session=c.leaning * (max(c.session_best, c.meaning) - c.meaning),
        window=c.leaning * (c.words_around - c.words),
        date=max(_date_match(c, question) if question.dates else 0.0, PAST_SHARE * c.past),
        standing=(1 - c.leaning) * _bears(c.standing_out) if is_standing(c.text) else 0.0,
    )


def _bears(standing_out: float) -> float:
    """Return how far an instruction bears on what is asked, 0 to 1: one about something else is no answer."""
    return min(1.0, max(0.0, (standing_out - BEGINS_TO_BEAR) / (BEARS - BEGINS_TO_BEAR)))


def _date_match(c: Candidate, question: Question) -> float:
    # Few questions name a time.
    from memcli.recall.ranking.dates import date_match

    return date_match(c.happened_at, question.dates)


def weighed_signals(found: Weights, weights: Weights) -> dict[str, float]:
    """Return each signal times its weight, by name; candidates are ranked by the sum."""
    pairs = zip(Weights._fields, found, weights, strict=True)
    return {name: value * weight for name, value, weight in pairs}
