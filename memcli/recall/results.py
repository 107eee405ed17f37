"""Results: the types that a recall takes and returns, and the limits of an answer."""

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


# The score at which the evidence is what an answer shows at least (`floor.expected_evidence`): from here on a
# query of `mem forget` selects a memory, and a past failure is added to an answer as a warning.
CLEAR_SCORE = 0.5
# In a small store a question has few answers: at most so many are shown, or a tenth of its memories.
FEWEST, _TENTH = 3, 10
# A weak answer has at most so many hits. (Of 160 questions for a newer value in other words, six languages,
# 89 are answered among five hits, 83 among three.)
_WEAK = 5
# How many misses an explanation names.
MISSES = 5


def few_of(total: int) -> int:
    """Return how many memories may answer one question together, in a store of `total` memories."""
    return max(FEWEST, total // _TENTH)


def weak_limit(total: int) -> int:
    """Return how many hits a weak answer has, in a store of `total` memories."""
    return min(_WEAK, few_of(total))


class RankingSettings(NamedTuple):
    """Settings of the ranking; the defaults are the program's.

    A hit that scores less than `min_score` is no answer, and is shown only as the newer value of one; 0 means
    no floor at all. If the sureness is less than `min_sure`, the answer is weak: at most `weak_limit` hits,
    and marked. `whole`: the limit was asked for, and hits far behind the best are shown up to it. `common` is
    the vector that all embeddings of the model have in common, removed before anything is compared; empty:
    nothing.
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
    """A memory that was found, and why it has its rank.

    `score` (0 to 1) is how likely it is an answer; `words` (0 to 1) and `meaning` (a cosine) are the results
    of the two searches; `parts` holds each signal times its weight and each factor, which add up to `total`,
    by which hits are ranked. `updated_by` is the id of a hit that stands before it on the page and probably
    changes its value; `found_as` is the id of an older memory that it replaced, and by which it was found
    rather than by its own words. `over` is since when it is no longer true by its own words ("this week"), if
    that is before the question.
    """

    memory: Memory
    score: float
    words: float | None
    meaning: float | None
    parts: dict[str, float]
    total: float
    updated_by: str | None = None
    found_as: str | None = None
    over: datetime | None = None

    @property
    def found_by(self) -> list[str]:
        """Return which of `words` and `meaning` found it; `time` if only a time was asked for."""
        scores = (self.words, self.meaning)
        found = [name for name, score in zip(FOUND_BY, scores, strict=True) if score is not None]
        return found or [FOUND_BY_TIME]


class MissReason(NamedTuple):
    """Why a memory is left out, with the detail that excludes it."""

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
    """A memory that came near and is not among the hits, with the reason."""

    hit: Hit
    reason: MissReason


def beyond_limit(hits: Sequence[Hit], limit: int) -> list[Miss]:
    """Return the first of the hits, best first, that a limit leaves out."""
    return [Miss(hit, MissReason("beyond the limit")) for hit in hits[limit : limit + MISSES]]


class Inquiry(NamedTuple):
    """A parsed and embedded question with the settings to judge it by, independent of any filter.

    `share` is the share of the memories searched that holds each word that may be a name; `search`, the query
    vectors, is None if meaning is not searched.
    """

    question: Question
    share: Mapping[str, float]
    search: SearchVectors | None
    landmark: Landmark | None
    now: datetime
    settings: RankingSettings


class Recall(NamedTuple):
    """The answer to a question: hits, best first, and how they came about.

    `degraded` says why meaning was not searched; if only part of it was searched by words, the answer is
    degraded `partly`. `misses` are the nearest that are not hits, `landmark` the event by which the question
    names its time, `evidence` and `least` (the score asked for) what the floor judged by. With its `inquiry`
    the same question can be asked of other memories; a search by likeness to a memory has none. `past` is the
    past time that was asked about: what was true then is among the hits. `weak`: the hits are near, but none
    surely answers (`sureness`, 0 to 1), or the best fit was said by another than the question names
    (`attribution`). `left_off` says what part of the question was not read.
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
        """Return "sure", "weak" or "none": how sure the answer is."""
        return "none" if not self.hits else "weak" if self.weak else "sure"
