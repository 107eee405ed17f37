"""Reported words: recognize others' statements, which do not answer a question in the first person.

"Ann says: I live in Ulm" is no answer to "where do I live?", though its words and its vector are as near as
those of what the owner says.
"""

from __future__ import annotations

from memcli.recall.ranking.answer_features import is_among
from memcli.text.asking import what_is_asked
from memcli.text.expressions import expression
from memcli.text.question import in_first_person
from memcli.text.semantics.reported import attributed, is_anothers, tells_who_says
from memcli.text.words import fold_case, query_terms

_WORD = expression(r"[^\W\d_]+")


def _asks_of_self(question: str) -> bool:
    """True if a question asks about the asker, and not for who said or did something."""
    words = _WORD.findall(fold_case(question))
    return in_first_person(question) and what_is_asked(words) != "who" and not tells_who_says(question)


def is_of_another(question: str, text: str) -> bool:
    """True if a question is about the asker and a text reports somebody else's words.

    Not if the question asks who said it, or names the person whom the text quotes.
    """
    if not is_anothers(text) or not _asks_of_self(question):
        return False
    said_by = _WORD.findall(fold_case(attributed(text).said_by))
    return not any(is_among(word, said_by) for term in query_terms(question) for word in term)
