"""The candidates for one question, and what the store knows of them and their neighbours.

Few queries over few hundred memories, whatever the size of the store; what
comes out is what `memcli.ranking.signals` is computed from.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from memcli.model import Filter, Memory, Ref
from memcli.ranking import signals
from memcli.ranking.coverage import coverage, weights
from memcli.ranking.question import Question
from memcli.ranking.signals import Candidates, Floats
from memcli.storage import Store

# Deep enough that fusion never starves: what one search ranks low the others may lift.
DEPTH = 200
# The neighbours of so many of the best are candidates too: an answer may share no word.
NEIGHBOURLY = 50
# With many windows a long text draws many lots: a later one must be nearer to the question by
# this (cosine) to speak for the whole. 0 costs BEAM's long messages 1 point of R@10.
CLEARLY = 0.2
# Vectors from which the mean of a space is taken.
_SAMPLE = 256


class Pool:
    """Candidates by number, with their memories, vectors and places in their sessions.

    `vector` is what the question is searched by, unit, or None where meaning
    is not searched; `total` is how many memories the filter means.
    """

    def __init__(
        self, store: Store, where: Filter, asked: Question, vector: Floats | None, total: int
    ) -> None:
        self.asked = asked
        self.vector = vector
        self.held = store.holding(asked.terms, where)
        self.shares = weights(self.held, total)
        self.covered = coverage(self.held, self.shares)
        by_words = sorted(self.covered, key=lambda ref: (-self.covered[ref], -ref))[:DEPTH]
        nearest = store.nearest(vector.tobytes(), where, DEPTH) if vector is not None else []
        by_meaning = [match.ref for match in nearest]
        found = dict.fromkeys([*by_meaning, *by_words])
        self._sessions = store.sessions(list(found))
        self._place = {ref: (s, n) for s, refs in enumerate(self._sessions) for n, ref in enumerate(refs)}
        best = dict.fromkeys([*by_meaning[:NEIGHBOURLY], *by_words[:NEIGHBOURLY]])
        near = {ref for each in best for ref in self.around(each, signals.WINDOW)} - found.keys()
        beside = {ref for each in (*found, *near) for ref in self.around(each, 1)}
        self.memories = store.referred(sorted(beside | near | found.keys()))
        # Neighbours come in by the back door: the filter must hold for them too.
        meant = store.among(sorted(near), where)
        self.refs = [ref for ref in (*found, *sorted(meant)) if ref in self.memories]
        self._vectors = store.vectors(sorted(self.memories)) if vector is not None else {}
        self._mean = _mean(store.sample(where, _SAMPLE)) if vector is not None else None

    def around(self, ref: Ref, reach: int) -> Sequence[Ref]:
        """The memories of its session within `reach` turns, itself among them; none without a session."""
        if ref not in self._place:
            return ()
        session, place = self._place[ref]
        return self._sessions[session][max(0, place - reach) : place + reach + 1]

    def candidates(self) -> Candidates:
        """Everything the signals are made of, a row a candidate, in the order of `refs`."""
        memories = [self.memories[ref] for ref in self.refs]
        vectors = self.vectors_of(self.refs)
        own = vectors @ self.vector if self.vector is not None else np.zeros(len(memories), np.float32)
        best: dict[int, float] = {}
        for ref, meaning in zip(self.refs, own, strict=True):
            if ref in self._place:
                session = self._place[ref][0]
                best[session] = max(best.get(session, -1.0), float(meaning))
        return Candidates(
            texts=[memory.text for memory in memories],
            roles=[role_of(memory) for memory in memories],
            happened=[memory.happened_at for memory in memories],
            vectors=vectors,
            around=self._among_neighbours(vectors),
            words=_floats(self.covered.get(ref, 0.0) for ref in self.refs),
            words_around=_floats(self._covered_around(ref) for ref in self.refs),
            session_best=_floats(best.get(self._place.get(ref, (-1, 0))[0], -1.0) for ref in self.refs),
            in_session=_floats(len(self.around(ref, 1)) > 1 for ref in self.refs),
            leaning=_floats(self._leaning(ref) for ref in self.refs),
        )

    def vectors_of(self, refs: Sequence[Ref]) -> Floats:
        """The window by which each is judged, centred, unit; zero where there is none."""
        if self.vector is None or self._mean is None:
            return np.zeros((len(refs), 1), dtype=np.float32)
        nearest = np.zeros((len(refs), len(self.vector)), dtype=np.float32)
        for row, ref in enumerate(refs):
            if ref in self._vectors:
                parts = self._vectors[ref]
                windows = np.frombuffer(b"".join(parts), dtype="<f4").reshape(len(parts), -1)
                nearest[row] = windows[_telling(windows @ self.vector) if len(parts) > 1 else 0]
        there = nearest.any(axis=1, keepdims=True)
        return np.where(there, signals.centred(signals.unit(nearest), self._mean), 0).astype(np.float32)

    def _among_neighbours(self, own: Floats) -> Floats:
        """Each with half of the turns before and after it: unit(own + ½ before + ½ after)."""
        beside = [
            (row, each)
            for row, ref in enumerate(self.refs)
            for each in self.around(ref, 1)
            if each != ref and each in self._vectors
        ]
        if not beside:
            return own
        together = own.copy()
        rows, refs = zip(*beside, strict=True)
        np.add.at(together, list(rows), 0.5 * self.vectors_of(refs))
        return np.where(together.any(axis=1, keepdims=True), signals.unit(together), 0).astype(np.float32)

    def _covered_around(self, ref: Ref) -> float:
        near = self.around(ref, signals.WINDOW) or (ref,)
        return sum(
            share
            for share, holders in zip(self.shares, self.held, strict=True)
            if any(each in holders for each in near)
        )

    def _leaning(self, ref: Ref) -> float:
        memory = self.memories[ref]
        beside = [
            role_of(self.memories[each])
            for each in self.around(ref, 1)
            if each != ref and each in self.memories
        ]
        return signals.leaning(role_of(memory), beside, len(memory.text.split()))


def role_of(memory: Memory) -> str:
    """Who said it; empty where nobody is known."""
    role = memory.data.get("role")
    return role if isinstance(role, str) else ""


def _telling(nearness: Floats) -> int:
    """The window by which a long text is judged: its first, or one that is clearly nearer."""
    return int(np.argmax(np.append(nearness[:1], nearness[1:] - CLEARLY)))


def _mean(sample: Sequence[bytes]) -> Floats:
    if not sample:
        return np.zeros(1, dtype=np.float32)
    mean: Floats = np.frombuffer(b"".join(sample), dtype="<f4").reshape(len(sample), -1).mean(axis=0)
    return mean


def _floats(values: Iterable[float]) -> Floats:
    return np.fromiter(values, dtype=np.float32)
