"""mem0 importer: output of `get_all()` or its command line, as JSON or JSON Lines; or its history.db.

A program wrote these memories from its user's words, so they are untrusted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from memcli.errors import BadInput
from memcli.importers import fields
from memcli.importers.files import File, head_of
from memcli.importers.json_stream import read_document, read_lines
from memcli.importers.markdown import text_id
from memcli.importers.records import Problem, Record, Relation, Statement
from memcli.importers.source import Source
from memcli.importers.sqlite_file import MAGIC, opened_database, tables_of

_OWNERS = ("user_id", "agent_id", "run_id")


def _wanted(name: str) -> bool:
    return name.endswith((".json", ".jsonl")) or name.rsplit("/", 1)[-1] == "history.db"


def guess(path: Path) -> bool:
    """True if it has memories with an owner, or is a database with mem0's history."""
    head = head_of(path)
    if head.startswith(MAGIC):
        return "history" in tables_of(path) and _is_history(path)
    owned = any(f'"{name}"'.encode() in head for name in (*_OWNERS, "hash"))
    return b'"memory"' in head and owned and path.suffix in (".json", ".jsonl")


def _is_history(path: Path) -> bool:
    try:
        with opened_database(path) as database:
            database.execute("SELECT memory_id, new_memory, event, created_at FROM history LIMIT 1")
    except BadInput:
        return False
    return True


def records(file: File) -> Iterator[Record]:
    """A statement for each memory."""
    if head_of(Path(file.place)).startswith(MAGIC):
        yield from _history(Path(file.place))
        return
    for place, value in _values(file):
        yield from _records(value, place, file.date())


def _values(file: File) -> Iterator[tuple[str, Any]]:
    if file.suffix == ".jsonl":
        for number, value in read_lines(file):
            yield f"{file.place}: line {number}", value
        return
    document = read_document(file)
    for number, each in enumerate(fields.objects(document, "relations"), start=1):
        yield f"{file.place}: relation {number}", each
    while isinstance(document, dict):
        inner = next((document[n] for n in ("results", "memories", "data") if n in document), None)
        document = [document] if inner is None else inner
    if not isinstance(document, list):
        raise BadInput("holds no list of memories")
    for number, value in enumerate(document, start=1):
        yield f"{file.place}: memory {number}", value


def _records(value: Any, place: str, date: datetime | None) -> Iterator[Record]:
    if isinstance(value, BadInput):
        yield Problem(place, str(value))
        return
    ends = [
        fields.text(value, *names) for names in (("source",), ("relationship",), ("destination", "target"))
    ]
    if all(ends):
        yield Relation(place, ends[0], ends[1], ends[2], trusted=False)
        return
    text = value if isinstance(value, str) else fields.text(value, "memory", "text", "content", "data")
    if not text.strip():
        yield Problem(place, "a memory without 'memory', 'text' or 'content'")
        return
    record: Mapping[str, Any] = value if isinstance(value, Mapping) else {}
    data: dict[str, Any] = {name: found for name in _OWNERS if (found := fields.text(record, name))}
    if metadata := fields.mapping(record, "metadata"):
        data["metadata"] = dict(metadata)
    at = fields.when(record, "created_at")
    changed = fields.when(record, "updated_at")
    yield Statement(
        place, fields.text(record, "id") or text_id(text), text, None, fields.tags(record.get("categories")),
        fields.first_of(at, changed) if at else None, trusted=False, data=data,
        changed=fields.first_of(changed, date),
        valid_until=fields.when(record, "expiration_date"),
    )  # fmt: skip


def _history(path: Path) -> Iterator[Record]:
    """Yield the last text of each memory in a history; deleted ones are left out."""
    last: dict[str, tuple[str, str, object]] = {}
    with opened_database(path) as database:
        rows = database.execute("SELECT memory_id, new_memory, event, created_at FROM history ORDER BY rowid")
        for memory_id, text, event, at in rows:
            first = last.get(str(memory_id), ("", "", at))[2]
            last[str(memory_id)] = (str(text or ""), str(event), first)
    for memory_id, (text, event, at) in last.items():
        if event.upper() != "DELETE" and text.strip():
            yield Statement(
                f"{path}: {memory_id:.60}",
                memory_id,
                text,
                None,
                (),
                fields.told_time("created_at", at),
                trusted=False,
            )


SOURCE = Source("mem0", "mem0's memories as JSON, or its history.db.", guess, records, wants=_wanted)
