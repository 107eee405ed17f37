"""Memory server importer: the official MCP memory server's JSON Lines of entities and relations.

An entity's observations become statements that name it; its type and its relations become links. An agent
wrote all of it, so it is untrusted.
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
from memcli.importers.source import Source, ending_in


def guess(path: Path) -> bool:
    """True if its lines are entities and relations, or it is one graph of them."""
    head = head_of(path).decode("utf-8", "replace")
    lines = '"entityType"' in head or '"relationType"' in head
    return path.suffix in (".json", ".jsonl") and lines


def records(file: File) -> Iterator[Record]:
    """Statements and links; broken lines are problems."""
    for place, value in _values(file):
        yield from _records(value, place, file.date())


def _values(file: File) -> Iterator[tuple[str, Any]]:
    head = head_of(Path(file.place))
    if b'"entities"' in head and b'"type"' not in head.split(b'"entities"', 1)[0]:
        graph = read_document(file)
        for name, kind in (("entities", "entity"), ("relations", "relation")):
            for number, each in enumerate(fields.objects(graph, name), start=1):
                yield f"{file.place}: {name} {number}", {**each, "type": kind}
        return
    for number, value in read_lines(file):
        yield f"{file.place}: line {number}", value


def _records(value: Any, place: str, date: datetime | None) -> Iterator[Record]:
    if not isinstance(value, dict):
        yield Problem(place, str(value) if isinstance(value, BadInput) else "not a JSON object")
    elif value.get("type") == "entity":
        yield from _entity(value, place, date)
    elif value.get("type") == "relation":
        ends = [fields.text(value, name) for name in ("from", "relationType", "to")]
        if all(ends):
            yield Relation(place, ends[0], ends[1], ends[2], trusted=False)
        else:
            yield Problem(place, "a relation without 'from', 'relationType' or 'to'")
    else:
        yield Problem(place, f"no entity and no relation: type {value.get('type')!r:.40}")


def _entity(value: Mapping[str, Any], place: str, date: datetime | None) -> Iterator[Record]:
    name, kind = fields.text(value, "name"), fields.text(value, "entityType")
    if not name:
        yield Problem(place, "an entity without a 'name'")
        return
    if kind:
        yield Relation(place, name, "is_a", kind, trusted=False)
    observations = value.get("observations")
    for each in observations if isinstance(observations, list) else ():
        # Some servers keep an observation as an object with other fields.
        said = each if isinstance(each, str) else fields.text(each, "content", "text")
        if not said.strip():
            yield Problem(place, f"an observation of {name!r:.40} that is not a text")
            continue
        spoken = name.replace("_", " ")
        names_it = name.casefold() in said.casefold() or spoken.casefold() in said.casefold()
        text = said if names_it else f"{spoken}: {said}"
        tags = fields.tags([kind]) if kind else ()
        yield Statement(
            place, text_id(name, said), text, None, tags, trusted=False, data={"entity": name}, changed=date
        )


SOURCE = Source(
    "memory-server",
    "The official MCP memory server's memory.jsonl.",
    guess,
    records,
    ".jsonl",
    ending_in(".json", ".jsonl"),
)
