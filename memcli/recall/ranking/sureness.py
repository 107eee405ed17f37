"""Sureness: the probability that the best hit answers a question, rather than being on the same subject.

A store nearly always holds something near a question. Whether that answers it shows in how much of the
question it covers, how far it stands out, whether it states a value of the kind that is asked for, and in
what is asked: prices and names are asked for more often than they are noted. A logistic model is trained on
some 8,000 questions about people's notes, half of which no note answers (benchmarks/judges/answers.py). Turns
of conversations answer differently, and nothing learned from them carried over to other people: for these the
floor's own formula decides.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from memcli.model import OF_OTHER, is_record, judged_likely
from memcli.named_tuple import NamedTuple
from memcli.recall.ranking import floor
from memcli.recall.ranking.attribution import OF_ANOTHER
from memcli.recall.ranking.floor import Calibration, Evidence
from memcli.text.asking import asks_who_to_whom, capitalised_words, what_is_asked
from memcli.text.expressions import expression
from memcli.text.question import in_first_person
from memcli.text.words import fold_case

if TYPE_CHECKING:
    from memcli.recall.results import Hit


_WORD = expression(r"[^\W\d_]+")
# The least sureness of a note that plainly states the measure that is asked for.
_MEASURED = 0.8
# The greatest sureness of a note about another thing or person. A note on hall 3 answers nothing about hall
# 5, however alike all else is: of 17 labelled questions where that is so none is answered; of 19 with a
# number that are answered it is so of none (benchmarks/labels).
_ANOTHER = 0.05
# The greatest sureness of a note without a place for a "where" question: see `place_told`.
_NO_PLACE = 0.3
# At most so many of the hits are searched for what the first one lacks.
_LOOKED_AT = 8


class Case(NamedTuple):
    """A question, the evidence for an answer, and some hits, best first."""

    question: str
    evidence: Evidence
    hits: Sequence[Hit]

    @property
    def first(self) -> str:
        """Return the text that is judged."""
        return self.hits[0].memory.text

    @property
    def asked_for(self) -> str:
        """Return the sort of what is asked for: see `what_is_asked`."""
        return what_is_asked(_WORD.findall(fold_case(self.question)))


class Rule(NamedTuple):
    """A rule that knows the answer to some questions better than the judge does."""

    applies: Callable[[Case], bool]
    """A cheap test whether the rule concerns a question: few pass, so its module is seldom imported."""
    adjusted: Callable[[Case, float], float | None]
    """Returns the new probability, from the one so far; None if the rule does not apply."""
    decides: bool = False
    """True if no later rule is asked when this one applies."""


def sureness(question: str, evidence: Evidence, hits: Sequence[Hit], calibration: Calibration) -> float:
    """Return the probability, 0 to 1, that the first of the hits (best first) answers.

    If meaning was not searched, the best share of the words. It is computed from scores and words, so that it
    needs no scale of its own for another model.
    """
    if evidence.meaning is None or not hits or is_record(hits[0].memory):
        return floor.sureness(evidence, calibration)
    likely = judged_sureness(question, evidence, hits, calibration)
    case = Case(question, evidence, hits)
    for rule in RULES:
        if rule.applies(case) and (adjusted := rule.adjusted(case, likely)) is not None:
            likely = adjusted
            if rule.decides:
                break
    return likely


def _of_another_number(case: Case, likely: float) -> float | None:
    from memcli.text.numbers.designations import names_another

    return min(likely, _ANOTHER) if names_another(case.question, case.first) else None


def _met_by_another(case: Case, likely: float) -> float | None:
    from memcli.recall.ranking.sureness_rules.one_note import is_met_by_another

    first, *others = (hit.memory.text for hit in case.hits[:_LOOKED_AT])
    return min(likely, _ANOTHER) if is_met_by_another(case.question, first, others) else None


def _said_by_another(case: Case, likely: float) -> float | None:
    from memcli.recall.ranking.sureness_rules.reported_words import is_of_another

    return min(likely, _ANOTHER) if is_of_another(case.question, case.first) else None


def _by_place(case: Case, likely: float) -> float | None:
    from memcli.recall.ranking.sureness_rules.place_told import tells_place

    return likely if tells_place(case.question, case.first) else min(likely, _NO_PLACE)


def _by_measure(case: Case, likely: float) -> float | None:
    from memcli.recall.ranking.sureness_rules.measure_told import tells_measure, tells_other_dimension

    if tells_other_dimension(case.question, case.first):
        return min(likely, _ANOTHER)
    return max(likely, _MEASURED) if tells_measure(case.question, case.first) else None


def _by_role(case: Case, likely: float) -> float | None:
    from memcli.recall.ranking.sureness_rules.who_to_whom import sureness_by_role

    return sureness_by_role(case.question, case.first, likely)


def _asks_measure(case: Case) -> bool:
    """True if a measure is asked for, unless it is the asker's own and the first hit is about others."""
    if not case.evidence.asks_measure:
        return False
    own = in_first_person(case.question) and not capitalised_words(case.question)
    return not (own and judged_likely(case.hits[0].memory, OF_OTHER) >= OF_ANOTHER)


RULES: tuple[Rule, ...] = (
    Rule(lambda case: True, _of_another_number, decides=True),
    # A question without capitals is taken to name nobody.
    Rule(lambda case: any(map(str.isupper, case.question)), _met_by_another, decides=True),
    Rule(lambda case: case.evidence.about_owner, _said_by_another, decides=True),
    Rule(lambda case: case.asked_for == "where", _by_place, decides=True),
    Rule(_asks_measure, _by_measure),
    Rule(lambda case: asks_who_to_whom(fold_case(case.question)), _by_role),
)


def judged_sureness(
    question: str, evidence: Evidence, hits: Sequence[Hit], calibration: Calibration
) -> float:
    """Return the judge's probability, 0 to 1, that the first hit answers, without the rules above."""
    from memcli.judgement.weights import load_logistic
    from memcli.recall.ranking.answer_features import answer_features

    features = answer_features(question, evidence, hits, floor.best_score(evidence, calibration))
    return load_logistic("answer")["answers"].probability(features)
