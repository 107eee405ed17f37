"""Record of a folder of procedures, beside their texts: the version of each, and how it worked.

It is one file of the folder, which goes into git with the rest. The content's hash tells if somebody has
edited a procedure since.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memcli.errors import BadInput
from memcli.model import Memory, outcome_counts
from memcli.named_tuple import NamedTuple
from memcli.tiers.versions import memory_name, version_number

RECORD_FILE = ".memcli-procedures.json"
_FORMAT = {"format": "memcli-procedures", "version": 1}


class VersionRecord(NamedTuple):
    """A version as exported; `content` is the SHA-256 of its document and the files beside it."""

    name: str
    version: int
    ok: int
    failed: int
    note: str | None
    content: str

    @property
    def tells(self) -> bool:
        """True if it says more than that there is a first version."""
        return self.version > 1 or self.ok + self.failed > 0


def content_hash(document: str, files: Mapping[str, str]) -> str:
    """Return one hash for a document and, by path, those of its files; permissions are not included."""
    parts = [document, *(f"{path}\0{files[path]}" for path in sorted(files))]
    return hashlib.sha256("\0\0".join(parts).encode()).hexdigest()


def version_record(memory: Memory, content: str) -> VersionRecord:
    """Return the record of a version with this content."""
    note = memory.data.get("note")
    return VersionRecord(
        memory_name(memory),
        version_number(memory),
        *outcome_counts(memory.data),
        note if isinstance(note, str) else None,
        content,
    )


def read_records(folder: Path) -> dict[str, VersionRecord]:
    """Return the records of a folder by the paths of the documents; empty without the file.

    Raises BadInput for a file that is not memcli's.
    """
    try:
        text = (folder / RECORD_FILE).read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"cannot be read ({error}); versions and outcomes are left out") from error
    try:
        written = json.loads(text)
        return {str(file): _record(each) for file, each in written["procedures"].items()}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise BadInput("is malformed; versions and outcomes are left out") from error


def records_text(folder: Path, records: Mapping[str, VersionRecord]) -> str:
    """Return the file's text: these records, and those of other procedures that are still in the folder."""
    try:
        others = {file: each for file, each in read_records(folder).items() if (folder / file).is_file()}
    except BadInput:
        others = {}
    whole = {file: each._asdict() for file, each in sorted({**others, **records}.items())}
    return json.dumps({**_FORMAT, "procedures": whole}, ensure_ascii=False, indent=1) + "\n"


def _record(said: Mapping[str, Any]) -> VersionRecord:
    version, ok, failed = counts = said["version"], said["ok"], said["failed"]
    texts = [said["name"], said["content"], said["note"] or ""]
    plain = all(isinstance(each, int) and not isinstance(each, bool) and each >= 0 for each in counts)
    if not plain or not version or not all(isinstance(each, str) for each in texts):
        raise ValueError(said)
    return VersionRecord(said["name"], version, ok, failed, said["note"], said["content"])
