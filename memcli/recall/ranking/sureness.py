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
from collections.abc import Collection, Sequence
from math import log1p
from typing import TYPE_CHECKING

from memcli.model import is_record
from memcli.recall.ranking import floor
from memcli.recall.ranking.floor import Calibration, Evidence
from memcli.text.asking import capitalised_words, nouns_have_capitals
from memcli.text.aspects import own_aspects
from memcli.text.dates import calendar
from memcli.text.words import Term, fold_case, query_terms

if TYPE_CHECKING:
    from memcli.recall.results import Hit

# A question that says more is no surer met.
_MOST_TERMS = 8
# Set by hand: a note that names somebody else than the question answers it by chance. Of 293 questions with
# names in benchmarks/labels a note without any of these answers 17, half of them in another language.
_OF_ANOTHER = 0.5
_CALENDAR = frozenset((*calendar.MONTHS, *calendar.WEEKDAYS))


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
    if is_of_another(question, [hit.memory.text for hit in hits]):
        likely *= _OF_ANOTHER
    # Of what asks for a measure too little was learned: there the rule has to be sure as well.
    return min(likely, floor.sureness(evidence, calibration)) if evidence.asks_measure else likely


def is_of_another(question: str, texts: Sequence[str]) -> bool:
    """Whether the first of the texts names none of those whom a question names and further texts do.

    "What is Ines studying?" is not answered by "Jonas studied history", where something is known of Ines.
    Whoever owns the notes goes without a name in them; in German any noun may look like one.
    """
    named = [word for word in capitalised_words(question) if word.casefold() not in _CALENDAR]
    asked = {term for word in named for term in query_terms(word)[:1]}
    if not asked or _names_any(asked, texts[0]) or nouns_have_capitals(question):
        return False
    told = [text for text in texts[1:] if _names_any(asked, text)]
    return bool(told) and not any("name" in own_aspects(text) for text in told)


def _names_any(asked: Collection[Term], text: str) -> bool:
    return not frozenset(asked).isdisjoint(query_terms(text))


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
