"""What memcli printed itself, taken out of the files that people write: recalled notes in a day's page.

Asked of the file, line by line, before it is read in passages.
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
    """Knows the words of one space again; says in the report what was left out of each file."""

    def __init__(self, memories: Memories, report: CarriedReport) -> None:
        self._originals = StoredOriginals(memories.store, memories.space)
        self._report = report

    def cleared(self, place: str, text: str) -> str:
        """The text of a file with every line empty that memcli printed; the others stand where they stood."""
        if not marked(text):
            return text
        from memcli.prompt.echoes import ECHOED, with_own_lines_empty

        rest, echoes = with_own_lines_empty(text, self._originals)
        if echoes:
            lines = f"{echoes:,} line{'s' if echoes > 1 else ''}"
            self._report.was_refused(place, f"{lines} left out: {ECHOED}")
        return rest


def records_of(source: Source, path: Path, only: Only, own_words: OwnWords | None = None) -> Iterator[Record]:
    """What a source reads of a path, without `own_words` where people write what it reads."""
    return source.read(path, only, own_words.cleared if own_words else as_it_stands)


def is_kept_as(kept: str, said: str, originals: Originals) -> bool:
    """Whether a text is how what was said is kept: as it is, without secrets, without memcli's own words."""
    kept, said = kept.strip(), said.strip()
    if kept in (said, without_secrets_in(said).strip()):
        return True
    if not may_echo(said):
        return False
    from memcli.prompt.echoes import without_echoes

    return without_echoes(said, originals).text in (kept, without_secrets_in(kept))
