"""memcli's own words, removed from files that people write: recalled notes pasted into a day's page.

The file is checked line by line before it is read in passages.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memcli.importers.records import Only, Record, as_it_stands
from memcli.importers.report import CarriedReport
from memcli.importers.source import Source
from memcli.memories import Memories
from memcli.prompt.matching import Originals
from memcli.prompt.traces import marked, may_echo
from memcli.text.secrets.redaction import without_secrets_in
from memcli.write_policy.originals import StoredOriginals


class OwnWords:
    """Recognizes the printed words of one space, and reports how many lines were left out of each file."""

    def __init__(self, memories: Memories, report: CarriedReport) -> None:
        self._originals = StoredOriginals(memories.store, memories.space)
        self._report = report

    def cleared(self, place: str, text: str) -> str:
        """Return a file's text with every line that memcli printed made empty, so that line numbers stay."""
        if not marked(text):
            return text
        from memcli.prompt.echoes import ECHOED, with_own_lines_empty

        rest, echoes = with_own_lines_empty(text, self._originals)
        if echoes:
            lines = f"{echoes:,} line{'s' if echoes > 1 else ''}"
            self._report.was_refused(place, f"{lines} left out: {ECHOED}")
        return rest


def records_of(source: Source, path: Path, only: Only, own_words: OwnWords | None = None) -> Iterator[Record]:
    """Yield the records of a path; with `own_words`, prose files are read without memcli's own output."""
    return source.read(path, only, own_words.cleared if own_words else as_it_stands)


def is_kept_as(kept: str, said: str, originals: Originals) -> bool:
    """True if `kept` is how `said` is stored: unchanged, without secrets, or without memcli's own words."""
    kept, said = kept.strip(), said.strip()
    if kept in (said, without_secrets_in(said).strip()):
        return True
    if not may_echo(said):
        return False
    from memcli.prompt.echoes import without_echoes

    return without_echoes(said, originals).text in (kept, without_secrets_in(kept))
