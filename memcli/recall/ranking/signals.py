"""Every reason to rank a memory, in units of cosine, and what each weighs.

A signal earns its weight from the memory itself: what helps a short turn of a
conversation (its neighbours, its session) is scaled by how far the memory
leans on them, and is zero for a fact or a long message that stands alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from memcli.named_tuple import NamedTuple
from memcli.text.kinds import is_standing
from memcli.text.question import Question, asking_share, says_number, says_something, says_when

# Words at which a turn counts as half self-contained (40 to 100: alike).
HALF_SELF_CONTAINED = 60
# What a validity that spans the time asked about counts beside a date. Set by hand: it puts what was
# true then before what is true now, and lifts nothing that is about something else.
PAST_SHARE = 0.5
# A turn's words also count within so many turns of it.
WINDOW = 3
# Of the way from the middle candidate to the best a standing instruction lies so far, and further, where it
# begins to count as one, and where it counts in full. All but a few that BEAM asks for stand out
# as far, and what asks for those shares nothing with them (docs/measured.md).
BEGINS_TO_BEAR, BEARS = 0.1, 0.4


class Weights(NamedTuple):
    """What each signal weighs; 1 is the memory's own likeness to the question.

    Found by benchmarks/train.py on LoCoMo 0-4, BEAM 1-10 and PrefEval-dev
    together, checked by leaving one conversation out.
    """

    # Cosine to the question, after half of what all memories have in common is taken off.
    meaning: float = 1.0
    # The share of the question's information that it contains. Outside a session the
    # cube of it counts: there few shared words mislead more than they help.
    words: float = 0.50
    # Said by whom the question names, where it says something.
    role: float = 0.36
    # It asks itself: who asks does not answer.
    asking: float = -0.30
    # Asked for a time, or a number, it says one.
    when: float = 0.20
    number: float = 0.13
    # Among its neighbours, its session's best turn, words within three turns.
    context: float = 0.60
    session: float = 0.34
    window: float = 0.42
    # Said in, or soon after, the time asked about; or true then, and no longer.
    date: float = 0.41
    # A standing instruction ("Always …", "Never …"), which holds for more than its own words, as far as it
    # stands out by its meaning.
    standing: float = 0.15


class Candidate(NamedTuple):
    """A memory that may answer the question, and what is known of it.

    Meanings are cosines to the question; where meaning was not searched, all 0.
    """

    text: str
    role: str
    happened_at: datetime
    meaning: float
    meaning_around: float
    """Among its neighbours; its own where there are none."""
    session_best: float
    """The best meaning in its session; its own where there is none."""
    words: float
    """Coverage of the question's information, 0 to 1."""
    words_around: float
    """Coverage by all turns within WINDOW of it together."""
    in_session: bool
    leaning: float
    """How far it leans on its neighbours, 0 to 1."""
    past: bool = False
    """It holds no longer, and did at the time asked about."""
    standing_out: float = 1.0
    """How far it lies from the candidate in the middle (0) to the best (1) by its own meaning."""


def context_need(role: str, neighbours: Sequence[str], words: int) -> float:
    """How far a memory leans on its neighbours, 0 to 1: short, and between turns of somebody else."""
    if not neighbours:
        return 0.0
    others = sum(neighbour != role for neighbour in neighbours) / len(neighbours)
    return others * HALF_SELF_CONTAINED**2 / (HALF_SELF_CONTAINED**2 + words**2)


def signals(question: Question, candidate: Candidate) -> Weights:
    """Each signal of one candidate, before it is weighed, by the same names as the weights."""
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
    """How far an instruction bears on what is asked, 0 to 1: one of something else is no answer."""
    return min(1.0, max(0.0, (standing_out - BEGINS_TO_BEAR) / (BEARS - BEGINS_TO_BEAR)))


def _date_match(c: Candidate, question: Question) -> float:
    # Few questions name a time.
    from memcli.recall.ranking.dates import date_match

    return date_match(c.happened_at, question.dates)


def weighed_signals(found: Weights, weights: Weights) -> dict[str, float]:
    """Each signal times its weight, by name; their sum ranks."""
    pairs = zip(Weights._fields, found, weights, strict=True)
    return {name: value * weight for name, value, weight in pairs}
