"""What the store holds near a memory on its way in, and how they relate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from memcli.model import KNOWLEDGE, Filter, Memory, Ref
from memcli.storage import Store, Vector
from memcli.text.comparison.duplicates import SAME_MEANING, compare
from memcli.text.contradiction.contradictions import may_contradict
from memcli.write_policy.claimants import BatchClaimants, Claimants

if TYPE_CHECKING:
    from memcli.embedding.nearest import Floats

# So many of the nearest are compared.
_NEAR = 8
# In a batch nothing farther away is looked at: most pairs of a store are nearer than chance would have it.
NEAR_ENOUGH = 0.55


class Near:
    """A memory near the new one: `same`, `changed` or `different`, and how it may contradict it."""

    def __init__(self, new: Memory, memory: Memory, cosine: float, claimed: str | None = None) -> None:
        self.memory = memory
        self._new = new
        self._cosine = cosine
        self._claimed = claimed

    @cached_property
    def verdict(self) -> str:
        """By their texts and the cosine of their vectors."""
        return "different" if self._claimed else _verdict(self._new.text, self.memory.text, self._cosine)

    @cached_property
    def objection(self) -> str | None:
        """What makes it likely that both cannot hold; asked for where it is needed only."""
        if self._claimed or self.verdict == "same":
            return self._claimed
        return _objection(self._new.text, self.memory.text, self._cosine)


# Who judges a batch before a transaction finds the same judgement inside it, at once.
@lru_cache(maxsize=8192)
def _verdict(new: str, old: str, cosine: float) -> str:
    return compare(new, old, cosine).verdict


@lru_cache(maxsize=8192)
def _objection(new: str, old: str, cosine: float) -> str | None:
    return may_contradict(new, old, cosine)


class Neighbourhood:
    """Looks for the memories nearest to each new one, one search a memory: for few."""

    def __init__(self, store: Store, now: datetime) -> None:
        self._store = store
        self._now = now
        self._claimants = Claimants(store, now)

    def prepare(self, new: Sequence[tuple[Memory, Vector]]) -> None:
        """Say which memories will be asked about, with their vectors."""

    def of(self, memory: Memory, vector: Vector | None) -> Iterator[Near]:
        """The nearest, best first; none where there is no vector."""
        if vector is None:
            return
        where = Filter(spaces=(memory.space,), kinds=KNOWLEDGE, at=self._now)
        matches = self._store.nearest(vector, where, _NEAR)
        memories = self._store.referred([match.ref for match in matches])
        for match in matches:
            old = memories[match.ref]
            if old.id != memory.id:
                yield Near(memory, old, match.score)

    def passing(self, memory: Memory, vector: Vector | None) -> Memory | None:
        """The passing statement that says the same and has not ended: an episode that expires, no turn."""
        if vector is None:
            return None
        where = Filter(spaces=(memory.space,), kinds=("episode",), at=self._now)
        matches = [
            match for match in self._store.nearest(vector, where, _NEAR) if match.score >= SAME_MEANING
        ]
        found = self._store.referred([match.ref for match in matches])
        for match in matches:
            old = found[match.ref]
            recorded = old.session is not None or "role" in old.data
            if old.id == memory.id or old.expires_at is None or recorded or old.trusted != memory.trusted:
                continue
            if Near(memory, old, match.score).verdict == "same":
                return old
        return None

    def claiming(self, memory: Memory) -> list[Near]:
        """Those that claim something else of the same thing, however far their vectors are; newest first."""
        found = self._claimants.overtaken(memory)
        return [Near(memory, old, 0.0, objection) for old, objection in found]


class Batch(Neighbourhood):
    """The same for many: every vector is read once, then compared by products of matrices in blocks.

    All of the slow work is done by `prepare`, so it is to be called before a
    transaction opens; `of` looks each neighbour up anew and judges it again
    only if its text has changed since. Only what is nearer than `NEAR_ENOUGH`
    is looked at; that leaves out some contradictions that share few words, and
    no duplicate.
    """

    def __init__(self, store: Store, now: datetime) -> None:
        super().__init__(store, now)
        self._claimants: BatchClaimants = BatchClaimants(store, now)
        self._rows: dict[str, _Rows] = {}
        self._new: list[tuple[Memory, Vector]] = []
        self._near: dict[str, list[tuple[Ref | str, float]]] = {}

    def prepare(self, new: Sequence[tuple[Memory, Vector]]) -> None:
        """Compare them with what is there and with each other, all at once.

        Called once more with the same memories it does nothing.
        """
        from memcli.embedding.nearest import nearest_in_batch

        if [(memory.id, vector) for memory, vector in new] == [(m.id, v) for m, v in self._new]:
            return
        # Of the batch before, what was taken in is there now.
        there = {memory.id for memory in self._store.get([memory.id for memory, _ in self._new])}
        for space, rows in self._rows.items():
            rows.add([(m.id, v) for m, v in self._new if m.space == space and m.id in there])
        self._new = list(new)
        self._near = {}
        self._claimants.prepare(memory for memory, _ in new)
        for space in dict.fromkeys(memory.space for memory, _ in new):
            if space not in self._rows:
                where = Filter(spaces=(space,), kinds=KNOWLEDGE, at=self._now)
                self._rows[space] = _Rows()
                self._rows[space].add(self._store.each_vector(where))
            known = self._rows[space]
            keys = [memory.id for memory, _ in new if memory.space == space]
            matrix = unit_rows([vector for memory, vector in new if memory.space == space])
            for near in nearest_in_batch(matrix, known.matrix, NEAR_ENOUGH, _NEAR):
                other = keys[near.other] if near.among_new else known.keys[near.other]
                self._near.setdefault(keys[near.row], []).append((other, near.cosine))
        self._think()

    def _think(self) -> None:
        """Judge now what `of` will be asked."""
        mine = {memory.id: memory for memory, _ in self._new}
        refs = {key for near in self._near.values() for key, _ in near if not isinstance(key, str)}
        there = self._store.referred(sorted(refs))
        ids = [key for near in self._near.values() for key, _ in near if isinstance(key, str)]
        taken = {memory.id: memory for memory in self._store.get(ids)}
        for memory_id, found in self._near.items():
            # As in the gate: every verdict, and objections until there is one.
            doubted = False
            for key, cosine in found:
                old = (mine.get(key) or taken.get(key)) if isinstance(key, str) else there.get(key)
                if old and old.id != memory_id and old.ended_at is None:
                    near = Near(mine[memory_id], old, cosine)
                    differs = near.verdict != "same"
                    doubted = doubted or (differs and near.objection is not None)

    def of(self, memory: Memory, vector: Vector | None) -> Iterator[Near]:
        """The nearest that were found by `prepare`, best first."""
        for key, cosine in self._near.get(memory.id, ()):
            found = self._store.get([key]) if isinstance(key, str) else self._store.referred([key]).values()
            for old in found:
                if old.id != memory.id and old.ended_at is None:
                    yield Near(memory, old, cosine)

    def claiming(self, memory: Memory) -> list[Near]:
        """As for few; and it is noted for those that follow."""
        found = super().claiming(memory)
        self._claimants.note(memory)
        return found


class _Rows:
    """Unit vectors, a row each, and whose they are: a number in the store, or an id."""

    def __init__(self) -> None:
        import numpy as np

        self.keys: list[Ref | str] = []
        self._room = np.zeros((0, 0), dtype=np.float32)

    @property
    def matrix(self) -> Floats:
        """The rows, in the order of their keys."""
        return self._room[: len(self.keys)]

    def add(self, vectors: Iterable[tuple[Ref | str, Vector]]) -> None:
        import numpy as np

        some = list(vectors)
        if not some:
            return
        fresh = unit_rows([vector for _, vector in some])
        rows = len(self.keys)
        if rows + len(fresh) > len(self._room):
            # Twice the room each time: a batch of one must not copy all that is there.
            wider = np.zeros((2 * rows + len(fresh), fresh.shape[1]), dtype=np.float32)
            wider[:rows] = self.matrix if rows else 0
            self._room = wider
        self._room[rows : rows + len(fresh)] = fresh
        self.keys += [key for key, _ in some]


def unit_rows(vectors: Sequence[Vector]) -> Floats:
    """Vectors as the rows of a matrix, each of length 1."""
    import numpy as np

    rows = np.frombuffer(b"".join(vectors), dtype="<f4").reshape(len(vectors), -1)
    unit: Floats = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    return unit
