"""How surely the best of what was found answers a question, rather than being about the same.

A store nearly always holds something that is near a question. Whether that answers it shows in how much of
the question it covers, how far it stands out, whether it says a value of the sort that is asked for, and in
what is asked: prices and names are asked for more often than they are noted. Learned from some 8,000
questions about people's notes, half of which no note answers (benchmarks/judges/answers.py). What was said
in a conversation answers differently, and nothing learned from it carried over to people never heard: there
the floor's own rule decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memcli.model import is_record
from memcli.recall.ranking import floor
from memcli.recall.ranking.floor import Calibration, Evidence
from memcli.text.asking import asks_who_to_whom
from memcli.text.words import fold_case

if TYPE_CHECKING:
    from memcli.recall.results import Hit


# Who tells of hall 3 answers nothing about hall 5, however alike all else is: of 17 labelled questions where
# that is so none is answered; of 19 with a number that are, it is so of none (benchmarks/labels).
_ANOTHER = 0.05


def sureness(question: str, evidence: Evidence, hits: Sequence[Hit], calibration: Calibration) -> float:
    """How likely the first of the hits, best first, answers: 0 to 1.

    Where meaning was not searched, the share of the words. It rests on scores and words, so that it needs
    no scale of its own for another model.
    """
    if evidence.meaning is None or not hits or is_record(hits[0].memory):
        return floor.sureness(evidence, calibration)
    from memcli.judgement.weights import load_logistic
    from memcli.recall.ranking.answer_features import answer_features
    from memcli.text.designations import names_another

    features = answer_features(question, evidence, hits, floor.best_score(evidence, calibration))
    likely = load_logistic("answer")["answers"].probability(features)
    if names_another(question, hits[0].memory.text):
        return min(likely, _ANOTHER)
    if asks_who_to_whom(fold_case(question)):
        from memcli.recall.ranking.who_to_whom import sureness_by_role  # few questions do

        return sureness_by_role(question, hits[0].memory.text, likely)
    return likely
