"""What another said of themselves is no answer to who asks: "where do I live?", "Ann says: I live in Ulm".

By its words, and by its meaning, it is as near as what the owner says.
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
    """Whether a question asks for something of whoever asks it, and not for who said or did it."""
    words = _WORD.findall(fold_case(question))
    return in_first_person(question) and what_is_asked(words) != "who" and not tells_who_says(question)


def is_of_another(question: str, text: str) -> bool:
    """Whether a question is for something of whoever asks it, and a text gives somebody else's words.

    Not where it asks who said so, or for whom the text names.
    """
    if not is_anothers(text) or not _asks_of_self(question):
        return False
    said_by = _WORD.findall(fold_case(attributed(text).said_by))
    return not any(is_among(word, said_by) for term in query_terms(question) for word in term)
