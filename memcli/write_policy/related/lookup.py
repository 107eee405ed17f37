"""What the store holds that is related to a memory on its way in, and how: looked up for few."""

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

# So many of the nearest are compared.
NEAREST = 8
# And of these, whatever their kind, so many judged: a judgement takes up to half a millisecond.
JUDGED = 5
# Nineteen of twenty updates are nearer than this (cosine); what is farther still is judged no less rightly,
# but mostly for nothing: benchmarks/labels.
FAR = 0.25
# Nothing farther away matters, unless a judge relates it: most pairs of a store are nearer than chance would
# have it.
NEAR_ENOUGH = 0.55
# Likelihoods that differ by less tell nothing apart.
_AS_LIKELY = 0.2
# What is found by so many of its longest words is looked at.
_RAREST = 3
# Of those that hold all of them the newest are read.
_SAME_READ = 100
_CONCLUDED: tuple[Source, ...] = ("inferred", "learned")
# Statements may be of these kinds as well, among much that is none.
_TOLD: tuple[Kind, ...] = ("episode", "procedure")


class RelatedMemory:
    """A memory of the store beside a new text: how the two are related, each judged once, when asked.

    `judged` says whether the cosine is that of the model from which the judges learned.
    """

    def __init__(self, text: str, memory: Memory, cosine: float, *, judged: bool = False) -> None:
        self.memory = memory
        self._text = text
        self.cosine = cosine
        self.judged_by_model = judged

    @property
    def texts(self) -> tuple[str, str]:
        """The new text and the memory's."""
        return self._text, self.memory.text

    @cached_property
    def verdict(self) -> Sameness:
        """`same`, `changed` or `different`, by their texts and the cosine of their vectors."""
        return compare_texts(self._text, self.memory.text, self.cosine).verdict

    @property
    def is_about_the_same(self) -> bool:
        """Whether the two are near enough to be of one thing: in a small store the nearest may be far."""
        return self.cosine >= FAR

    @cached_property
    def judgement(self) -> PairJudgement:
        """How likely the new text repeats or updates the memory, or stands beside it."""
        from memcli.judgement.pairs import PairJudgement, judge_pair

        if not self.is_about_the_same:
            return PairJudgement(same=0.0, update=0.0, both=1.0)
        return judge_pair(self._text, self.memory.text, self.cosine if self.judged_by_model else None)

    def as_now(self, memory: Memory) -> RelatedMemory:
        """This relation to the memory as it is by now: judged anew only if its text has changed."""
        if memory.text != self.memory.text:
            return RelatedMemory(self._text, memory, self.cosine, judged=self.judged_by_model)
        now = copy(self)
        now.memory = memory
        return now


def judge_related(some: Sequence[RelatedMemory]) -> None:
    """Judge those that are not judged yet, all at once: for some dozens, each costs two thirds."""
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
    """What is related to one new memory, as the store stands when it is asked; looked up once."""

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
        """What states something, by the cosine of its vector, best first; none where there is no vector."""
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
        """The passing statement that says the same and has not ended: an episode that expires, no turn."""
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
        """The nearest episodes that expire, with the cosines of their vectors, best first."""
        return self._search(("episode",), expiring=True)

    def updates(self, least: float, beside: Container[str] = ()) -> RelatedMemory | None:
        """The one that most likely holds no longer beside the new memory, from this probability on.

        Of several that are about as likely the newest: it has replaced the others. None of those of which
        its writer says that they stand `beside` it, by id.
        """
        near = [each for each in self.nearest if each.is_about_the_same and each.memory.id not in beside]
        best = max((self.updated(each) for each in near), default=0.0)
        likely = [each for each in near if self.updated(each) >= max(least, best - _AS_LIKELY)]
        return max(likely, key=lambda each: each.memory.happened_at, default=None)

    def updated(self, one: RelatedMemory) -> float:
        """How likely the new memory updates one of the nearest, as that stands among them."""
        return self._updated[one.memory.id]

    @cached_property
    def _updated(self) -> dict[str, float]:
        near = self.nearest
        # Only the default model's cosines say how near is near.
        if not all(each.judged_by_model for each in near):
            return {each.memory.id: each.judgement.update for each in near}
        from memcli.judgement.referents import Near, likely_updated

        judged = [Near(each.judgement, each.cosine, each.verdict == "changed") for each in near]
        found = likely_updated(judged, self._beyond)
        return {each.memory.id: likely for each, likely in zip(near, found, strict=True)}

    @property
    def _beyond(self) -> float | None:
        """The cosine of the next nearest, which is not judged; None where there is none."""
        return self._by_cosine[JUDGED][1] if len(self._by_cosine) > JUDGED else None

    @cached_property
    def forgotten(self) -> Memory | None:
        """The one that was forgotten softly last of those that it says again, and that nobody has since.

        Of what a program says also with more beside it; of what one concluded, in other words too. A file may
        be older than the forgetting, and is compared word for word: it has many texts.
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
        """Whether anything has ended in its space: mostly nothing has, which is told faster."""
        return has_ended(self._store, self._memory.space, self._now)

    @property
    def _ended(self) -> Filter:
        return _ended(self._memory.space, self._now)

    def note_taken(self, memory: Memory) -> None:
        """Say that the new memory was written, as which: those that follow are compared with it too."""

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
    """Whether anything that was stated in a space has ended."""
    return bool(store.count(_ended(space, now)))


def _ended(space: str, now: datetime) -> Filter:
    return Filter(spaces=(space,), kinds=STATED, live=False, ended_until=now)


def same_by_words(store: Store, memory: Memory, where: Filter) -> Iterator[Memory]:
    """What a filter means and says a memory's text word for word, whether it has a vector or not."""
    from memcli.text.words import query_terms

    terms = sorted(query_terms(memory.text), key=lambda term: -len("".join(term)))[:_RAREST]
    asked: dict[Word, float] = {(term,): 1.0 for term in terms}
    found = store.top_by_words(asked, where, _SAME_READ)
    having = sorted(match.ref for match in found if match.score >= len(asked))
    for old in store.memories_by_ref(having).values():
        if old.id != memory.id and compare_texts(memory.text, old.text, None).verdict == "same":
            yield old


def standing_repetition(store: Store, memory: Memory, now: datetime) -> Memory | None:
    """What is in force beside an ended memory and says the same of the same kind, for as long and longer.

    None, too, for what is no statement, and for what was true: that says nothing of what is.
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
    """Where writers look for what is related to their memories: one search for each, when it is asked."""

    buffer: WriteBuffer | None = None
    """Where what is taken may wait for more, for it is found there, too; None: it is written at once."""

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
        """What is related to each of these, given with the vectors of their beginnings.

        `told_changes`: the ids of those that tell of a change, for who looks at others less widely.
        `judged`: the vectors are of the model from which the judges learned; `scale`: how they are compared.
        """
        return [RelatedMemories(self._store, self._now, *each, judged=judged, scale=scale) for each in new]
