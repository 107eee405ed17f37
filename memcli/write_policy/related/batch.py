"""Batch look-up of related memories: for many new ones at once, found and judged before the transaction.

Every stored vector is read once and compared by blockwise matrix products. Each pair is judged beforehand
and keeps its judgement; inside the transaction its memory is read anew, and judged again only if its text
has changed meanwhile.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from memcli.embedding.scale import as_cosine, as_likeness, comparable_rows
from memcli.model import KNOWLEDGE, Filter, Memory, Ref, is_statement
from memcli.named_tuple import NamedTuple
from memcli.storage import Store, Vector
from memcli.write_policy.related.judging_process import WORTH, Case, JudgingProcess, judge
from memcli.write_policy.related.lookup import (
    JUDGED,
    NEAR_ENOUGH,
    NEAREST,
    RelatedLookup,
    RelatedMemories,
    RelatedMemory,
    has_ended,
)
from memcli.write_policy.write_buffer import WriteBuffer

if TYPE_CHECKING:
    from memcli.embedding.scale import CosineScale
    from memcli.embedding.vectors import Floats

# Least cosine of a neighbour that is judged for a memory that tells of a change (instead of NEAR_ENOUGH).
_NEAR_A_CHANGE = 0.45
# Stored memories are keyed by row number, those of the batch by id.
Key = Ref | str


class RelatedInBatch(RelatedLookup):
    """The look-up for many memories; it can serve several batches, and what one adds is found by the next.

    Only neighbours nearer than `NEAR_ENOUGH` are judged (for memories that tell of a change, somewhat
    farther ones too): what shares few words is mostly judged for nothing.
    """

    def __init__(self, store: Store, now: datetime) -> None:
        super().__init__(store, now)
        self.buffer: WriteBuffer = WriteBuffer(store)
        self._rows: dict[str, _Rows] = {}
        self._taken: list[tuple[Memory, Vector]] = []
        # Vectors of the expiring episodes, by space.
        self._passing: dict[str, _Rows] = {}
        self._judging: JudgingProcess | None = None
        self._ended_in: set[str] = set()

    def of(
        self,
        new: Sequence[tuple[Memory, Vector | None]],
        *,
        judged: bool,
        told_changes: Collection[str] = (),
        scale: CosineScale | None = None,
    ) -> list[RelatedMemories]:
        """Return what is related to each of these, judged: in the store, and among those before it."""
        if len(new) >= WORTH and not self._judging:
            self._judging = JudgingProcess()
        self._add_taken()
        knowledge = [(m, vector) for m, vector in new if vector is not None and is_statement(m)]
        near = self._near(knowledge, told_changes, scale)
        keys = dict.fromkeys(key for some in near.values() for key, _ in some)
        known = _read(self._store, keys, self.buffer)
        known.update((memory.id, memory) for memory, _ in knowledge)
        found: list[_RelatedToOne] = []
        for memory, vector in new:
            pairs = [
                _Pair(key, RelatedMemory(memory.text, known[key], cosine, judged=judged))
                for key, cosine in near.get(memory.id, ())
                if key in known and is_statement(known[key])
            ]
            found.append(
                _RelatedToOne(self, self._store, self._now, memory, vector, pairs, scale, judged=judged)
            )
        self._judge([each.case() for each in found])
        spaces = {memory.space for memory, _ in new}
        self._ended_in = {space for space in spaces if has_ended(self._store, space, self._now)}
        for each in found:
            each.look_at_forgotten()
        self._read_passing(spaces, scale)
        return [*found]

    def has_ended_in(self, space: str) -> bool:
        """True if anything had ended in a space when the batch was looked up."""
        return space in self._ended_in

    def end(self) -> None:
        """Drop the judging process; it ends when nothing refers to it."""
        self._judging = None

    def _judge(self, cases: Sequence[Case]) -> None:
        if self._judging:
            self._judging.judge(cases)
        else:
            judge(cases)

    def note_taken(self, memory: Memory, vector: Vector) -> None:
        """Record that a memory was written, so that those after it are compared with it."""
        if is_statement(memory):
            self._taken.append((memory, vector))
        elif memory.expires_at:
            self._passing[memory.space].add([(memory.id, vector)])

    def passing_near(self, memory: Memory, vector: Vector) -> Iterator[tuple[Memory, float]]:
        """Yield the current expiring episodes nearest to a vector, with cosines, best first."""
        rows = self._passing[memory.space]
        near = [*rows.nearest(vector, NEAREST)]
        there = _read(self._store, [key for key, _ in near], self.buffer)
        for key, likeness in near:
            if key in there and there[key].id != memory.id and there[key].ended_at is None:
                yield there[key], likeness

    def _read_passing(self, spaces: Collection[str], scale: CosineScale | None) -> None:
        for space in spaces - self._passing.keys():
            where = Filter(spaces=(space,), kinds=("episode",), expiring=True, at=self._now)
            self._passing[space] = _Rows(scale)
            self._passing[space].add(self._store.each_vector(where))

    def _add_taken(self) -> None:
        """Add the memories noted as written, unless their transaction was rolled back."""
        there = {memory.id for memory in self._store.get([memory.id for memory, _ in self._taken])}
        for space, rows in self._rows.items():
            rows.add([(m.id, v) for m, v in self._taken if m.space == space and m.id in there])
        self._taken.clear()

    def _near(
        self,
        new: Sequence[tuple[Memory, Vector]],
        told_changes: Collection[str],
        scale: CosineScale | None,
    ) -> dict[str, list[tuple[Key, float]]]:
        """Map each new memory's id to the keys of its neighbours and their cosines, best first."""
        from memcli.embedding.nearest import nearest_in_batch

        found: dict[str, list[tuple[Key, float]]] = {}
        for space in dict.fromkeys(memory.space for memory, _ in new):
            if space not in self._rows:
                where = Filter(spaces=(space,), kinds=(*KNOWLEDGE, "procedure"), at=self._now)
                # Episodes that make a statement count, too; conversation turns, which are many, make none.
                happened = where._replace(kinds=("episode",), by_itself=True)
                self._rows[space] = _Rows(scale)
                self._rows[space].add(self._store.each_vector(where))
                self._rows[space].add(self._store.each_vector(happened))
            known = self._rows[space]
            ids = [memory.id for memory, _ in new if memory.space == space]
            matrix = comparable_rows([vector for memory, vector in new if memory.space == space], scale)
            least = _NEAR_A_CHANGE if told_changes else NEAR_ENOUGH
            for each in nearest_in_batch(matrix, known.matrix, as_cosine(least, scale), NEAREST):
                likeness = as_likeness(each.cosine, scale)
                if likeness >= NEAR_ENOUGH or ids[each.row] in told_changes:
                    other = ids[each.other] if each.among_new else known.keys[each.other]
                    found.setdefault(ids[each.row], []).append((other, likeness))
        return found


class _Pair(NamedTuple):
    """A neighbour of a new memory, and their relation as judged before the transaction."""

    key: Key
    related: RelatedMemory


class _RelatedToOne(RelatedMemories):
    """The related memories of one memory of a batch: found beforehand, re-read from the store when used."""

    def __init__(
        self,
        lookup: RelatedInBatch,
        store: Store,
        now: datetime,
        memory: Memory,
        vector: Vector | None,
        pairs: Sequence[_Pair],
        scale: CosineScale | None,
        *,
        judged: bool,
    ) -> None:
        super().__init__(store, now, memory, vector, judged=judged, scale=scale)
        self._lookup = lookup
        self._pairs = pairs

    def case(self) -> Case:
        """Return the new memory and the neighbours that are to be judged beforehand."""
        near = [related for _, related in self._pairs if related.memory.ended_at is None]
        return self._memory, near[:JUDGED]

    def look_at_forgotten(self) -> None:
        """Compute `forgotten` now, while no transaction is open; the property caches it."""
        if is_statement(self._memory):
            self.forgotten  # noqa: B018 - kept

    @property
    def _has_ended(self) -> bool:
        return self._lookup.has_ended_in(self._memory.space)

    @cached_property
    def nearest(self) -> Sequence[RelatedMemory]:
        """The nearest neighbours in their current state, best first."""
        found: list[RelatedMemory] = []
        # The first few are mostly unchanged, so that the rest need not be read.
        for some in (self._pairs[:JUDGED], self._pairs[JUDGED:]):
            wanted = JUDGED - len(found)
            if not (some and wanted):
                break
            there = _read(self._store, [key for key, _ in some], self._lookup.buffer)
            now = [related.as_now(there[key]) for key, related in some if key in there]
            others = (e for e in now if e.memory.id != self._memory.id and e.memory.ended_at is None)
            found += islice(others, wanted)
        return found

    @property
    def _beyond(self) -> float | None:
        return self._pairs[JUDGED].related.cosine if len(self._pairs) > JUDGED else None

    def _passing_near(self) -> Iterator[tuple[Memory, float]]:
        return iter(()) if self._vector is None else self._lookup.passing_near(self._memory, self._vector)

    def note_taken(self, memory: Memory) -> None:
        if self._vector is not None:
            self._lookup.note_taken(memory, self._vector)


def _read(store: Store, keys: Iterable[Key], buffer: WriteBuffer) -> dict[Key, Memory]:
    """Return memories in their current state, by row number or id; those that are gone are left out."""
    refs, ids = list[Ref](), list[str]()
    for key in keys:
        ids.append(key) if isinstance(key, str) else refs.append(key)
    found: dict[Key, Memory] = {}
    found.update(store.memories_by_ref(refs).items() if refs else ())
    found.update(buffer.read(ids).items() if ids else ())
    return found


class _Rows:
    """Vectors to compare with, one a row, each with the key of its memory."""

    def __init__(self, scale: CosineScale | None) -> None:
        import numpy as np

        self._scale = scale
        self.keys: list[Key] = []
        self._room = np.zeros((0, 0), dtype=np.float32)

    @property
    def matrix(self) -> Floats:
        """The vectors as a matrix, rows in the order of `keys`."""
        return self._room[: len(self.keys)]

    def nearest(self, vector: Vector, limit: int) -> Iterator[tuple[Key, float]]:
        """Yield the keys of the rows nearest to a vector, with their cosines, best first."""
        if self.keys:
            cosines = self.matrix @ comparable_rows([vector], self._scale)[0]
            for row in cosines.argsort()[::-1][:limit].tolist():
                yield self.keys[row], as_likeness(float(cosines[row]), self._scale)

    def add(self, vectors: Iterable[tuple[Key, Vector]]) -> None:
        import numpy as np

        some = list(vectors)
        if not some:
            return
        fresh = comparable_rows([vector for _, vector in some], self._scale)
        rows = len(self.keys)
        if rows + len(fresh) > len(self._room):
            # Twice the room each time: a batch of one must not copy all that is there.
            wider = np.zeros((2 * rows + len(fresh), fresh.shape[1]), dtype=np.float32)
            wider[:rows] = self.matrix if rows else 0
            self._room = wider
        self._room[rows : rows + len(fresh)] = fresh
        self.keys += [key for key, _ in some]
