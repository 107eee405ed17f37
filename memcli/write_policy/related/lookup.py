"""Look-up of memories related to a new one, and how they relate: for single memories (many: `batch`)."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator, Sequence
from copy import copy
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

from memcli.model import (
    KNOWLEDGE,
    STATED,
    Filter,
    Kind,
    Match,
    Memory,
    Source,
    is_past,
    is_record,
    is_statement,
)
from memcli.storage import Store, Vector, Word
from memcli.text.comparison.duplicates import SAME_MEANING, Sameness, compare_texts

if TYPE_CHECKING:
    from memcli.embedding.scale import CosineScale
    from memcli.judgement.pairs import PairJudgement
    from memcli.write_policy.write_buffer import WriteBuffer

# How many nearest memories are fetched and compared.
NEAREST = 8
# How many of these, whatever their kind, are judged: a judgement takes up to half a millisecond.
JUDGED = 5
# 19 of 20 updates have at least this cosine; farther pairs are judged as correctly, but mostly for nothing:
# benchmarks/labels.
FAR = 0.25
# The least cosine of a neighbour that is reported without a judge's finding: most pairs of a store are nearer
# than chance would have it.
NEAR_ENOUGH = 0.55
# Probabilities that differ by less count as equal.
_AS_LIKELY = 0.2
# A text is searched for by this many of its longest terms.
_RAREST = 3
# How many of the memories found by these terms are read.
_SAME_READ = 100
_CONCLUDED: tuple[Source, ...] = ("inferred", "learned")
# Kinds beside KNOWLEDGE that may hold statements, among much that is none.
_TOLD: tuple[Kind, ...] = ("episode", "procedure")


class RelatedMemory:
    """A stored memory beside a new text: their relation, computed once, when first asked for.

    `judged` says whether the cosine is that of the model that the judges were trained on.
    """

    def __init__(self, text: str, memory: Memory, cosine: float, *, judged: bool = False) -> None:
        self.memory = memory
        self._text = text
        self.cosine = cosine
        self.judged_by_model = judged

    @property
    def texts(self) -> tuple[str, str]:
        """The new text and the memory's text."""
        return self._text, self.memory.text

    @cached_property
    def verdict(self) -> Sameness:
        """`same`, `changed` or `different`, by the texts and the cosine of their vectors."""
        return compare_texts(self._text, self.memory.text, self.cosine).verdict

    @property
    def is_about_the_same(self) -> bool:
        """True if the two are near enough to be about one thing: in a small store the nearest may be far."""
        return self.cosine >= FAR

    @cached_property
    def judgement(self) -> PairJudgement:
        """The probabilities that the new text repeats the memory, updates it, or holds beside it."""
        from memcli.judgement.pairs import PairJudgement, judge_pair

        if not self.is_about_the_same:
            return PairJudgement(same=0.0, update=0.0, both=1.0)
        return judge_pair(self._text, self.memory.text, self.cosine if self.judged_by_model else None)

    def as_now(self, memory: Memory) -> RelatedMemory:
        """Return this relation to the memory's current row; judged anew only if its text has changed."""
        if memory.text != self.memory.text:
            return RelatedMemory(self._text, memory, self.cosine, judged=self.judged_by_model)
        now = copy(self)
        now.memory = memory
        return now


def judge_related(some: Sequence[RelatedMemory]) -> None:
    """Judge those that are not judged yet, in one call: for some dozens, each costs two thirds as much."""
    from memcli.judgement.pairs import judge_pairs

    for by_model in (True, False):
        asked = [
            each
            for each in some
            if each.judged_by_model is by_model and each.is_about_the_same and "judgement" not in vars(each)
        ]
        pairs = [(*each.texts, each.cosine if by_model else None) for each in asked]
        for each, judgement in zip(asked, judge_pairs(pairs), strict=True):
            each.judgement = judgement


class RelatedMemories:
    """The memories related to one new memory, in the current store; each is searched for once, on demand."""

    def __init__(
        self,
        store: Store,
        now: datetime,
        memory: Memory,
        vector: Vector | None,
        *,
        judged: bool = False,
        scale: CosineScale | None = None,
    ) -> None:
        self._judged = judged
        self._scale = scale
        self._store = store
        self._now = now
        self._memory = memory
        self._vector = vector

    @cached_property
    def nearest(self) -> Sequence[RelatedMemory]:
        """The nearest statements by cosine, best first; empty without a vector."""
        text = self._memory.text
        return [
            RelatedMemory(text, old, cosine, judged=self._judged) for old, cosine in self._by_cosine[:JUDGED]
        ]

    @cached_property
    def _by_cosine(self) -> list[tuple[Memory, float]]:
        found = [*self._search(KNOWLEDGE), *self._search(_TOLD)]
        return sorted(
            ((old, cosine) for old, cosine in found if is_statement(old)), key=lambda each: -each[1]
        )

    @cached_property
    def passing(self) -> Memory | None:
        """The expiring episode (no turn) in force that says the same; None if there is none."""
        for old, cosine in self._passing_near():
            fits = old.expires_at and not is_record(old) and old.trusted == self._memory.trusted
            if (
                cosine >= SAME_MEANING
                and fits
                and RelatedMemory(self._memory.text, old, cosine).verdict == "same"
            ):
                return old
        return None

    def _passing_near(self) -> Iterator[tuple[Memory, float]]:
        """Return the nearest expiring episodes with their cosines, best first."""
        return self._search(("episode",), expiring=True)

    def updates(self, least: float, beside: Container[str] = ()) -> RelatedMemory | None:
        """Return the memory that the new one most likely updates, with at least the probability `least`.

        Of several about as likely ones, the newest: it has replaced the others. `beside` are the ids that
        the writer said hold beside the new memory; these are left out.
        """
        near = [each for each in self.nearest if each.is_about_the_same and each.memory.id not in beside]
        best = max((self.updated(each) for each in near), default=0.0)
        likely = [each for each in near if self.updated(each) >= max(least, best - _AS_LIKELY)]
        return max(likely, key=lambda each: each.memory.happened_at, default=None)

    def updated(self, one: RelatedMemory) -> float:
        """Return the probability that the new memory updates this one, given the others near it."""
        return self._updated[one.memory.id]

    @cached_property
    def _updated(self) -> dict[str, float]:
        near = self.nearest
        # The comparison among neighbours is calibrated to the default model's cosines only.
        if not all(each.judged_by_model for each in near):
            return {each.memory.id: each.judgement.update for each in near}
        from memcli.judgement.referents import Near, likely_updated

        judged = [Near(each.judgement, each.cosine, each.verdict == "changed") for each in near]
        found = likely_updated(judged, self._beyond)
        return {each.memory.id: likely for each, likely in zip(near, found, strict=True)}

    @property
    def _beyond(self) -> float | None:
        """The cosine of the nearest memory that is not judged; None if all are."""
        return self._by_cosine[JUDGED][1] if len(self._by_cosine) > JUDGED else None

    @cached_property
    def forgotten(self) -> Memory | None:
        """The last forgotten memory that the new one says again and that the owner has not restated since.

        A program's text is also searched for forgotten statements within it, and one that a program
        concluded is compared by meaning, too. Imported texts, which are many and may be older than the
        forgetting, are compared word for word only.
        """
        if not self._has_ended:
            return None
        from memcli.write_policy.related import forgotten

        same = same_by_words(self._store, self._memory, self._ended)
        alike = [old for old in same if old.ended_as == "forgotten"]
        if not (alike or forgotten.is_owners(self._memory) or self._memory.source == "imported"):
            alike = [*forgotten.forgotten_within(self._store, self._memory, self._ended)]
        if self._memory.source in _CONCLUDED and not alike and self._vector is not None:
            matches = self._nearest(self._vector, self._ended)
            found = self._store.memories_by_ref([match.ref for match in matches])
            by_meaning = forgotten.forgotten_in_other_words
            alike = [*by_meaning(self._memory, matches, found, judged=self._judged)]
        alike = [old for old in alike if not forgotten.is_said_anew(self._store, old)]
        return max(alike, key=lambda each: each.ended_at or each.created_at, default=None)

    @property
    def _has_ended(self) -> bool:
        """True if anything in the space has ended; mostly nothing has, and this is quicker than a search."""
        return has_ended(self._store, self._memory.space, self._now)

    @property
    def _ended(self) -> Filter:
        return _ended(self._memory.space, self._now)

    def note_taken(self, memory: Memory) -> None:
        """Record that the new memory was written; a batch compares the following memories with it."""

    def _nearest(self, vector: Vector, where: Filter) -> list[Match]:
        if self._scale is None:
            return self._store.nearest(vector, where, NEAREST)
        from memcli.embedding.scale import nearest_alike

        return nearest_alike(self._store, vector, where, NEAREST, self._scale)

    def _search(self, kinds: tuple[str, ...], *, expiring: bool = False) -> Iterator[tuple[Memory, float]]:
        if self._vector is None:
            return
        where = Filter(spaces=(self._memory.space,), kinds=kinds, expiring=expiring, at=self._now)
        matches = self._nearest(self._vector, where)
        found = self._store.memories_by_ref([match.ref for match in matches])
        for match in matches:
            if found[match.ref].id != self._memory.id:
                yield found[match.ref], match.score


def has_ended(store: Store, space: str, now: datetime) -> bool:
    """True if any statement in the space has ended."""
    return bool(store.count(_ended(space, now)))


def _ended(space: str, now: datetime) -> Filter:
    return Filter(spaces=(space,), kinds=STATED, live=False, ended_until=now)


def same_by_words(store: Store, memory: Memory, where: Filter) -> Iterator[Memory]:
    """Yield the memories within a filter whose text is the same word for word, with or without a vector."""
    from memcli.text.words import query_terms

    terms = sorted(query_terms(memory.text), key=lambda term: -len("".join(term)))[:_RAREST]
    asked: dict[Word, float] = {(term,): 1.0 for term in terms}
    found = store.top_by_words(asked, where, _SAME_READ)
    having = sorted(match.ref for match in found if match.score >= len(asked))
    for old in store.memories_by_ref(having).values():
        if old.id != memory.id and compare_texts(memory.text, old.text, None).verdict == "same":
            yield old


def standing_repetition(store: Store, memory: Memory, now: datetime) -> Memory | None:
    """Return a memory in force of the same kind that says the same as an ended one and holds as long.

    None also if the ended one is no statement, or was valid in the past only: that says nothing of the
    present.
    """
    back = replace(memory, ended_at=None, ended_as=None)
    if not is_statement(back) or is_past(back, now):
        return None
    where = Filter(spaces=(memory.space,), kinds=(memory.kind,), at=now)
    for known in same_by_words(store, memory, where):
        until = (known.valid_until, known.expires_at)
        if is_statement(known) and until in ((None, None), (memory.valid_until, memory.expires_at)):
            return known
    return None


class RelatedLookup:
    """Looks up what is related to new memories: one search for each, made when it is asked for."""

    buffer: WriteBuffer | None = None
    """The write buffer that is searched, too; None if every memory is written at once."""

    def __init__(self, store: Store, now: datetime) -> None:
        self._store = store
        self._now = now

    def of(
        self,
        new: Sequence[tuple[Memory, Vector | None]],
        *,
        judged: bool,
        told_changes: Collection[str] = (),
        scale: CosineScale | None = None,
    ) -> list[RelatedMemories]:
        """Return what is related to each of these memories, given with the vectors of their beginnings.

        `told_changes`: the ids of those that tell of a change, for which a batch searches more widely.
        `judged`: the vectors are of the model that the judges were trained on; `scale`: how they are
        compared.
        """
        return [RelatedMemories(self._store, self._now, *each, judged=judged, scale=scale) for each in new]
