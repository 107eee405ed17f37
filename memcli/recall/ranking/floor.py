"""Floor: decide whether anything relevant was found, and turn totals into scores of 0 to 1.

The sum of signals says which memory fits best. Whether any fits is judged from the question as asked, with
its names: how near the nearest memory is, what share of the words one memory holds, and whether it asks about
somebody whom no memory mentions. The scale of nearness depends on the model, so it is a calibration, which
`mem model calibrate` makes for another model.

There are two thresholds. Below the floor there is no answer. Between the floor and `min_sure` an answer is
*weak*: the nearest memories are shown and marked as no sure answer. A store nearly always holds something
near a question; whether that answers it is judged by how near it is and by what the question asks for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import exp, log

from memcli.named_tuple import NamedTuple
from memcli.text.asking import name_runs


class Evidence(NamedTuple):
    """The evidence that a store holds an answer; `meaning` is None if meaning was not searched."""

    meaning: float | None
    """Cosine of the nearest memory."""
    words: float
    """The greatest share of the question's information that one memory holds."""
    known: int
    """How many names of the question some memory holds."""
    strangers: int
    """How many names of the question no memory holds."""
    about_owner: bool
    """The question is about the owner ("what should I …", "can you suggest …"), named or not."""
    memories: int
    terms: int = 0
    """How many content terms the question has."""
    asks_measure: bool = False
    """The question asks for a number, a price, a size: one value, which a near memory need not state."""
    attribute: float = 0.0
    """The greatest share of the question's information that one memory holds in words that are no names."""
    asking: bool = True
    """It is phrased as a question; otherwise it is a category ("programming languages") or a statement."""


class Calibration(NamedTuple):
    """Calibration: the evidence from which a find is no longer chance, for one model.

    Evidence is in units of cosine for all-MiniLM-L6-v2. Evidence as strong as expected of an answer to such a
    question scores 0.5; ln(4) / slope below that scores 0.2, the least that is shown. Chosen by hand on
    several sets at once, at their sizes of 40 to 900 memories, so that at most 3 in 100 of each set's own
    questions are refused (docs/measured.md): LoCoMo 0-4, BEAM 1-10, PrefEval-dev, FriendsQA-dev, and six
    people's 40 notes with their 60 questions in four languages; against the questions of each asked of the
    others' stores.
    """

    # Expected evidence of a question about the owner ("what should I …"), of one that names nobody, and of
    # what is no question: a category or a statement, whose words say less of what is looked for.
    own: float = 0.405
    nameless: float = 0.41
    told: float = 0.385
    # Of a question with names: all known here; some of them; none.
    named: float = 0.53
    some_strangers: float = 0.51
    strangers: float = 0.64
    # The weight of the share of words that one memory holds, which counts by its fourth power: few words are
    # chance, all of them an answer. (Squared, as for `bearing` and `event`, it lets a third more of nameless
    # questions from other stores through, and keeps none of one's own.)
    words: float = 0.40
    # A larger store is more likely to hold something similar by chance: the expected evidence grows by this
    # per e-fold of memories from 500 on, and falls likewise; `small_growth` is the fall for questions without
    # names.
    growth: float = 0.02
    small_growth: float = 0.045
    slope: float = 12.0
    # The evidence from which a standing rule bears on a question (`event`: a memory may be the event it
    # names).
    bearing: float = 0.27
    # Added to `bearing` for a question for a fact (not what one may or should do), which a rule seldom
    # answers, and for a foreign language, in which a model trained on English finds all texts near
    # (benchmarks/bearing.py).
    bearing_fact: float = 0.10
    bearing_foreign: float = 0.15
    event: float = 0.42
    # The probability that the best hit answers: a logistic function of its score, of the logarithm of the
    # number of content terms, and of whether a measure is asked for that no memory names ("port"). Fitted on
    # six people's 40 notes and 60 questions, in four languages, two people a store, on the questions of
    # others asked there, and on LoCoMo 0-1, BEAM 1-4 and PrefEval-dev; the base was set by hand on the same
    # people, so that figures on them are too good (benchmarks/answers.py, and docs/measured.md for people
    # never looked at). Little or nothing was added in these fits by how far the best stands out (its cosine
    # in standard deviations of the store's, its lead over the next), by the asked words that no memory holds,
    # or by whether the best holds the rarest one.
    sure_score: float = 5.08
    sure_terms: float = 2.0
    sure_measure: float = -2.06
    sure_attribute: float = 2.41
    sure_base: float = -6.8


DEFAULT_CALIBRATION = Calibration()
# The least share of the best one's total with which a hit is shown. Measured: 0.35 costs 0.2 points of R@10
# on BEAM and PrefEval (0.4: 0.6 and 0.4), none on LoCoMo, and keeps a small store from showing all of itself.
LEAST_PART = 0.35
# The size of store, in memories, at which the calibration needs no correction.
_FITTED_AT = 500
# No smaller store was measured: below this size the expected evidence falls no further.
_SMALLEST = 30
# Without meaning six tenths of the words answer as likely as not: log 0.5 / log 0.6.
_AS_LIKELY_AS_NOT = 1.357
# From this share on a memory holds all that is asked; the question then counts as one of at least so many
# terms. At most so many are counted otherwise: in a script without spaces each pair of characters is a term.
_WHOLE, _SAYS_MUCH, _MOST_TERMS = 0.99, 5, 8
_FLOORS = ("own", "nameless", "told", "named", "some_strangers", "strangers", "bearing", "event")
# Median cosine and spread of all-MiniLM-L6-v2 on the stores of the calibration: see `rescaled_calibration`.
_MIDDLE = 0.25
_SPREAD = 0.45


def parts(totals: list[float], best: float) -> list[float]:
    """Return each total as a share of the best, 0 to 1; if the best is not positive, 1 for the first."""
    if best <= 0:
        return [float(place == 0) for place in range(len(totals))]
    return [min(max(total / best, 0.0), 1.0) for total in totals]


def acquaintances(question: str, share: Mapping[str, float]) -> list[tuple[bool, bool]]:
    """Return, for each name in a question, if a memory holds it, and if it may be a stranger's.

    A known first name is known with a further surname, too; a known surname under another first name may be a
    relative's.
    """
    names = [[share.get(word, 0.0) > 0 for word in run] for run in name_runs(question)]
    return [(any(held), not held[0]) for held in names]


def expected_evidence(evidence: Evidence, calibration: Calibration = DEFAULT_CALIBRATION) -> float:
    """Return how much evidence an answer to such a question shows at least."""
    size = log(max(_SMALLEST, evidence.memories) / _FITTED_AT)
    if not evidence.about_owner and (evidence.known or evidence.strangers):
        met = calibration.some_strangers if evidence.strangers else calibration.named
        return calibration.growth * size + (met if evidence.known else calibration.strangers)
    grown = size * (calibration.growth if size > 0 else calibration.small_growth)
    if not evidence.asking:
        return grown + calibration.told
    return grown + (calibration.own if evidence.about_owner else calibration.nameless)


def evidence_strength(evidence: Evidence, calibration: Calibration = DEFAULT_CALIBRATION) -> float:
    """Return how far the evidence exceeds what is expected, in units of cosine; negative below it."""
    found = (evidence.meaning or 0.0) + calibration.words * evidence.words**4
    return found - expected_evidence(evidence, calibration)


def bearing_strength(
    meaning: float | None,
    words: float,
    memories: int,
    calibration: Calibration,
    *,
    fact: bool = False,
    foreign: bool = False,
    of_whom: bool = False,
) -> float:
    """Return how far a rule's evidence exceeds the threshold for bearing on a question, in units of cosine.

    The threshold is not lowered for a small store: it is low already. `fact`: the question asks for a fact,
    not what to do; `foreign`: it is in a language that the model was not trained on; `of_whom`: it asks what
    to do and names somebody or something that the rule names, which lowers the threshold by what a fact
    raises it.
    """
    size = max(0.0, log(max(1, memories) / _FITTED_AT))
    found = (meaning or 0.0) + calibration.words * words**2
    raised = calibration.bearing_fact * (fact - of_whom) + calibration.bearing_foreign * foreign
    return found - calibration.bearing - raised - calibration.growth * size


def event_strength(meaning: float | None, words: float, memories: int, calibration: Calibration) -> float:
    """Return how far a memory's evidence exceeds that of the event which a phrase names, in cosines."""
    size = log(max(1, memories) / _FITTED_AT)
    found = (meaning or 0.0) + calibration.words * words**2
    return found - calibration.event - calibration.growth * size


def rescaled_calibration(middle: float, spread: float) -> Calibration:
    """Return the calibration for a model with these similarities of memories.

    `middle` is the median cosine of two unrelated memories, `spread` the distance from there to the most
    similar hundredth: what `mem model calibrate` measures on the store. The thresholds keep their place on
    that scale.
    """
    scale = spread / _SPREAD
    moved = {name: middle + (getattr(DEFAULT_CALIBRATION, name) - _MIDDLE) * scale for name in _FLOORS}
    return _stretched(scale)._replace(**moved)


def _stretched(scale: float) -> Calibration:
    stretched = {
        name: getattr(DEFAULT_CALIBRATION, name) * scale
        for name in ("words", "growth", "small_growth", "bearing_fact", "bearing_foreign")
    }
    return DEFAULT_CALIBRATION._replace(**stretched, slope=DEFAULT_CALIBRATION.slope / scale)


def rescaled_by(moved: Callable[[float], float]) -> Calibration:
    """Return the calibration for a model whose cosines are those of the default model mapped by `moved`."""
    scale = (moved(_MIDDLE + _SPREAD) - moved(_MIDDLE)) / _SPREAD
    floors = {name: moved(getattr(DEFAULT_CALIBRATION, name)) for name in _FLOORS}
    return _stretched(scale)._replace(**floors)


def best_score(evidence: Evidence, calibration: Calibration = DEFAULT_CALIBRATION) -> float:
    """Return the score of the best hit, 0 to 1; other hits are scaled down by their totals (`parts`).

    It is a logistic curve that passes 0.5 where the evidence is as expected; if meaning was not searched, the
    best share of the words.
    """
    if evidence.meaning is None:
        return evidence.words
    return 1 / (1 + exp(-calibration.slope * evidence_strength(evidence, calibration)))


def sureness(evidence: Evidence, calibration: Calibration = DEFAULT_CALIBRATION) -> float:
    """Return the probability (0 to 1) that the first hit answers, rather than being on the same subject.

    A question with many terms that is well covered is answered; one of two words ("Ann's birthday") is close
    to anything about Ann, unless one memory holds all of its words. Without a vector search, it depends on
    the share of the words. It is computed from scores, so that it needs no scale of its own for another
    model.
    """
    score = best_score(evidence, calibration)
    if evidence.meaning is None:
        return float(score**_AS_LIKELY_AS_NOT)
    terms = max(evidence.terms, _SAYS_MUCH) if evidence.words > _WHOLE else min(evidence.terms, _MOST_TERMS)
    told = calibration.sure_score * score + calibration.sure_terms * log(1 + terms)
    if evidence.asks_measure:
        told += min(0.0, calibration.sure_measure + calibration.sure_attribute * evidence.attribute)
    return 1 / (1 + exp(-(told + calibration.sure_base)))
