"""Echoed records: JSON that memcli printed (memories, turns, changes), recognised by keys and texts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from memcli.model import Event
from memcli.prompt import formats, recognizers
from memcli.prompt.matching import Originals, Unnamed, flat, says
from memcli.prompt.sections import TIERS
from memcli.prompt.traces import ID

# The beginning of an object, or of an array of objects.
_OPENING = re.compile(r"(?:\[\s*)?\{")


def records(text: str) -> list[object]:
    """Return the JSON values of a text that has nothing else; also of one line of an array."""
    bare = text.strip()
    if not _OPENING.match(bare):
        return []
    for candidate in (bare, bare.rstrip(","), bare.lstrip("[").rstrip("],")):
        try:
            value = json.loads(candidate)
        except (ValueError, RecursionError):
            continue
        return value if isinstance(value, list) else [value]
    return _in_a_row(bare)


def _in_a_row(text: str) -> list[object]:
    """Return the JSON values of a text that follow each other, on one line each or, from `jq`, on several."""
    found: list[object] = []
    decoder, place = json.JSONDecoder(), 0
    while place < len(text):
        try:
            value, end = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            return []
        found.append(value)
        while end < len(text) and text[end].isspace():
            end += 1
        place = end
    return found


def is_own(record: object, originals: Originals, unnamed: Unnamed) -> bool:
    """True if memcli printed this object, and nobody changed what it says."""
    if not isinstance(record, dict):
        return False
    named, text, content = record.get("id"), record.get("text"), record.get("content")
    if isinstance(text, str) and isinstance(named, str) and ID.fullmatch(named):
        memory = originals.memory(named)
        return memory is not None and says(memory, text)
    if isinstance(text, str) and record.get("tier") in TIERS:
        # Of a task or a block: the field `tier` is memcli's mark, as a line inside a marked block is.
        return True
    if isinstance(content, str) and isinstance(record.get("role"), str):
        summary = recognizers.opening().match(content) is not None
        return summary or any(said in unnamed for said in _said(content))
    keys = (Event._fields, formats.PROPOSAL, formats.MISSES, formats.PICTURE)
    return any(set(record) == {*each} for each in keys) and all(
        is_own(each, originals, unnamed) for each in _shown(record)
    )


def _said(content: str) -> Iterator[str]:
    """Yield what a message says: all of it, and what follows its speaker."""
    message = flat(content)
    yield message
    for spoken in formats.SPOKEN:
        if found := recognizers.line(spoken).match(message):
            yield found["text"]


def _shown(value: Any) -> Iterator[dict[str, Any]]:
    """Yield the memories inside a record."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for each in inner:
        if isinstance(each, dict) and isinstance(each.get("id"), str) and isinstance(each.get("text"), str):
            yield each
        else:
            yield from _shown(each)
