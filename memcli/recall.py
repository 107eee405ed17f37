"""Recall: from a question to the memories that answer it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from memcli import words
from memcli.embedding import Embedder
from memcli.errors import ModelUnusable
from memcli.model import Filter, Memory
from memcli.ranking import Scored, fuse
from memcli.storage import Store

# Deep enough that fusion never starves: what one search ranks low the other may lift.
CANDIDATES = 200


class Hit(NamedTuple):
    """A memory that was found, with its score (0 to 1) and what found it."""

    memory: Memory
    score: float
    words: float | None
    meaning: float | None

    @property
    def found_by(self) -> list[str]:
        """Which of `words` and `meaning` found it."""
        found = (("words", self.words), ("meaning", self.meaning))
        return [name for name, score in found if score is not None]


class Recall(NamedTuple):
    """The answer to a question: hits, best first; `degraded` says why meaning was not searched."""

    query: str
    hits: list[Hit]
    candidates: int
    degraded: str | None = None


def recall(
    store: Store,
    embedder: Callable[[], Embedder] | None,
    query: str,
    where: Filter,
    *,
    limit: int,
    min_score: float,
) -> Recall:
    """Find the memories in `where` that answer `query`.

    `embedder` opens the model that filled the store; None searches words only.
    Raises errors of the store only: a model that cannot be used degrades the
    answer and is reported in it.
    """
    by_words = store.search_words(words.query_terms(query), where, CANDIDATES)
    degraded: str | None = "words only, as asked"
    by_meaning = []
    if embedder:
        try:
            vector = embedder().query(query).tobytes()
            by_meaning = store.search_meaning(vector, where, CANDIDATES)
            degraded = None
        except ModelUnusable as error:
            degraded = str(error)
    ranked = fuse(by_words, by_meaning)
    # A word found is found, however few the words: the floor is for likeness.
    relevant = [each for each in ranked if each.score >= min_score or degraded]
    return Recall(query, _hits(store, relevant[:limit]), len(ranked), degraded)


def _hits(store: Store, scored: list[Scored]) -> list[Hit]:
    memories = {memory.id: memory for memory in store.get([each.id for each in scored])}
    return [
        Hit(memories[each.id], min(each.score, 1.0), each.words, each.meaning)
        for each in scored
        if each.id in memories
    ]
