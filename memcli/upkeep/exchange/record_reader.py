"""Record reader: parse JSON Lines or one JSON document; an unreadable record does not cost the others."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from memcli.errors import BadInput
from memcli.text.shapes import read_json

# Matches the beginning of one JSON document, as opposed to JSON Lines.
_DOCUMENT = re.compile(r'\s*(\[|\{\s*$|\{\s*"records"\s*:)')
# In a document: the beginning of the array, what separates its records, and its end.
_ARRAY = re.compile(r'\s*(?:\{\s*"records"\s*:\s*)?\[\s*')
_COMMA = re.compile(r"\s*(?:,\s*(?!\])|(?=\]))")
_END = re.compile(r"\]\s*\}?\s*$")
_NO_OBJECT = "not a JSON object"


def read_records(lines: Iterable[tuple[int, str | BadInput]]) -> Iterator[tuple[str, dict[str, Any] | str]]:
    """Yield the records of a file with their place, or in place of a record what is wrong with it.

    Takes numbered lines of JSON Lines, or of one JSON array or export document; a line that is no valid
    text is given as its error. Raises BadInput for such a line in a document, whose lines are no records.
    """
    numbered = iter(lines)
    first = next(numbered, None)
    if first is None:
        return
    if isinstance(first[1], str) and _DOCUMENT.match(first[1]):
        yield from _read_document("\n".join([first[1], *map(_whole, numbered)]))
        return
    for number, line in (first, *numbered):
        place = f"line {number}"
        yield place, line.beside(place) if isinstance(line, BadInput) else _read_record(line)


def _whole(numbered: tuple[int, str | BadInput]) -> str:
    line = numbered[1]
    if isinstance(line, BadInput):
        raise line
    return line


def _read_record(text: str) -> dict[str, Any] | str:
    try:
        record = read_json(text)
    except BadInput as error:
        return str(error)
    return record if isinstance(record, dict) else _NO_OBJECT


def _read_document(text: str) -> Iterator[tuple[str, dict[str, Any] | str]]:
    """Yield the records of a document; if only some records are no JSON, the others."""
    try:
        document = read_json(text)
    except BadInput:
        parts = _parts_of_document(text)
        if parts is None:
            raise
        yield from ((f"record {number}", _read_record(part)) for number, part in enumerate(parts, start=1))
        return
    records = document.get("records") if isinstance(document, dict) else document
    if not isinstance(records, list):
        raise BadInput(
            "a JSON document to import is an array, or an object with 'records'",
            by_hand="if another program wrote it, --from says which",
        )
    for number, record in enumerate(records, start=1):
        yield f"record {number}", record if isinstance(record, dict) else _NO_OBJECT


def _parts_of_document(text: str) -> list[str] | None:
    """Return the texts of a document's records, parsed leniently; None if it is no document."""
    opening = _ARRAY.match(text)
    if opening is None:
        return None
    reader = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=str)
    parts, place = [], opening.end()
    try:
        while not _END.match(text, place):
            _, end = reader.raw_decode(text, place)
            parts.append(text[place:end])
            after = _COMMA.match(text, end)
            if after is None:
                return None
            place = after.end()
    except (ValueError, RecursionError):
        return None
    return parts
