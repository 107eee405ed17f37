"""Endings of imported memories, and what an undo undid: inferred for older exports, else checked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from memcli import ids
from memcli.memory_data import made_from
from memcli.model import REPLACED, Event, Filter, Memory
from memcli.storage import Store
from memcli.storage.old_records import OldRecords, undone_by


def with_undone(store: Store, event: Event, record: Mapping[str, Any]) -> Event:
    """Return a history line with the id of the change that it undoes, if that is known here.

    The number of a line means nothing outside the store that it comes from.
    """
    undone = record.get("undoes")
    if "undoes" not in record:
        undone = undone_by(event, lambda change: store.history(change=change))
    return event._replace(undoes=undone if isinstance(undone, str) and ids.is_id(undone) else None)


class Endings:
    """Collects memories whose end is doubtful, and settles it once all the evidence is in the store."""

    def __init__(self, store: Store, *, trusted: bool) -> None:
        self._store = store
        self._trusted = trusted
        # Memories whose older record says only in words how they ended; and those that an untrusted
        # source says were replaced.
        self._older: set[str] = set()
        self._told: set[str] = set()

    def note(self, memory: Memory, record: Mapping[str, Any]) -> None:
        """Note an imported memory, with the record that it was read from."""
        if memory.ended_at and record.get("ended_as") is None:
            self._older.add(memory.id)
        elif memory.replaced_by and not self._trusted:
            self._told.add(memory.id)

    def settle(self, now: datetime) -> None:
        """Write how they ended."""
        if self._older or self._told:
            with self._store.writing():
                self._store.put([*self._found_out(), *self._refuted()], None, now)

    def _found_out(self) -> Iterator[Memory]:
        # An older file does not change an end that is recorded here in full.
        doubtful = [each for each in self._store.get(sorted(self._older)) if each.ended_as == "forgotten"]
        if not doubtful:
            return
        everything = (memory.to_record() for memory in self._store.select(Filter(spaces=None, live=False)))
        records = OldRecords(everything, self._store.history())
        for memory in doubtful:
            record = memory.to_record()
            if end := records.end_of(record, record):
                yield replace(memory, ended_as=end.how, replaced_by=end.replaced_by)

    def _refuted(self) -> Iterator[Memory]:
        """Yield memories that an untrusted source says were replaced by a trusted one that does not say so.

        Otherwise doubting the one would count as doubting the other.
        """
        for memory in self._store.get(sorted(self._told)):
            if memory.trusted or memory.ended_as not in REPLACED or memory.replaced_by is None:
                continue
            for later in self._store.get([memory.replaced_by]):
                if later.trusted and memory.id not in {later.supersedes, *made_from(later)}:
                    yield replace(memory, ended_as="forgotten", replaced_by=None)
