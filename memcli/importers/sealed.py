"""memcli's own documents that were encrypted as a whole: what is inside says how they are read.

They stay in memory: no file holds what the one that was given only holds encrypted.
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
    """What is read of the Markdown or the table in a decrypted file at `path`; None of anything else."""
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
