"""Store reader: every query that the rules make to the store, cached for the length of one write."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

from memcli.model import EVERYWHERE, STATED, Filter, Memory
from memcli.storage import Store, areas
from memcli.write_policy import forgotten_texts, held
from memcli.write_policy.originals import StoredOriginals
from memcli.write_policy.owner_rules import OwnerRule
from memcli.write_policy.stored_rules import rules_in_force

if TYPE_CHECKING:
    from memcli.write_policy import forgotten_traces
    from memcli.write_policy.write_buffer import WriteBuffer


class StoreReader:
    """Answers the rules' questions from the store; what a write does not change is read once."""

    def __init__(self, store: Store, buffer: WriteBuffer | None = None) -> None:
        self._store = store
        self._buffer = buffer
        self._originals: dict[str, StoredOriginals] = {}
        self._rules: list[OwnerRule] | None = None
        self._hashes: frozenset[str] | None = None
        self._keys: list[bytes] = []
        self._written: dict[tuple[str, str | None, str], int] = {}

    # Texts that memcli may have printed

    def originals(self, space: str) -> StoredOriginals:
        """Return the texts of a space that memcli may have printed."""
        return self._originals.setdefault(space, StoredOriginals(self._store, space))

    # The owner's decisions: erasures, rejections, rules

    def was_forgotten(self, text: str) -> bool:
        """True if a text was erased for good, here or in a store whose export was imported."""
        if self._hashes is None:
            states = list(self._store.states((EVERYWHERE,), areas.FORGOTTEN.name))
            self._hashes = frozenset(
                state.key for state in states if not forgotten_texts.is_hash_key(state.key)
            )
            self._keys = [
                bytes.fromhex(state.value) for state in states if forgotten_texts.is_hash_key(state.key)
            ]
        if not self._hashes:
            return False
        return any(not self._hashes.isdisjoint(forgotten_texts.text_digests(key, text)) for key in self._keys)

    def rejection_of(self, memory: Memory) -> datetime | None:
        """Return when the owner rejected in review what a memory says; None if never."""
        return held.rejection_of(self._store, memory)

    def quotes_forgotten(self, texts: Iterable[str]) -> bool:
        """True if one of these texts quotes or names what was erased for good."""
        return any(map(self.traces.in_text, texts))

    @cached_property
    def traces(self) -> forgotten_traces.ForgottenTraces:
        """The recorded traces of what was erased for good, beside whole texts."""
        from memcli.write_policy import forgotten_traces

        return forgotten_traces.ForgottenTraces(self._store)

    def owner_rules(self) -> list[OwnerRule]:
        """Return the owner's rules in force."""
        if self._rules is None:
            self._rules = rules_in_force(self._store)
        return self._rules

    # The current state of memories

    def standing_repetition(self, memory: Memory, now: datetime) -> Memory | None:
        """Return a memory in force that says the same as an ended one (`lookup.standing_repetition`)."""
        from memcli.write_policy.related.lookup import standing_repetition

        return standing_repetition(self._store, memory, now)

    def unchanged(self, memory: Memory) -> Memory | None:
        """Return a memory's current row; None if another process has changed its text, ended or erased it."""
        found = self._buffer.read([memory.id]).values() if self._buffer else self._store.get([memory.id])
        here = next(iter(found), None)
        same = here and (here.text, here.space, here.ended_at) == (memory.text, memory.space, memory.ended_at)
        return here if same else None

    def written(self, like: Memory, since: datetime, counts: Callable[[Memory], bool]) -> int:
        """Return how many memories that count were written in the session of `like`.

        Those of `note_written` are included. Without a session: by its origin, since the instant `since`.
        """
        key = _writer(like)
        if key not in self._written:
            if self._buffer:
                self._buffer.settle()
            where = Filter(spaces=(like.space,), kinds=STATED, live=False)
            if like.session:
                found = self._store.select(where._replace(sessions=(like.session,)))
            else:
                lately = self._store.select(where._replace(created_since=since))
                found = (each for each in lately if each.origin == like.origin)
            self._written[key] = sum(map(counts, found))
        return self._written[key]

    def note_written(self, memory: Memory) -> None:
        """Count one more memory as written, for the decisions after it."""
        self._written[_writer(memory)] += 1


def _writer(memory: Memory) -> tuple[str, str | None, str]:
    return memory.space, memory.session, "" if memory.session else memory.origin
