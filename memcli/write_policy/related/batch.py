"""What is related to each of many memories on their way in: looked up and judged before a transaction.

Every vector is read once and compared by products of matrices in blocks. A pair is
judged then, and its judgement is carried along; inside the transaction its memory is
read anew, and judged again only if its text has changed meanwhile.
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

# What tells of a change is judged beside what is so near (cosine).
_NEAR_A_CHANGE = 0.45
# What the store has is known by its number, what is on its way in by its id.
Key = Ref | str


class RelatedInBatch(RelatedLookup):
    """The look-up for many. One serves several batches: what one brings is there for the next.

    Only what is nearer than `NEAR_ENOUGH` is looked at, and by what tells of a change what is somewhat
    farther, too: what shares few words is judged for nothing, most of the time.
    """

    def __init__(self, store: Store, now: datetime) -> None:
        super().__init__(store, now)
        self.buffer: WriteBuffer = WriteBuffer(store)
        self._rows: dict[str, _Rows] = {}
        self._taken: list[tuple[Memory, Vector]] = []
        # What passes, by space.
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
        """What is related to each of these, judged: in the store, and among those before it."""
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
        """Whether anything had ended in a space when these were looked around."""
        return space in self._ended_in

    def end(self) -> None:
        """Have no process any more that judges for us: it ends when nobody holds it."""
        self._judging = None

    def _judge(self, cases: Sequence[Case]) -> None:
        if self._judging:
            self._judging.judge(cases)
        else:
            judge(cases)

    def note_taken(self, memory: Memory, vector: Vector) -> None:
        """Say that a memory was written: those that follow are compared with it too."""
        if is_statement(memory):
            self._taken.append((memory, vector))
        elif memory.expires_at:
            self._passing[memory.space].add([(memory.id, vector)])

    def passing_near(self, memory: Memory, vector: Vector) -> Iterator[tuple[Memory, float]]:
        """What passes and is nearest to a vector, as it is by now, with its cosine, best first."""
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
        """Add what was written and is in the store: a transaction may have been rolled back meanwhile."""
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
        """By the id of each what it is near to and how alike they are, best first."""
        from memcli.embedding.nearest import nearest_in_batch

        found: dict[str, list[tuple[Key, float]]] = {}
        for space in dict.fromkeys(memory.space for memory, _ in new):
            if space not in self._rows:
                where = Filter(spaces=(space,), kinds=(*KNOWLEDGE, "procedure"), at=self._now)
                # What happened may be stated as well; turns, which are many, state nothing.
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
    """What a new memory is near to, and how the two are related by what was read before the transaction."""

    key: Key
    related: RelatedMemory


class _RelatedToOne(RelatedMemories):
    """What is related to one of many: found beforehand, and read anew when it is asked."""

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
        """What is judged beforehand."""
        near = [related for _, related in self._pairs if related.memory.ended_at is None]
        return self._memory, near[:JUDGED]

    def look_at_forgotten(self) -> None:
        """Compare with what was forgotten while no transaction is open yet: the result is kept."""
        if is_statement(self._memory):
            self.forgotten  # noqa: B018 - kept

    @property
    def _has_ended(self) -> bool:
        return self._lookup.has_ended_in(self._memory.space)

    @cached_property
    def nearest(self) -> Sequence[RelatedMemory]:
        """The nearest that were found, best first, as they are by now."""
        found: list[RelatedMemory] = []
        # Mostly the first are as they were, and no more are read.
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
    """Memories as they are now, by number or id; those that are gone are left out."""
    refs, ids = list[Ref](), list[str]()
    for key in keys:
        ids.append(key) if isinstance(key, str) else refs.append(key)
    found: dict[Key, Memory] = {}
    found.update(store.memories_by_ref(refs).items() if refs else ())
    found.update(buffer.read(ids).items() if ids else ())
    return found


class _Rows:
    """Vectors to compare with, one in a row, each with the key of its memory."""

    def __init__(self, scale: CosineScale | None) -> None:
        import numpy as np

        self._scale = scale
        self.keys: list[Key] = []
        self._room = np.zeros((0, 0), dtype=np.float32)

    @property
    def matrix(self) -> Floats:
        """The rows, in the order of their keys."""
        return self._room[: len(self.keys)]

    def nearest(self, vector: Vector, limit: int) -> Iterator[tuple[Key, float]]:
        """Whose rows are nearest to a vector, with their cosines, best first."""
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
