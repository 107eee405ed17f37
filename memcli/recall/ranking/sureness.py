"""Sureness: the probability that the best hit answers a question, rather than being on the same subject.

A store nearly always holds something near a question. Whether that answers it shows in how much of the
question it covers, how far it stands out, whether it states a value of the kind that is asked for, and in
what is asked: prices and names are asked for more often than they are noted. A logistic model is trained on
some 8,000 questions about people's notes, half of which no note answers (benchmarks/judges/answers.py). Turns
of conversations answer differently, and nothing learned from them carried over to other people: for these the
floor's own formula decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memcli.model import OF_OTHER, Memory, is_record, judged_likely
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


def sureness(question: str, evidence: Evidence, hits: Sequence[Hit], calibration: Calibration) -> float:
    """Return the probability, 0 to 1, that the first of the hits (best first) answers.

    If meaning was not searched, the best share of the words. It is computed from scores and words, so that it
    needs no scale of its own for another model.
    """
    if evidence.meaning is None or not hits or is_record(hits[0].memory):
        return floor.sureness(evidence, calibration)
    from memcli.recall.ranking.one_note import is_met_by_another
    from memcli.text.numbers.designations import names_another

    likely = judged_sureness(question, evidence, hits, calibration)
    first, *others = (hit.memory.text for hit in hits[:_LOOKED_AT])
    if names_another(question, first) or is_met_by_another(question, first, others):
        return min(likely, _ANOTHER)
    if evidence.about_owner:
        from memcli.recall.ranking.reported_words import is_of_another  # few questions are

        if is_of_another(question, first):
            return min(likely, _ANOTHER)
    if what_is_asked(_WORD.findall(fold_case(question))) == "where":
        from memcli.recall.ranking.place_told import tells_place  # few questions do

        return likely if tells_place(question, first) else min(likely, _NO_PLACE)
    if evidence.asks_measure and not _is_of_other(question, hits[0].memory):
        from memcli.recall.ranking.measure_told import tells_measure  # few questions do

        likely = max(likely, _MEASURED) if tells_measure(question, first) else likely
    if asks_who_to_whom(fold_case(question)):
        from memcli.recall.ranking.who_to_whom import sureness_by_role  # few questions do

        return sureness_by_role(question, hits[0].memory.text, likely)
    return likely


def _is_of_other(question: str, memory: Memory) -> bool:
    """True if the question is about the asker and the memory about somebody else."""
    own = in_first_person(question) and not capitalised_words(question)
    return own and judged_likely(memory, OF_OTHER) >= OF_ANOTHER


def judged_sureness(
    question: str, evidence: Evidence, hits: Sequence[Hit], calibration: Calibration
) -> float:
    """Return the judge's probability, 0 to 1, that the first hit answers, without the rules above."""
    from memcli.judgement.weights import load_logistic
    from memcli.recall.ranking.answer_features import answer_features

    features = answer_features(question, evidence, hits, floor.best_score(evidence, calibration))
    return load_logistic("answer")["answers"].probability(features)
