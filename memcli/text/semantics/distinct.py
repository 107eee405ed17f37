"""Distinct pairs: statements with similar words that are about different people, or a task and a deed."""

from __future__ import annotations

import re

from memcli.text.comparison.alignment import align_texts
from memcli.text.comparison.reading import Reading
from memcli.text.english.tokens import Token
from memcli.text.english.vocabulary import word_set
from memcli.text.semantics.roles import are_forms
from memcli.text.semantics.senses import has_sense, is_participle, senses_of
from memcli.text.stopwords import FUNCTION_WORDS
from memcli.text.words import fold_case

# Verbs of having mean "must" only before one of these words ("have to", "tengo que").
_HAVING = word_set("have has had need needs tengo tiene tenemos tienen hay tenho temos tem")
_TO = word_set("to que de")
# Senses of words that say that something was, or is done.
_WAS, _DONE = frozenset({"was", "past"}), ("done", "gave", "completed")


def begin_with_others(newer: str, older: str) -> bool:
    """True if each of two texts begins with a capitalised word, perhaps a name, that the other lacks.

    "Nico doesn't eat mushrooms", "Elsa now eats mushrooms": a name at the beginning of a sentence looks like
    any other word, so nothing else tells that these are about two people.
    """
    pair = align_texts(newer, older)
    ours, theirs = _head(pair.new), _head(pair.old)
    if ours is None or theirs is None:
        return False
    return not (_is_among(ours, pair.old) or _is_among(theirs, pair.new))


def one_is_to_be_done(newer: str, older: str) -> bool:
    """True if only one of two texts says that something must be done: a task is not the event it prepares."""
    return _tells_duty(newer) is not _tells_duty(older)


def one_is_wanted(newer: str, older: str) -> bool:
    """True if one text says that something is wanted or asked for, and only the other that it was done.

    "They need photos of the ceiling", "photos of the ceiling sent": the second is not a repetition.
    """
    wanted = [any(has_sense(word, "wanting") for word in _words(text)) for text in (newer, older)]
    if wanted[0] is wanted[1]:
        return False
    done = [any(map(_tells_done, re.findall(r"[^\W\d_]+", text.lower()))) for text in (newer, older)]
    return done[wanted.index(False)]


def _tells_done(word: str) -> bool:
    if is_participle(word) or not _WAS.isdisjoint(senses_of(word)):
        return True
    return any(has_sense(fold_case(word), sense) for sense in _DONE)


def _words(text: str) -> list[str]:
    return [fold_case(word) for word in re.findall(r"[^\W\d_]+", text)]


def _head(tokens: Reading) -> Token | None:
    first = next(iter(tokens), None)
    if first is None or first.sort not in ("word", "name") or not first.shown[:1].isupper():
        return None
    return None if first.folded in FUNCTION_WORDS else first


def _is_among(token: Token, others: Reading) -> bool:
    return any(are_forms(token.folded, other.folded) for other in others)


def _tells_duty(text: str) -> bool:
    words = _words(text)
    return any(
        has_sense(word, "must") and (word not in _HAVING or behind in _TO)
        for word, behind in zip(words, [*words[1:], ""], strict=True)
    )
