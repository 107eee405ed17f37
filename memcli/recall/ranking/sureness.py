"""How surely the best of what was found answers a question, rather than being about the same.

A store nearly always holds something that is near a question. Whether that answers it shows in how much of
the question it covers, how far it stands out, whether it says a number or a name, and in what is asked:
prices and names are asked for more often than they are noted. Learned from some 5,400 questions about
people's notes, half of which no note answers (benchmarks/judges/answers.py). What was said in a conversation
answers differently, and nothing learned from it carried over to people never heard: there the floor's own
rule decides.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import log1p
from typing import TYPE_CHECKING

from memcli.model import is_record
from memcli.recall.ranking import floor
from memcli.recall.ranking.floor import Calibration, Evidence
from memcli.text.asking import capitalised_words
from memcli.text.words import fold_case, query_terms

if TYPE_CHECKING:
    from memcli.recall.results import Hit

# A question that says more is no surer met.
_MOST_TERMS = 8


def sureness(question: str, evidence: Evidence, hits: Sequence[Hit], calibration: Calibration) -> float:
    """How likely the first of the hits, best first, answers: 0 to 1.

    Where meaning was not searched, the share of the words. It rests on scores and words, so that it needs
    no scale of its own for another model.
    """
    if evidence.meaning is None or not hits or is_record(hits[0].memory):
        return floor.sureness(evidence, calibration)
    from memcli.judgement.weights import load_logistic

    features = answer_features(question, evidence, hits, floor.best_score(evidence, calibration))
    likely = load_logistic("answer")["answers"].probability(features)
    # Of what asks for a measure too little was learned: there the rule has to be sure as well.
    return min(likely, floor.sureness(evidence, calibration)) if evidence.asks_measure else likely


def answer_features(question: str, evidence: Evidence, hits: Sequence[Hit], score: float) -> dict[str, float]:
    """What tells whether the first of the hits answers, by name; what is not named is 0.

    `score` (0 to 1) is the best one's by the floor. The words of the question are features themselves.
    """
    best = hits[0]
    asked, told = set(query_terms(question)), set(query_terms(best.memory.text))
    number, name = any(map(str.isdigit, best.memory.text)), _names_another(question, best.memory.text)
    second = hits[1].total if len(hits) > 1 else 0.0
    features = {
        "score": score,
        "terms": log1p(min(_MOST_TERMS, evidence.terms)),
        "words": best.words or 0.0,
        "strangers": float(evidence.strangers > 0),
        "known": float(evidence.known > 0),
        "about the owner": float(evidence.about_owner),
        "is asked": float(evidence.asking),
        "lead": (best.total - second) / max(abs(best.total), 1e-6),
        "covered": len(asked & told) / max(1, len(asked)),
        "told beside": log1p(len(told - asked)),
        "says a number": float(number),
        "says a name": float(name),
    }
    return features | {f"asked: {word}": 1.0 for word in re.findall(r"\w+", fold_case(question))}


def _names_another(question: str, text: str) -> bool:
    """Whether a text has a name that a question has not."""
    asked = {fold_case(word) for word in capitalised_words(question)}
    return any(fold_case(word) not in asked for word in capitalised_words(text) if not text.startswith(word))
