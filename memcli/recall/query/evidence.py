"""Evidence that a store holds any answer to a question: its nearest memory, the words and names known."""

from __future__ import annotations

from collections.abc import Mapping, Set

from memcli.model import Ref
from memcli.recall.query.holders import WordSearch
from memcli.recall.query.names_asked import speakers_terms
from memcli.recall.ranking import floor
from memcli.recall.ranking.floor import Evidence
from memcli.text import words
from memcli.text.question import Question, asks_measure


def evidence_of(
    word_search: WordSearch,
    asked: Question,
    share: Mapping[str, float],
    nearest: float | None,
    most: float,
    but: Set[Ref] = frozenset(),
) -> Evidence:
    """Return the evidence that there is an answer, from the question as asked, with its names.

    `nearest` is the greatest cosine of a memory to the question, `most` the greatest share of the question's
    information that one memory holds. The memories `but` are not counted.
    """
    said, terms = speakers_terms(word_search, share), words.query_terms(asked.text)
    terms = tuple(term for term in terms if term not in said)
    weights = word_search.weights(terms)
    asks = asks_measure(asked.text)
    attribute = 0.0
    people = floor.acquaintances(asked.text, share)
    if asks:
        names = {term for name in share for term in words.query_terms(name)[:1]}
        named = word_search.asked(term for term in terms if term not in names)
        attribute = word_search.most({word: weights[word] for word in named}, but)
    return Evidence(
        meaning=nearest,
        # If only a speaker's name is asked for, all that they said answers.
        words=max(word_search.most(weights, but), most) if terms or not said else 1.0,
        known=sum(known for known, _ in people),
        strangers=sum(strange for _, strange in people),
        about_owner=asked.about_owner,
        memories=word_search.total,
        terms=len(terms),
        asks_measure=asks,
        attribute=attribute,
        asking=asked.asking,
    )
