"""One note: whether a single note meets all that a question asks for (the person, the thing, the measure).

A near note often meets half of a question, and another note the other half: Rory's asthma check and Ife's eye
test both rank high for "when is Rory's eye test?". The judge of answers, trained on the words of questions,
is wrongly sure of such a note.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence

from memcli.named_tuple import NamedTuple
from memcli.recall.ranking.answer_features import is_among
from memcli.text.asking import MEASURING, capitalised_words, nouns_have_capitals
from memcli.text.english.vocabulary import word_set
from memcli.text.expressions import expression
from memcli.text.numbers.quantities import calendar_words
from memcli.text.stopwords import ENGLISH, FOREIGN, FRENCH, FUNCTION_WORDS, GERMAN
from memcli.text.words import fold_case, query_terms

# A German question with so many capitalised nouns names a person and one thing.
_NAME_AND_THING = 2
_THIRD_PERSONS = word_set(
    """
    he she they it his her their its er sie es ihr sein seine ihre il elle ils elles son sa ses leur ella el
    ellos ellas su sus lui lei loro suo sua suoi ele ela eles elas seu hij zij ze haar zijn hun
    """
)
# A capital and small letters, not followed by a number, which is the name of a flight or a road.
_NAME = expression(r"(?<![^\W_])[A-ZÀ-ÖØ-Þ][^\W\d_A-Z]+(?![^\W_]|[ -]?\d)")
_WORD = expression(r"[^\W\d_]+")


def is_met_by_another(question: str, first: str, others: Sequence[str]) -> bool:
    """True if the first note found is about another person, or another thing, than the question names.

    Either it lacks the question's name and has another, while one of the `others` has it; or it has the name
    but no other word of the question, while one of the `others` has those words with another name. In German,
    where things are capitalised like names: the first has one of the two, and one of the `others` the other.
    """
    asked = _names(question, (first, *others))
    if not asked:
        return False
    texts = (question, first, *others)
    best = _Note.of(first, texts)
    things = {word for term in query_terms(question) for word in term} - asked - MEASURING
    things = {word for word in things if word.isalpha()}
    met, halved = _holds(best, asked), nouns_have_capitals(question)
    if met and not halved and (not things or _holds(best, things)):
        return False
    rest = [_Note.of(text, texts) for text in others]
    if halved:
        # Names and things look alike: this note has one of the two, another note the other.
        lacking = {word for word in asked if not is_among(word, best.words)}
        here = asked - lacking
        return (
            len(asked) == _NAME_AND_THING
            and bool(here)
            and any(_holds(each, lacking) and not _holds(each, here) for each in rest)
        )
    if not met:
        return bool(best.names) and any(_holds(each, asked) for each in rest)
    return any(
        bool(each.names) and not _holds(each, asked) and all(is_among(word, each.words) for word in things)
        for each in rest
    )


def names_asked_of(question: str, texts: Sequence[str]) -> Callable[[str], bool | None] | None:
    """Return a test whether a text names whom the question names; None if none of `texts` names them.

    The test returns False for a text that names somebody else, and None for one that names nobody. In German,
    where nouns are capitalised like names, None is returned instead of a test.
    """
    if nouns_have_capitals(question):
        return None
    asked = _named(question)
    if not any(is_among(name, _with_capitals(text)) for text in texts for name in asked):
        return None

    def names_asked(text: str) -> bool | None:
        words = [*map(fold_case, _WORD.findall(text))]
        if any(is_among(name, words) for name in asked):
            return True
        # "She has a heart murmur": the note before it may say who.
        return False if _named(text) and words[0] not in _THIRD_PERSONS else None

    return names_asked


def _named(text: str) -> frozenset[str]:
    """Return the words, case-folded, that may be names: capitalised, and not followed by a number."""
    head, *others = [*map(fold_case, _WORD.findall(text)), ""]
    words = _with_capitals(text) - calendar_words().keys()
    # A function word of a language of which the text has no other word is a name: Mia, Per, Max.
    of_sentence = any(
        head in said and not said.isdisjoint(others) for said in (ENGLISH, GERMAN, FRENCH, FOREIGN)
    )
    return words - {head} if of_sentence else words


def _with_capitals(text: str) -> frozenset[str]:
    return frozenset(map(fold_case, _NAME.findall(text)))


class _Note(NamedTuple):
    words: frozenset[str]
    """All of its words, case-folded."""
    names: frozenset[str]
    """Its names, case-folded, without function words."""

    @classmethod
    def of(cls, text: str, beside: Collection[str]) -> _Note:
        return cls(frozenset(map(fold_case, _WORD.findall(text))), _names(text, beside))


def _holds(note: _Note, names: Collection[str]) -> bool:
    return any(is_among(name, note.words) for name in names)


def _names(text: str, beside: Iterable[str]) -> frozenset[str]:
    """Return the names in a text, case-folded.

    Its first word counts as one if a text in `beside` has it capitalised inside a sentence. Where all nouns
    have capitals, every noun counts: it is a person, or the thing that is asked for.
    """
    found = set(capitalised_words(text))
    first = next(iter(_WORD.findall(text)), "")
    if first[:1].isupper() and fold_case(first) not in FUNCTION_WORDS and first not in found:
        inside = re.compile(rf"[^\W\d_][,;]? {re.escape(first)}\b")
        if any(inside.search(each) for each in beside):
            found.add(first)
    return frozenset(word for word in map(fold_case, found) if word not in FUNCTION_WORDS)
