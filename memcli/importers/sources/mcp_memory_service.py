"""mcp-memory-service importer: a JSON object with `export_metadata` and `memories`, written by agents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from memcli.errors import BadInput
from memcli.importers import fields
from memcli.importers.files import File, head_of
from memcli.importers.json_stream import read_document
from memcli.importers.markdown import text_id
from memcli.importers.records import Problem, Record, Statement
from memcli.importers.source import Source, ending_in
from memcli.model import Kind

# Its memory types as memcli's kinds; for other types the kind is judged from the text.
_KINDS: dict[str, Kind] = {
    "preference": "preference", "decision": "fact", "fact": "fact", "reference": "fact",
    "constraint": "constraint", "rule": "constraint", "outcome": "outcome", "error": "outcome",
    "learning": "outcome",
}  # fmt: skip


def guess(path: Path) -> bool:
    """True if it names itself as an export, or its memories have content and its hash."""
    head = head_of(path)
    return b'"export_metadata"' in head or (b'"content_hash"' in head and b'"content"' in head)


def records(file: File) -> Iterator[Record]:
    """A statement for each memory."""
    document = read_document(file)
    some = document.get("memories") if isinstance(document, dict) else document
    if not isinstance(some, list):
        raise BadInput("has no list 'memories'")
    for number, each in enumerate(some, start=1):
        yield _record(each, f"{file.place}: memory {number}", file.date())


def _record(each: Any, place: str, date: datetime | None) -> Record:
    text = fields.text(each, "content")
    if not text or not isinstance(each, Mapping):
        return Problem(place, "a memory without 'content'")
    kind = fields.text(each, "memory_type")
    data = {"metadata": dict(found)} if (found := fields.mapping(each, "metadata")) else {}
    return Statement(
        place, fields.text(each, "content_hash") or text_id(text), text, _KINDS.get(kind.lower()),
        fields.tags(each.get("tags")), fields.when(each, "created_at_iso", "created_at"), trusted=False,
        data={**data, **({"type": kind} if kind else {})}, changed=date,
    )  # fmt: skip


SOURCE = Source(
    "mcp-memory-service", "mcp-memory-service's JSON export.", guess, records, wants=ending_in(".json")
)
