"""Answer features: a question and its hits as numbers, for the judge of whether the first one answers."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from math import log1p
from typing import TYPE_CHECKING

from memcli.model import OF_OTHER, judged_likely
from memcli.named_tuple import NamedTuple
from memcli.recall.ranking.attribution import OF_ANOTHER
from memcli.recall.ranking.floor import Evidence
from memcli.text.asking import capitalised_words, nouns_have_capitals, what_is_asked
from memcli.text.expressions import expression
from memcli.text.numbers.quantities import quantities
from memcli.text.question import in_first_person
from memcli.text.words import Term, fold_case, query_terms

if TYPE_CHECKING:
    from memcli.recall.results import Hit

_WORD, _RUN = expression(r"[^\W\d_]+"), expression(r"\w+")
# Terms beyond so many make a match no more certain.
_MOST_TERMS = 8
# Counts of words are features of their own up to this number.
_MOST_COUNTED = 5
# Two words count as forms of one if they begin with so many equal letters and differ in length by no more.
_STEM, _ENDING = 4, 4
# The size of the caches: one question is compared with one note after another.
_TEXTS = 64


def answer_features(question: str, evidence: Evidence, hits: Sequence[Hit], score: float) -> dict[str, float]:
    """Return the features, by name, that tell whether the first hit answers; a feature not named is 0.

    `score` (0 to 1) is the best hit's by the floor. Each word of the question is a feature, and so is each
    kind of value that the note states, or does not, combined with what is asked for.
    """
    best = hits[0]
    words = _RUN.findall(fold_case(question))
    asked, told = _terms(question), _terms(best.memory.text)
    number, name = any(map(str.isdigit, best.memory.text)), _names_another(question, best.memory.text)
    looked_for, there = ({word for term in terms for word in term} for terms in (asked, told))
    missing = [word for word in looked_for if not is_among(word, there)]
    features = _ranked_features(evidence, hits, score) | {
        "covered": len(asked & told) / max(1, len(asked)),
        "covered in some form": 1 - len(missing) / max(1, len(looked_for)),
        "missing": log1p(len(missing)),
        "name missing": float(_names_another(best.memory.text, question)),
        "told beside": log1p(len(told - asked)),
        "says a number": float(number),
        "says a name": float(name),
    }
    features |= _question_features(words, number=number, name=name)
    features |= {f"missing: {word[:_STEM]}": 1.0 for word in missing}
    what, met = what_is_asked(words), len(looked_for) - len(missing)
    for how, number_of in (("missing", len(missing)), ("met", met)):
        features[f"asks: {what}, {min(_MOST_COUNTED, number_of)} {how}"] = 1.0
    asking, telling = _people(question), _people(best.memory.text)
    features["person missing"] = float(bool(asking.named) and asking.named.isdisjoint(telling.words))
    features["another's"] = float(
        not asking.named
        and in_first_person(question)
        and what != "who"
        and judged_likely(best.memory, OF_OTHER) >= OF_ANOTHER
        and _tells_of_others(telling, asking, query_terms(best.memory.text)[:1])
    )
    return features | dict.fromkeys(_values_told(question, what, best.memory.text, name), 1.0)


def _ranked_features(evidence: Evidence, hits: Sequence[Hit], score: float) -> dict[str, float]:
    """Return the features of the best hit that come from the ranking."""
    best = hits[0]
    second = hits[1].total if len(hits) > 1 else 0.0
    return {
        "score": score,
        "meaning": evidence.meaning or 0.0,
        "terms": log1p(min(_MOST_TERMS, evidence.terms)),
        "words": best.words or 0.0,
        "strangers": float(evidence.strangers > 0),
        "names unknown": float(evidence.strangers),
        "known": float(evidence.known > 0),
        "names known": float(evidence.known),
        "about the owner": float(evidence.about_owner),
        "is asked": float(evidence.asking),
        "lead": (best.total - second) / max(abs(best.total), 1e-6),
    }


def _question_features(words: Sequence[str], *, number: bool, name: bool) -> dict[str, float]:
    """Return the question's words as features, and its beginning combined with a lacking number or name.

    `number` and `name` say whether the note holds a number, and a name that the question has not.
    """
    features = {f"asked: {word}": 1.0 for word in words}
    for begins in (" ".join(words[:1]), " ".join(words[:2])):
        features |= {
            f"begins: {begins}": 1.0,
            f"begins: {begins}, no number": float(not number),
            f"begins: {begins}, no name": float(not name),
        }
    return features


@lru_cache(maxsize=_TEXTS)
def _terms(text: str) -> frozenset[Term]:
    return frozenset(query_terms(text))


class _People(NamedTuple):
    """The people that a text mentions, by kinship words and names, and all of its words; case-folded."""

    named: frozenset[str]
    words: frozenset[str]


@lru_cache(maxsize=_TEXTS)
def _people(text: str) -> _People:
    """Return the people in a text; names are not recognised where all nouns have capitals."""
    from memcli.text.semantics.senses import has_sense

    words = frozenset(map(fold_case, _WORD.findall(text)))
    names = () if nouns_have_capitals(text) else map(fold_case, _names(text))
    return _People(words.intersection(names).union(word for word in words if has_sense(word, "kin")), words)


def _tells_of_others(told: _People, asked: _People, subject: Sequence[Term]) -> bool:
    """True if a note is about people whom a question does not ask about.

    `subject` is the first term of the note: "our vicar is Jolly" answers a question about the vicar.
    """
    begins = (word for term in subject for word in term)
    others = bool(told.named) and told.named.isdisjoint(asked.words)
    return others and not any(is_among(word, asked.words) for word in begins)


def _values_told(question: str, asked: str, text: str, name: bool) -> Iterator[str]:
    """Yield features for a number, day or name that the text states and the question does not."""
    ours, theirs = quantities(question), quantities(text)
    number, day = bool(theirs.numbers - ours.numbers), bool(theirs.calendar - ours.calendar)
    for value, told in (("number", number), ("day", day), ("name", name)):
        yield f"asks: {asked}, {value if told else f'no {value}'}"
    if number:
        yield "another number"
    if day:
        yield "another day"


def _names_another(question: str, text: str) -> bool:
    """True if a text has a name that a question has not."""
    asked = {fold_case(word) for word in _names(question)}
    return any(fold_case(word) not in asked for word in _names(text) if not text.startswith(word))


@lru_cache(maxsize=_TEXTS)
def _names(text: str) -> tuple[str, ...]:
    return tuple(capitalised_words(text))


def is_among(word: str, told: Collection[str]) -> bool:
    """True if a case-folded word, or another form of it, is among some others."""
    return any(word[:_STEM] == each[:_STEM] and abs(len(word) - len(each)) <= _ENDING for each in told)
