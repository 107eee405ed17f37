"""Whether anything is relevant at all, and from there a score of 0 to 1 for each hit.

The sum of signals says which memory fits best; that any fits is told by the
question as it was asked, names and all: how near the nearest memory is, which
part of the words one memory holds, and whether it asks about somebody of whom
no memory ever heard. The scale of nearness depends on the model, so it is a
calibration, which `mem model calibrate` makes for another one.

Two lines divide the answers. Below the floor there is none. From there to the
sure line one is *weak*: what is nearest is shown, and said to be no sure answer.
A store nearly always holds something that is near a question; whether that
answers it is judged by how near it is and by what the question asks for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import exp, log

from memcli.named_tuple import NamedTuple
from memcli.text.asking import name_runs


class Evidence(NamedTuple):
    """What speaks for there being an answer; `meaning` is None where it was not searched."""

    meaning: float | None
    """Cosine of the nearest memory."""
    words: float
    """The greatest share of the question's information that one memory holds."""
    known: int
    """Names in the question that some memory holds."""
    strangers: int
    """Names in the question that none holds."""
    about_owner: bool
    """It is asked about the owner ("what should I …", "can you suggest …"), named or not."""
    memories: int
    terms: int = 0
    """The question's telling words."""
    asks_measure: bool = False
    """It asks for a number, a price, a size: one value, which what is near need not say."""
    attribute: float = 0.0
    """The greatest share of the question's information that one memory holds in words that are no names."""
    asking: bool = True
    """It is put as a question; else it is a category ("programming languages") or says something."""


class Calibration(NamedTuple):
    """Where evidence stops being chance.

    Evidence is in units of cosine for all-MiniLM-L6-v2. What is expected of an answer, by what
    is asked, scores 0.5; what lies ln(4) / slope below it scores 0.2, the least that is shown.
    Chosen by hand on several sets at once, at their sizes of 40 to 900 memories, so that at most
    3 in 100 of each set's own questions are refused (docs/measured.md): LoCoMo 0-4, BEAM 1-10,
    PrefEval-dev, FriendsQA-dev, and six people's 40 notes with their 60 questions in four
    languages; against the questions of each asked of the others' stores.
    """

    # About the owner ("what should I …"), about nobody by name, and what is no question: a
    # category or a statement, whose words say less of what is looked for.
    own: float = 0.405
    nameless: float = 0.41
    told: float = 0.385
    # About people or things by name: known here; some of them known; none.
    named: float = 0.53
    some_strangers: float = 0.51
    strangers: float = 0.64
    # Words that one memory holds count by their fourth power: few are chance, all of them an
    # answer. (Squared, as for `bearing` and `event`, they let a third more of strangers'
    # nameless questions through, and keep none of one's own.)
    words: float = 0.40
    # A larger store always holds something similar, a small one seldom: for each e-fold of
    # memories, from 500 on either way; and downwards where nobody is asked about by name.
    growth: float = 0.02
    small_growth: float = 0.045
    slope: float = 12.0
    # From here on a standing rule bears on a question, and a memory may be the event that one names.
    bearing: float = 0.27
    # Who asks for what is (not what they may or should do) is seldom helped by a rule; and a model that
    # learned English sees any two texts of another language as near (benchmarks/bearing.py).
    bearing_fact: float = 0.10
    bearing_foreign: float = 0.15
    event: float = 0.42
    # How surely the best answers: a logistic of its score, of the logarithm of how many telling
    # words are asked, and of whether a measure is asked for that one memory does not name ("port").
    # Fitted on six people's 40 notes and 60 questions, in four languages, two people a store, on
    # the questions of others asked there, and on LoCoMo 0-1, BEAM 1-4 and PrefEval-dev; the base was
    # set by hand on the same people, so that figures on them are too good (benchmarks/answers.py, and
    # docs/measured.md for people never looked at). In these fits little or nothing was added by how far
    # the best stands out (its cosine in deviations of the store's, its lead over the next), the asked
    # words that nobody holds, whether the best holds the rarest one.
    sure_score: float = 5.08
    sure_terms: float = 2.0
    sure_measure: float = -2.06
    sure_attribute: float = 2.41
    sure_base: float = -6.8


DEFAULT_CALIBRATION = Calibration()
# What has less than this part of the best one's total is not shown beside it. Measured: 0.35
# costs 0.2 points of R@10 on BEAM and PrefEval (0.4: 0.6 and 0.4), none on LoCoMo, and spares a
# small store's page the rest of it.
LEAST_PART = 0.35
# The size of the stores in which the calibration was made.
_FITTED_AT = 500
# None smaller was looked at: what is expected falls no further.
_SMALLEST = 30
# Without meaning six tenths of the words answer as likely as not: log 0.5 / log 0.6.
_AS_LIKELY_AS_NOT = 1.357
# All that is asked stands in one memory; so many words then count as asked. In a script without
# spaces each pair of characters is a term: no more are counted than this.
_WHOLE, _SAYS_MUCH, _MOST_TERMS = 0.99, 5, 8
_FLOORS = ("own", "nameless", "told", "named", "some_strangers", "strangers", "bearing", "event")
# all-MiniLM-L6-v2 on the stores of the calibration: see `rescaled_calibration`.
_MIDDLE = 0.25
_SPREAD = 0.45


def parts(totals: list[float], best: float) -> list[float]:
    """Each one's share of the best total, 0 to 1; where that is none, all of it for the first."""
    if best <= 0:
        return [float(place == 0) for place in range(len(totals))]
    return [min(max(total / best, 0.0), 1.0) for total in totals]


def acquaintances(question: str, share: Mapping[str, float]) -> list[tuple[bool, bool]]:
    """For each name in a question: whether a memory holds it, and whether it may be a stranger's.

    A known person with a surname more is known; a known surname under another given name may
    be a relative of theirs.
    """
    names = [[share.get(word, 0.0) > 0 for word in run] for run in name_runs(question)]
    return [(any(held), not held[0]) for held in names]


def expected_evidence(evidence: Evidence, calibration: Calibration = DEFAULT_CALIBRATION) -> float:
    """How much evidence an answer to such a question shows at least."""
    size = log(max(_SMALLEST, evidence.memories) / _FITTED_AT)
    if not evidence.about_owner and (evidence.known or evidence.strangers):
        met = calibration.some_strangers if evidence.strangers else calibration.named
        return calibration.growth * size + (met if evidence.known else calibration.strangers)
    grown = size * (calibration.growth if size > 0 else calibration.small_growth)
    if not evidence.asking:
        return grown + calibration.told
    return grown + (calibration.own if evidence.about_owner else calibration.nameless)


def evidence_strength(evidence: Evidence, calibration: Calibration = DEFAULT_CALIBRATION) -> float:
    """How far the evidence lies above what is expected, in units of cosine; below it, negative."""
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
    """How far a rule lies above where it bears on a question: in cosines, by its own evidence.

    It is not lowered for a small store: it is low already. `fact`: it is asked for what is,
    not for what to do; `foreign`: in a language that the model has not learned; `of_whom`: what to do
    is asked of somebody, or something, that the rule names, which lowers the line by what a fact raises it.
    """
    size = max(0.0, log(max(1, memories) / _FITTED_AT))
    found = (meaning or 0.0) + calibration.words * words**2
    raised = calibration.bearing_fact * (fact - of_whom) + calibration.bearing_foreign * foreign
    return found - calibration.bearing - raised - calibration.growth * size


def event_strength(meaning: float | None, words: float, memories: int, calibration: Calibration) -> float:
    """How far a memory lies above where it may be the event that a phrase names, in cosines."""
    size = log(max(1, memories) / _FITTED_AT)
    found = (meaning or 0.0) + calibration.words * words**2
    return found - calibration.event - calibration.growth * size


def rescaled_calibration(middle: float, spread: float) -> Calibration:
    """The calibration for a model whose memories are as alike as this.

    `middle` is the median cosine of two unrelated memories, `spread` how far
    above it the most alike hundredth begins: what `mem model calibrate`
    measures on the store. Floors keep their place on that scale.
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
    """The calibration for a model whose cosines lie where `moved` puts those of the default model."""
    scale = (moved(_MIDDLE + _SPREAD) - moved(_MIDDLE)) / _SPREAD
    floors = {name: moved(getattr(DEFAULT_CALIBRATION, name)) for name in _FLOORS}
    return _stretched(scale)._replace(**floors)


def best_score(evidence: Evidence, calibration: Calibration = DEFAULT_CALIBRATION) -> float:
    """The score of the best hit, 0 to 1; another's is the same part of it as of its total.

    It is a logistic curve that passes 0.5 at the floor; where meaning was not searched, its
    share of the words.
    """
    if evidence.meaning is None:
        return evidence.words
    return 1 / (1 + exp(-calibration.slope * evidence_strength(evidence, calibration)))


def sureness(evidence: Evidence, calibration: Calibration = DEFAULT_CALIBRATION) -> float:
    """How likely what stands first answers, rather than being about the same: 0 to 1.

    A question that says much and is met is answered; one of two words ("Ann's birthday") is met
    by whatever is about Ann, unless one memory holds all of its words. Where meaning was not
    searched, the share of the words tells. It rests on scores, so that it needs no scale of its
    own for another model.
    """
    score = best_score(evidence, calibration)
    if evidence.meaning is None:
        return float(score**_AS_LIKELY_AS_NOT)
    terms = max(evidence.terms, _SAYS_MUCH) if evidence.words > _WHOLE else min(evidence.terms, _MOST_TERMS)
    told = calibration.sure_score * score + calibration.sure_terms * log(1 + terms)
    if evidence.asks_measure:
        told += min(0.0, calibration.sure_measure + calibration.sure_attribute * evidence.attribute)
    return 1 / (1 + exp(-(told + calibration.sure_base)))
