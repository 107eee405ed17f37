"""Holders of a question's words: how rare each word is in the store, and which memories hold most of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set

from memcli.model import Filter, Match, Ref
from memcli.recall.ranking.coverage import term_weights
from memcli.recall.successors import search_with_overtaken
from memcli.storage import Store, Word
from memcli.text import words

# How many similar spellings are tried for one word.
_SPELLINGS = 3


class WordSearch:
    """Word search within a filter, each word weighted by its rarity in the filter's spaces."""

    def __init__(self, store: Store, where: Filter, total: int | None = None) -> None:
        """`total` is how many memories the spaces hold, where that is known."""
        self._store = store
        self.where = where
        self.total = store.total(where.spaces) if total is None else total

    def with_overtaken(self) -> WordSearch:
        """Return this search with superseded memories; itself if the filter already asks for the past."""
        if self.where.past or not self.where.live:
            return self
        return WordSearch(self._store, self.where._replace(overtaken=True), self.total)

    def frequencies(self, terms: Sequence[words.Term]) -> list[int]:
        """Return how many memories of the spaces hold each term, or its compound written as one word."""
        return self._store.frequencies(self.asked(terms), self.where.spaces)

    def is_held(self, term: words.Term) -> bool:
        """True if a memory within the filter holds a term."""
        return bool(self.best({_word(term): 1.0}, 1))

    def asked(self, terms: Iterable[words.Term]) -> list[Word]:
        """Return the terms as the store looks for them, with compounds also written as one word."""
        return [_word(term) for term in terms]

    def weights(self, terms: Sequence[words.Term]) -> dict[Word, float]:
        """Return each term as the store looks for it, with its share of the question's information."""
        return self._weighed(self.asked(terms))

    def best(self, asked: Mapping[Word, float], limit: int) -> list[Match]:
        """Return the memories with the greatest sums of weights, best first; see `Store.top_by_words`."""
        return search_with_overtaken(
            self._store, self.where, limit, lambda meant: self._store.top_by_words(asked, meant, limit)
        )

    def most(self, asked: Mapping[Word, float], but: Set[Ref] = frozenset()) -> float:
        """Return the greatest sum of weights that one memory holds, but for those in `but`; 0 if none."""
        best = self.best(asked, 1 + len(but))
        return max((match.score for match in best if match.ref not in but), default=0.0)

    def misspelt(self, terms: Sequence[words.Term]) -> dict[Word, float]:
        """Return weighted words of the store that are spelled like terms of a question that none holds.

        A guess has the word's weight times the likeness of the two spellings, so that "bank" hardly finds
        "bean".
        """
        from memcli.text.spelling import likeness

        like = {
            term: self._store.spelled_like(term[0], _SPELLINGS) for term in terms if _may_be_misspelt(term)
        }
        guesses: list[Word] = [tuple((word,) for word in like.get(term, ())) for term in terms]
        meant = dict(zip(guesses, terms, strict=True))
        return {
            word: share * max((likeness(meant[word][0], each[0]) for each in word), default=0.0)
            for word, share in self._weighed(guesses).items()
        }

    def _weighed(self, asked: Sequence[Word]) -> dict[Word, float]:
        shares = term_weights(self._store.frequencies(asked, self.where.spaces), self.total)
        weighed: dict[Word, float] = {}
        for word, share in zip(asked, shares, strict=True):
            weighed[word] = weighed.get(word, 0.0) + share
        return weighed


def _word(term: words.Term) -> Word:
    # A compound may be written as one word.
    together = words.run_together(term)
    return (term, together) if together else (term,)


def _may_be_misspelt(term: words.Term) -> bool:
    return len(term) == 1 and len(term[0]) >= 4 and term[0].isalpha()
