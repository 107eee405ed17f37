"""What speaks for there being an answer in a store at all."""

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
    """What speaks for there being an answer at all: of the question as asked, names and all.

    `nearest` is the greatest cosine, `most` the greatest part of what is searched by that one memory holds.
    What the memories `but` hold speaks for none.
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
        # All that was said answers who is asked for by name alone.
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
