"""Which memories claim something else of the same thing: found by words, for vectors may lie far apart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

from memcli.model import KNOWLEDGE, Filter, Memory, Ref
from memcli.storage import Store, Word
from memcli.text.contradiction.claims import claim_cues, claims, overtaken_claim
from memcli.text.words import query_terms
from memcli.write_policy.write_buffer import WriteBuffer

# Of those with the words the newest are read: what is said now overtakes what was said last.
NEWEST_READ = 48


class RivalClaims:
    """Finds them in a store, by the words that such a claim would hold."""

    def __init__(self, store: Store, now: datetime) -> None:
        self._store = store
        self._now = now

    def of(self, memory: Memory) -> Iterator[tuple[Memory, str]]:
        """Live memories of the space that a new one may have overtaken, and by what; newest first."""
        for old in self._candidates(memory):
            if old.id != memory.id and old.ended_at is None:
                _, objection = overtaken_claim(memory.text, old.text)
                if objection:
                    yield old, objection

    def _candidates(self, memory: Memory) -> list[Memory]:
        refs: set[Ref] = set()
        for told, beside in claim_cues(memory.text):
            # All that is told, and one of what stands beside it.
            asked = [_any_of((word,)) for word in sorted(told)]
            asked += [_any_of(sorted(beside))] if beside else []
            refs |= self._holding(memory.space, frozenset(asked))
        newest = sorted(refs)[-NEWEST_READ:]
        memories = self._store.memories_by_ref(newest)
        return [memories[ref] for ref in reversed(newest) if ref in memories]

    def _holding(self, space: str, asked: frozenset[Word]) -> frozenset[Ref]:
        """The newest that hold each of these words."""
        where = Filter(spaces=(space,), kinds=KNOWLEDGE, at=self._now)
        found = self._store.top_by_words(dict.fromkeys(asked, 1.0), where, NEWEST_READ)
        return frozenset(match.ref for match in found if match.score >= len(asked))


def _any_of(some: Iterable[str]) -> Word:
    return tuple(term for word in some for term in query_terms(word))


class RivalClaimsInBatch(RivalClaims):
    """Rival claims for a batch: texts before it are found by what they claim, the store is asked once a word.

    A store that nothing was in when it began (or that nobody told of, see `prepare`) is not asked.
    """

    def __init__(self, store: Store, now: datetime, buffer: WriteBuffer) -> None:
        super().__init__(store, now)
        self._buffer = buffer
        # What came in, by space, subject and relation of its claims.
        self._told: dict[tuple[str, object, str], list[str]] = {}
        self._found: dict[tuple[str, frozenset[Word]], frozenset[Ref]] = {}
        self._empty: dict[str, bool] = {}

    def prepare(self, new: Iterable[Memory]) -> None:
        """Say what will be asked about."""
        for memory in new:
            if memory.space not in self._empty:
                where = Filter(spaces=(memory.space,), kinds=KNOWLEDGE, at=self._now)
                self._empty[memory.space] = next(self._store.select(where, limit=1), None) is None

    def note(self, memory: Memory) -> None:
        """What has been decided on: those that follow are compared with it."""
        for claim in claims(memory.text):
            self._told.setdefault((memory.space, claim.subject, claim.relation), []).append(memory.id)

    def _candidates(self, memory: Memory) -> list[Memory]:
        found: list[Memory] = []
        ids: list[str] = []
        for claim in claims(memory.text):
            ids += self._told.get((memory.space, claim.subject, claim.relation), ())[-NEWEST_READ:]
        if ids:
            found = [*self._buffer.read(list(dict.fromkeys(reversed(ids)))).values()]
        gone = any(claim.relation == "gone" for claim in claims(memory.text))
        if gone or not self._empty.get(memory.space, True):
            self._buffer.settle()
            found += super()._candidates(memory)
        return found

    def _holding(self, space: str, asked: frozenset[Word]) -> frozenset[Ref]:
        if self._empty.get(space, True):
            # What the batch has brought since is there as well.
            return super()._holding(space, asked)
        if (space, asked) not in self._found:
            self._found[space, asked] = super()._holding(space, asked)
        return self._found[space, asked]
