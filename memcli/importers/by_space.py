"""Imports by space: for a file whose records name spaces, one carrier for each space, and one report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from memcli.errors import BadInput, Refused
from memcli.importers.carrier import Carrier
from memcli.importers.records import Record, Statement, known
from memcli.importers.report import CarriedReport
from memcli.importers.source import Source
from memcli.memories import Memories
from memcli.text.checks import check_space
from memcli.text.secrets.redaction import refuse_secret_names


class SpacedCarrier:
    """Carry each record into the space that it names, or into the current space if it names none.

    Expired statements are not imported, as ended ones are not. `how` are the keyword arguments of a
    `Carrier`.
    """

    def __init__(self, memories: Memories, source: Source, **how: Any) -> None:
        self._memories, self._source, self._how = memories, source, how
        self._here = Carrier(memories, source, **how)
        self._elsewhere: dict[str, list[Statement]] = {}
        self._carriers = [self._here]

    @property
    def report(self) -> CarriedReport:
        """Return the report of the import so far."""
        return self._here.report

    @property
    def carried(self) -> int:
        """Return how many records were added or already known."""
        return sum(each.carried for each in self._carriers)

    def take(self, records: Iterable[Record]) -> CarriedReport:
        """Import all these records, as `Carrier.take` does."""
        self._here.take(self._of_here(records))
        done = self._here.carried
        for space, statements in self._elsewhere.items():
            try:
                refuse_secret_names([check_space(space)], "the space")
            except Refused as error:
                self.report.was_refused(statements[0].place, str(error))
                continue
            except BadInput as error:
                self.report.could_not_read(statements[0].place, str(error))
                continue
            there = Carrier(
                self._memories.in_space(space), self._source, report=self.report, **self._counting_from(done)
            )
            self._carriers.append(there)
            there.take(statements)
            done += there.carried
        return self.report

    def _of_here(self, records: Iterable[Record]) -> Iterator[Record]:
        now, here = self._memories.now(), self._memories.space
        for record in records:
            if isinstance(record, Statement):
                if (expires_at := known(record.expires_at)) and expires_at <= now:
                    continue
                if record.space is not None and record.space != here:
                    self._elsewhere.setdefault(record.space, []).append(record)
                    continue
            yield record

    def _counting_from(self, done: int) -> dict[str, Any]:
        progress = self._how.get("progress")
        return {**self._how, "progress": lambda number: progress(done + number)} if progress else self._how
