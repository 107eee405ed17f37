"""Sealed documents: memcli's own exports that were encrypted as a whole, read according to their content.

They are decrypted in memory only; no plain text is written to a file.
"""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

from memcli.importers.files import File, read_each
from memcli.importers.records import Cleared, Only, Record
from memcli.importers.sources import csv_table, markdown_notes
from memcli.importers.sources.csv_table import is_own_table, read_table
from memcli.importers.sources.own_document import is_own_document, read_own_document
from memcli.importers.survey import Part


def document_in(plain: bytes, path: Path) -> Part | None:
    """Return the part to import for a decrypted Markdown or CSV export at `path`; None for anything else."""
    text = plain.decode("utf-8", "replace")
    if is_own_document(text):
        source, read_file = markdown_notes.SOURCE, read_own_document
    elif is_own_table(text):
        source, read_file = csv_table.SOURCE, read_table
    else:
        return None

    def read(path: Path, _only: Only, _cleared: Cleared) -> Iterator[Record]:
        return read_each([File(str(path), path.name, lambda: BytesIO(plain))], read_file)

    return Part(source._replace(read_path=read), path)
