"""Candidates for one question: found by words and by vectors, with their neighbours, for the ranking.

A few queries over a few hundred memories, whatever the size of the store. The result is the input of
`memcli.recall.ranking.signals`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from memcli.errors import ModelUnusable
from memcli.memory_data import is_summary
from memcli.model import Filter, Match, Memory, Ref, is_past, speaker_of
from memcli.named_tuple import NamedTuple
from memcli.recall.ranking import signals
from memcli.recall.ranking.coverage import coverage
from memcli.recall.ranking.signals import Candidate
from memcli.recall.successors import Successor, search_with_overtaken, successors
from memcli.storage import Store, Word

if TYPE_CHECKING:
    from memcli.embedding import Embedder
    from memcli.recall.ranking.vectors import Floats
    from memcli.text.dates.anchors import Anchor
    from memcli.text.question import Question

# How many each search returns: enough that fusion can lift what one search ranks low.
DEPTH = 200
# The neighbours in session of so many of the best are candidates too: an answer may share no word with it.
NEIGHBOURLY = 50
# How many vectors the mean of a space is estimated from.
_SAMPLE = 256
# With fewer candidates their median says little about what is near by chance.
_FEW = 8


class SearchVectors(NamedTuple):
    """The query vectors of a search, each of shape (d,) and of unit length."""

    vector: Floats
    """What is searched by: from the question as a statement and from its content words."""
    raw: Floats
    """The question as asked."""
    event: Floats
    """The event by which the question names its time ("before the move"); without one, the same as `raw`."""
    judged: bool = False
    """True if the vectors are of the default model, on which the judges were trained."""
    common: Floats | None = None
    """A component to remove from the vectors of memories before they are compared; these have it removed."""

    def windows(self, store: Store, refs: Sequence[Ref]) -> Mapping[Ref, Sequence[bytes]]:
        """Return the vectors of memories, one per window of text, without the common component."""
        kept = store.vectors(refs)
        if self.common is None:
            return kept
        from memcli.recall.ranking.vectors import windows_without_common

        return windows_without_common(kept, self.common)

    def sample(self, store: Store, where: Filter) -> Sequence[bytes]:
        """Return a sample of vectors of the memories that a filter admits, without the common component."""
        sample = store.sample_vectors(where, _SAMPLE)
        if self.common is None or not sample:
            return sample
        from memcli.recall.ranking.vectors import windows_without_common

        return windows_without_common({0: sample}, self.common)[0]


def search_vectors(
    embedder: Callable[[], Embedder] | None, asked: Question, anchor: Anchor | None, common: bytes
) -> tuple[SearchVectors | None, str | None]:
    """Embed the question: return its vectors and None, or None and the reason why it cannot be embedded.

    For `common` see `RankingSettings`.
    """
    if embedder is None:
        return None, "words only, as asked"
    try:
        model = embedder()
    except ModelUnusable as error:
        return None, str(error)
    from memcli.embedding.vectors import vector_rows, without_common
    from memcli.recall.ranking.vectors import question_vector

    event = anchor.phrase if anchor else asked.text
    texts = list(dict.fromkeys([asked.text, asked.statement, asked.content, event]))
    made, off = model.queries(texts), None
    if common:
        off = vector_rows([common])[0]
        made = without_common(made, off)
    vector = dict(zip(texts, made, strict=True))
    searched = question_vector(vector[asked.statement], vector[asked.content])
    judged = model.identity.is_default
    return SearchVectors(searched, vector[asked.text], vector[event], judged, off), None


def _nearest(store: Store, where: Filter, search: SearchVectors) -> list[Match]:
    """Return the nearest memories by vector, best first."""
    vector = search.vector.tobytes()
    return search_with_overtaken(store, where, DEPTH, lambda meant: store.nearest(vector, meant, DEPTH))


class CandidatePool:
    """The candidates of a question, by number, with their memories, vectors and places in their sessions.

    `asked` maps each query word to its share of the question's information; `by_words` are the memories that
    hold most of it, best first; `search` holds the query vectors, None if there is no vector search.
    """

    refs: list[Ref]
    """The candidates: the memories found, best first, then their neighbours."""
    memories: Mapping[Ref, Memory]
    """The candidates' memories, and those next to them in their sessions."""
    later: Mapping[Ref, Successor | None]
    """The memory in force that replaced each superseded one; None if none did."""
    shares: Sequence[float]
    """The share of the question's information that each word carries."""
    held: Sequence[frozenset[Ref]]
    """The memories that contain each word, among candidates and those around them."""
    covered: Mapping[Ref, float]
    """The share of the question's information that each of these contains."""
    vectors: Floats | None
    """The vectors of `refs`, centred, of unit length, one a row; None where meaning is not searched."""
    giving_way: frozenset[Ref]
    """The summaries whose turns are candidates and say as much: see `recall.summaries_told`."""
    most: float
    """The greatest share of the question's information that one candidate (not `giving_way`) holds."""
    nearest: float | None
    """The greatest cosine of a candidate's window to the question as it was asked."""

    def __init__(
        self,
        store: Store,
        where: Filter,
        asked: Mapping[Word, float],
        by_words: Sequence[Match],
        search: SearchVectors | None,
    ) -> None:
        self._past_since = where.at if where.past and not where.past_only else None
        self.shares = list(asked.values())
        by_meaning = _nearest(store, where, search) if search else []
        found, neighbours = self._collect(store, where, by_meaning, by_words)
        neighbours = self._restrict(store, where, list(asked), found, neighbours)
        self.refs = [ref for ref in (*found, *sorted(neighbours)) if ref in self.memories]
        self.vectors = None
        self._around = self._own = [0.0] * len(self.refs)
        windows = self._measure(store, where, search) if search else {}
        self.giving_way = self._giving_way(store, where, list(asked))
        telling = found.keys() - self.giving_way
        self.most = max((match.score for match in by_words if match.ref in telling), default=0.0)
        self.nearest = self._nearest_window(windows, search.raw) if search else None

    def _collect(
        self, store: Store, where: Filter, by_meaning: Sequence[Match], by_words: Sequence[Match]
    ) -> tuple[dict[Ref, None], set[Ref]]:
        """Return the memories found, best first, and the neighbours of the best; load all their memories.

        A superseded memory that nothing in force replaced is left out: it is no evidence of an answer.
        """
        found = dict.fromkeys(match.ref for match in (*by_meaning, *by_words))
        self._sessions = store.sessions(list(found))
        self._place = {ref: (s, n) for s, refs in enumerate(self._sessions) for n, ref in enumerate(refs)}
        best = {match.ref for match in (*by_meaning[:NEIGHBOURLY], *by_words[:NEIGHBOURLY])}
        neighbours = self._all_around(best, signals.WINDOW) - found.keys()
        beside = self._all_around((*found, *neighbours), 1)
        memories = store.memories_by_ref(sorted(beside | neighbours | found.keys()))
        self.later = successors(store, memories, where)
        ended = {ref for ref, successor in self.later.items() if successor is None}
        self.memories = {ref: each for ref, each in memories.items() if ref not in ended}
        return {ref: None for ref in found if ref not in ended}, neighbours - ended

    def _restrict(
        self, store: Store, where: Filter, asked: list[Word], found: dict[Ref, None], neighbours: set[Ref]
    ) -> set[Ref]:
        """Return the neighbours that the filter admits; the words of others do not count, either.

        Neighbours were added without the filter, so it is applied to them here.
        """
        around = self._all_around((*found, *neighbours), signals.WINDOW)
        holders = store.holding(asked, sorted(around | found.keys()))
        unfiltered = neighbours.union(*holders) - found.keys()
        meant = store.filter_refs(sorted(unfiltered), where) | found.keys()
        self.held = [each & meant for each in holders]
        self.covered = coverage(self.held, self.shares)
        return neighbours & meant

    def _nearest_window(self, windows: Mapping[Ref, Sequence[bytes]], question: Floats) -> float:
        """Return the cosine of the nearest window, without candidates that give way."""
        from memcli.recall.ranking.vectors import nearest_cosine

        telling = [some for ref, some in windows.items() if ref not in self.giving_way]
        return nearest_cosine([each for some in telling for each in some], question)

    def _all_around(self, refs: Iterable[Ref], reach: int) -> set[Ref]:
        """Return the memories within `reach` turns of each in its session."""
        return {ref for each in refs for ref in self.around(each, reach)}

    def around(self, ref: Ref, reach: int) -> Sequence[Ref]:
        """Return the memories within `reach` turns of one in its session, itself included; else none."""
        if ref not in self._place:
            return ()
        session, place = self._place[ref]
        return self._sessions[session][max(0, place - reach) : place + reach + 1]

    def _beside(self, ref: Ref, step: int) -> Ref:
        """Return the memory `step` places further on in its session; 0 if there is none."""
        session, place = self._place.get(ref, (-1, 0))
        there = session >= 0 and 0 <= place + step < len(self._sessions[session])
        return self._sessions[session][place + step] if there else 0

    def candidates(self) -> list[Candidate]:
        """Return the inputs of the signals, one per memory in the order of `refs`."""
        best: dict[int, float] = {}
        for ref, meaning in zip(self.refs, self._own, strict=True):
            if ref in self._place:
                session = self._place[ref][0]
                best[session] = max(best.get(session, -1.0), meaning)
        return [self._candidate(row, ref, best) for row, ref in enumerate(self.refs)]

    def _candidate(self, row: int, ref: Ref, best: Mapping[int, float]) -> Candidate:
        memory, words, leaning = self.memories[ref], self.covered.get(ref, 0.0), self._leaning(ref)
        return Candidate(
            text=memory.text,
            role=speaker_of(memory),
            happened_at=memory.happened_at,
            meaning=self._own[row],
            meaning_around=self._around[row],
            session_best=best.get(self._place.get(ref, (-1, 0))[0], -1.0),
            words=words,
            # A turn that does not depend on its neighbours is not lifted by their words.
            words_around=self._covered_around(ref) if leaning else words,
            in_session=len(self.around(ref, 1)) > 1,
            leaning=leaning,
            past=self._past_since is not None and is_past(memory, self._past_since),
            standing_out=self._standing_out(row, words),
        )

    def _standing_out(self, row: int, words: float) -> float:
        """Return how far a candidate's similarity stands above the median: 0 at the median, 1 at the best.

        Without vectors, 1 if it holds any word of the question. 1 where all are equal, or there are few.
        """
        if self.vectors is None:
            return float(words > 0)
        if len(self._own) < _FEW:
            return 1.0
        middle, best = self._spread
        return (self._own[row] - middle) / (best - middle) if best > middle else 1.0

    @cached_property
    def _spread(self) -> tuple[float, float]:
        """Return the median and the greatest similarity of the candidates."""
        ordered = sorted(self._own)
        return ordered[(len(ordered) - 1) // 2], ordered[-1]

    def _measure(self, store: Store, where: Filter, search: SearchVectors) -> Mapping[Ref, Sequence[bytes]]:
        """Compute similarities, alone and with neighbours, and return the windows of all known memories."""
        import numpy as np

        from memcli.recall.ranking import vectors

        vector = search.vector
        known = sorted(self.memories)
        rows = {ref: row for row, ref in enumerate(known)}
        kept = search.windows(store, known)
        judged = np.zeros((len(known), len(vector)), dtype=np.float32)
        if kept:
            judged[[rows[ref] for ref in kept]] = vectors.judged_windows(kept.values(), vector)
        everything = vectors.centred_vectors(
            judged, vectors.sample_mean(search.sample(store, where), len(vector))
        )
        self.vectors = everything[[rows[ref] for ref in self.refs]]
        before = [rows.get(self._beside(ref, -1), -1) for ref in self.refs]
        after = [rows.get(self._beside(ref, 1), -1) for ref in self.refs]
        self._own = (self.vectors @ vector).tolist()
        self._around = (
            vectors.blended_with_neighbours(self.vectors, before, after, everything) @ vector
        ).tolist()
        return kept

    def _giving_way(self, store: Store, where: Filter, asked: Sequence[Word]) -> frozenset[Ref]:
        candidates = {ref: self.memories[ref] for ref in self.refs}
        if not any(is_summary(memory) for memory in candidates.values()):
            return frozenset()
        from memcli.recall.summaries_told import told_summaries  # few questions find any

        own = dict(zip(self.refs, self._own, strict=True))
        return told_summaries(store, where, candidates, own, dict(zip(asked, self.held, strict=True)))

    def _covered_around(self, ref: Ref) -> float:
        near = self.around(ref, signals.WINDOW) or (ref,)
        return sum(
            share
            for share, holders in zip(self.shares, self.held, strict=True)
            if not holders.isdisjoint(near)
        )

    def _leaning(self, ref: Ref) -> float:
        if ref not in self._place:
            return 0.0
        memory = self.memories[ref]
        beside = [
            speaker_of(self.memories[each])
            for each in self.around(ref, 1)
            if each != ref and each in self.memories
        ]
        return signals.context_need(speaker_of(memory), beside, len(memory.text.split()))
