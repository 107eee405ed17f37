"""Pairs of near memories in a space: every vector is read once a run and compared in blocks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from memcli.embedding.scale import as_cosine, as_likeness, comparable_rows, store_scale
from memcli.model import Memory, Ref
from memcli.named_tuple import NamedTuple
from memcli.scope import Scope

if TYPE_CHECKING:
    from memcli.embedding.scale import CosineScale
    from memcli.embedding.vectors import Floats


class Pair(NamedTuple):
    """Two live memories close to each other, the older one first.

    The cosine is on the scale of the default model.
    """

    older: Memory
    newer: Memory
    cosine: float


class PairFinder:
    """Finds pairs among the live memories of a space, by their vectors as of the first call."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._unseen: set[str] = set()
        self._stale = False
        self._reset()

    def _reset(self) -> None:
        self._refs: list[Ref] = []
        self._place: dict[Ref, int] = {}
        self._rows: Floats | None = None
        self._scale: CosineScale | None = None
        self._known: dict[Ref, Memory] = {}

    @property
    def is_judged(self) -> bool:
        """True if the vectors are of the model that the judges were trained on."""
        bound = self._scope.store.model()
        return bound is not None and bound.is_default

    def begin(self, unseen: Iterable[str]) -> None:
        """Start a step that will look at these memories; memories added before are included from now on."""
        if self._stale:
            self._reset()
        self._stale = False
        self._unseen = set(unseen)

    def look_at(self, some: Iterable[str]) -> None:
        """Record which of them the step looks at now."""
        self._unseen.difference_update(some)

    def leave_out(self, some: Iterable[str]) -> None:
        """Exclude memories for the current step, because others with the same text stand for them."""
        gone = set(self._scope.store.refs_by_id(list(some)).values())
        rows = self._all_rows()
        if rows is None or not gone:
            return
        kept = [row for row, ref in enumerate(self._refs) if ref not in gone]
        self._take([self._refs[row] for row in kept], rows[kept])
        self._stale = True

    def note_added(self) -> None:
        """Record that memories were added: they are read when the next step begins."""
        self._stale = True

    def pairs(
        self, some: Sequence[Memory], kinds: Sequence[str], least: float, most: int, *, once: bool = False
    ) -> list[Pair]:
        """Return each of `some` paired with up to `most` others of these kinds, from the cosine `least` up.

        Each pair once, in order of time of the newer memory; for the same newer one the closest first. With
        `once`, pairs with a memory that the step looks at later are left until then, so that nothing is
        compared twice.
        """
        from memcli.embedding.nearest import nearest_in_batch

        rows = self._all_rows()
        refs = self._scope.store.refs_by_id([memory.id for memory in some])
        wanted = [ref for memory in some if (ref := refs.get(memory.id)) in self._place]
        if rows is None or not wanted:
            return []
        from_here = as_cosine(least, self._scale)
        close = nearest_in_batch(rows[[self._place[ref] for ref in wanted]], rows, from_here, most + 1)
        found = [
            (wanted[near.row], self._refs[near.other], as_likeness(near.cosine, self._scale))
            for near in close
            if not near.among_new
        ]
        memories = self._named({ref for a, b, _ in found for ref in (a, b)})
        pairs: dict[tuple[str, str], Pair] = {}
        for one, other, cosine in found:
            if one == other or one not in memories or other not in memories:
                continue
            if once and memories[other].id in self._unseen:
                continue
            older, newer = sorted((memories[one], memories[other]), key=_when)
            if older.kind in kinds and newer.kind in kinds:
                pairs.setdefault((newer.id, older.id), Pair(older, newer, cosine))
        return sorted(pairs.values(), key=lambda each: (_when(each.newer), -each.cosine, each.older.id))

    def note_changed(self, changed: Iterable[str]) -> None:
        """Record which memories have changed: they are read again when next needed."""
        if not self._known:
            return
        for ref in self._scope.store.refs_by_id(list(changed)).values():
            self._known.pop(ref, None)

    def _all_rows(self) -> Floats | None:
        if self._rows is None:
            self._scale = store_scale(self._scope.store)
            vectors = list(self._scope.store.each_vector(self._scope.within()))
            rows = comparable_rows([vector for _, vector in vectors], self._scale) if vectors else None
            self._take([ref for ref, _ in vectors], rows)
        return self._rows

    def _take(self, refs: list[Ref], rows: Floats | None) -> None:
        self._refs, self._rows = refs, rows
        # Of several windows the first one counts, which is the beginning of the text.
        self._place = {ref: row for row, ref in reversed(list(enumerate(refs)))}

    def _named(self, refs: set[Ref]) -> dict[Ref, Memory]:
        self._known.update(self._scope.store.memories_by_ref(sorted(refs - self._known.keys())))
        return self._known


def _when(memory: Memory) -> tuple[object, str]:
    return memory.happened_at, memory.id
