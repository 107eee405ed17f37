"""What a recall is asked with, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from memcli.model import Memory
from memcli.named_tuple import NamedTuple
from memcli.prompt.formats import FOUND_BY, FOUND_BY_TIME
from memcli.recall.ranking import floor
from memcli.recall.ranking.floor import Evidence
from memcli.recall.ranking.signals import Weights

if TYPE_CHECKING:
    from memcli.recall.candidates import SearchVectors
    from memcli.recall.ranking.attribution import Attribution
    from memcli.recall.ranking.landmarks import Landmark
    from memcli.text.question import Question


# Where the evidence is what an answer shows at least (`floor.expected_evidence`): from here on a
# memory is forgotten by a question, or comes along as a warning.
CLEAR_SCORE = 0.5
# In a small store one question has one answer: no more than so many are shown, or a tenth of its memories.
FEWEST, _TENTH = 3, 10
# Where none surely answers no more than so many of the nearest. (Of 160 questions for a newer value in other
# words, six languages, 89 are told it by five, 83 by three.)
_WEAK = 5
# So many of those that are left out are told of.
MISSES = 5


def few_of(total: int) -> int:
    """How many memories may answer one question together, in a store of so many."""
    return max(FEWEST, total // _TENTH)


def weak_limit(total: int) -> int:
    """How many are shown of a store of so many where none surely answers."""
    return min(_WEAK, few_of(total))


class RankingSettings(NamedTuple):
    """How to rank; the defaults are the program's.

    What scores less than `min_score` is no answer, and comes only as the newer value of what is one; 0
    means no floor at all. Where it answers less surely than `min_sure`, the
    answer is weak: no more than `weak_limit` hits, and marked. `whole`: the
    limit was asked for, and what lies far behind the best is shown up to it.
    `common` is the vector of what all that the model makes has in common, which
    is taken off before anything is measured; empty: nothing is.
    """

    limit: int = 10
    whole: bool = False
    min_score: float = 0.2
    min_sure: float = 0.5
    weights: Weights = Weights()
    calibration: floor.Calibration = floor.DEFAULT_CALIBRATION
    diverse: bool = True
    tasks: Sequence[str] = ()
    common: bytes = b""


class Hit(NamedTuple):
    """A memory that was found, and why it stands where it does.

    `score` (0 to 1) says how likely it is an answer; `words` (0 to 1) and
    `meaning` (a cosine) are what the two searches say; `parts` holds each
    signal times its weight and each factor, which add up to `total`, by which
    hits are ranked. `updated_by` is the id of what stands before it on the page
    and probably gives what it says another value; `found_as` that of an older one
    whose place it took, by which it was found rather than by its own words.
    """

    memory: Memory
    score: float
    words: float | None
    meaning: float | None
    parts: dict[str, float]
    total: float
    updated_by: str | None = None
    found_as: str | None = None

    @property
    def found_by(self) -> list[str]:
        """Which of `words` and `meaning` found it; `time` where a time alone was asked for."""
        scores = (self.words, self.meaning)
        found = [name for name, score in zip(FOUND_BY, scores, strict=True) if score is not None]
        return found or [FOUND_BY_TIME]


class MissReason(NamedTuple):
    """Why a memory is left out, and what exactly stands against it."""

    name: Literal[
        "below the floor",
        "beyond the limit",
        "far behind the best",
        "nearly the same as a better one",
        "over the budget",
        "forgotten",
        "superseded",
        "expired",
        "no longer true",
        "filtered",
        "other space",
    ]
    detail: str = ""


class Miss(NamedTuple):
    """A memory that came near and is not among the hits, and why."""

    hit: Hit
    reason: MissReason


def beyond_limit(hits: Sequence[Hit], limit: int) -> list[Miss]:
    """The first of the hits, best first, that a limit leaves out."""
    return [Miss(hit, MissReason("beyond the limit")) for hit in hits[limit : limit + MISSES]]


class Inquiry(NamedTuple):
    """A question as it was understood and embedded, with all else that it is judged by, whatever the filter.

    `share` is the part of the memories asked that holds each word that may be a
    name; `search`, the vectors, is None where meaning is not searched.
    """

    question: Question
    share: Mapping[str, float]
    search: SearchVectors | None
    landmark: Landmark | None
    now: datetime
    settings: RankingSettings


class Recall(NamedTuple):
    """The answer to a question: hits, best first; `degraded` says why meaning was not searched.

    Where some of it was, and the rest by words only, it is degraded `partly`.
    `misses` are the nearest that are not among the hits, `landmark` the event
    by which the question told its time, `evidence` and `least` (the score
    asked for) what the floor judged by. By its `inquiry` the same is asked
    again of other memories; what is like a memory has none. `past` is the time
    gone by that was asked about: what was true then is among the hits. `weak`:
    the hits are near, and none of them surely answers (`sureness`, 0 to 1), or
    what fits best was said by another than the question names (`attribution`).
    `left_off` says what of the question was not looked at.
    """

    query: str
    hits: list[Hit]
    candidates: int
    degraded: str | None = None
    misses: Sequence[Miss] = ()
    evidence: Evidence | None = None
    landmark: Landmark | None = None
    least: float = 0.0
    inquiry: Inquiry | None = None
    past: tuple[datetime, datetime] | None = None
    partly: bool = False
    weak: bool = False
    sureness: float | None = None
    attribution: Attribution | None = None
    left_off: str | None = None

    @property
    def zone(self) -> Literal["sure", "weak", "none"]:
        """Which of the three answers it is."""
        return "none" if not self.hits else "weak" if self.weak else "sure"
