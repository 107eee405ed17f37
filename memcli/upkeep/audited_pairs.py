"""Audited pairs: memories with equal texts are grouped once, the others compared if they are near."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property

from memcli.consolidation.mergeable import merge_key
from memcli.judgement.pairs import judge_pairs, told_update
from memcli.judgement.thresholds import threshold
from memcli.model import KNOWLEDGE, UPDATE_OF, Memory, judged_likely, judged_updates
from memcli.named_tuple import NamedTuple
from memcli.scope import Scope
from memcli.storage.batches import in_batches
from memcli.text.comparison.duplicates import text_key
from memcli.text.comparison.screening import TextSketch, may_be_same
from memcli.write_policy.related.lookup import NEAR_ENOUGH, RelatedMemory

# How many older neighbours of a memory are compared.
_NEAREST = 5
# How many rows are compared between two reports of progress.
_ROWS = 4096
# How many pairs are judged at once.
_JUDGED = 64
# A memory, an older one, and the cosine of their vectors, on the default model's scale.
_Pair = tuple[Memory, Memory, float]


class NearPair(NamedTuple):
    """A memory and an older one near it, which may say the same."""

    newer: Memory
    near: RelatedMemory


class AuditedPairs:
    """The live knowledge of a space in order of arrival; each part is read when first needed.

    `progress` is called with how many memories were compared.
    """

    def __init__(self, scope: Scope, progress: Callable[[int], None] = lambda done: None) -> None:
        self._scope = scope
        self._progress = progress

    @cached_property
    def knowledge(self) -> list[Memory]:
        """The memories that state something, oldest first."""
        found = self._scope.store.select(self._scope.within(kinds=KNOWLEDGE), order="oldest")
        return sorted(found, key=lambda each: each.created_at)

    @cached_property
    def groups(self) -> list[list[Memory]]:
        """Groups (two or more) of the same text with equal `merge_key`, oldest first."""
        found: list[list[Memory]] = []
        for group in self._same_texts:
            by_key: dict[tuple[object, ...], list[Memory]] = {}
            for memory in group:
                by_key.setdefault(merge_key(memory), []).append(memory)
            found += [some for some in by_key.values() if len(some) > 1]
        return found

    @cached_property
    def _same_texts(self) -> list[list[Memory]]:
        """Groups (two or more) of the same text, kind and trust, ignoring case and punctuation."""
        found: dict[tuple[object, ...], list[Memory]] = {}
        keys: dict[str, str] = {}
        for memory in self.knowledge:
            key = keys.get(memory.text) or keys.setdefault(memory.text, text_key(memory.text))
            found.setdefault((memory.kind, memory.trusted, key), []).append(memory)
        return [group for group in found.values() if len(group) > 1]

    @cached_property
    def told(self) -> list[Memory]:
        """The knowledge, with only the newest of equal texts: it holds as of when it was last said."""
        said_again = {memory.id for group in self._same_texts for memory in group[:-1]}
        return [memory for memory in self.knowledge if memory.id not in said_again]

    @cached_property
    def near(self) -> list[NearPair]:
        """Each of `told` with older ones near it that may say the same, by time."""
        sketches: dict[str, TextSketch] = {}
        found = []
        for newer, older, cosine in self._near_pairs:
            for memory in (newer, older):
                if memory.id not in sketches:
                    sketches[memory.id] = TextSketch(memory.text)
            if may_be_same(sketches[newer.id], sketches[older.id], cosine):
                found.append(NearPair(newer, RelatedMemory(newer.text, older, cosine)))
        return found

    @cached_property
    def _near_pairs(self) -> list[_Pair]:
        return [*self._neighbours(self.told)]

    def _neighbours(self, memories: Sequence[Memory]) -> Iterator[_Pair]:
        """Yield near pairs, each once, by blockwise matrix products."""
        from memcli.embedding.nearest import nearest_in_batch
        from memcli.embedding.scale import as_cosine, as_likeness, comparable_rows, store_scale

        store = self._scope.store
        scale = store_scale(store)
        least = as_cosine(NEAR_ENOUGH, scale)
        place = {memory.id: n for n, memory in enumerate(memories)}
        refs = {ref: place[each] for each, ref in store.refs_by_id(list(place)).items()}
        vectors = store.each_vector(self._scope.within(kinds=KNOWLEDGE))
        whose = sorted(
            ((refs[ref], vector) for ref, vector in vectors if ref in refs), key=lambda each: each[0]
        )
        if not whose:
            return
        rows = comparable_rows([vector for _, vector in whose], scale)
        of_row = [memories[number] for number, _ in whose]
        seen = set()
        for start in range(0, len(rows), _ROWS):
            for near in nearest_in_batch(rows[start : start + _ROWS], rows[:start], least, _NEAREST):
                newer = of_row[start + near.row]
                older = of_row[start + near.other if near.among_new else near.other]
                if newer.id != older.id and (newer.id, older.id) not in seen:
                    seen.add((newer.id, older.id))
                    yield newer, older, as_likeness(near.cosine, scale)
            self._progress(min(start + _ROWS, len(rows)))

    def updates(self) -> Iterator[tuple[Memory, Memory, str]]:
        """Yield each of `told` with an older one that it updates, and the objection.

        First those that a judge found when they were written, oldest first; then the others, which may have
        come by an import, if the judge now finds that they update their nearest neighbour.
        """
        live = {memory.id: memory for memory in self.knowledge}
        noted = set()
        for memory in self.told:
            for older in filter(None, map(live.get, judged_updates(memory))):
                noted.add(memory.id)
                likely = judged_likely(memory, f"{UPDATE_OF}{older.id}")
                yield memory, older, told_update(memory.text, older.text, likely)
        yield from self._judged_now(noted)

    def _judged_now(self, noted: set[str]) -> Iterator[tuple[Memory, Memory, str]]:
        """Yield memories not in `noted` with their nearest neighbour, if they are now judged to update it."""
        bound, least = self._scope.store.model(), threshold(self._scope.config, "update")
        nearest: dict[str, _Pair] = {}
        for pair in self._near_pairs:
            if pair[0].id not in noted:
                nearest.setdefault(pair[0].id, pair)
        told: dict[str, str] = {}
        by_model = bool(bound and bound.is_default)
        for some in in_batches(_by_family(nearest), _JUDGED):
            asked = [(new.text, old.text, cosine if by_model else None) for new, old, cosine in some]
            for (newer, older, _), judged in zip(some, judge_pairs(asked), strict=True):
                if judged.update >= least:
                    told[newer.id] = told_update(newer.text, older.text, judged.update)
        for newer, older, _ in nearest.values():
            if newer.id in told:
                yield newer, older, told[newer.id]


def _by_family(pairs: Mapping[str, _Pair]) -> Iterator[_Pair]:
    """Yield pairs (by the newer's id) in an order in which those with a common text are close together.

    What is read of a text is cached for a while, so each text of a large store is read once.
    """
    of_older: dict[str, list[_Pair]] = {}
    for pair in pairs.values():
        of_older.setdefault(pair[1].id, []).append(pair)
    left = [pair for older, some in reversed(of_older.items()) if older not in pairs for pair in some]
    while left:
        pair = left.pop()
        yield pair
        left += of_older.get(pair[0].id, ())
