"""Fields of other programs' records: their values if present and of the right type, else empty ones."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from memcli import times
from memcli.importers.records import UnreadTime, When, known
from memcli.text.checks import MAX_NAME

_SHOWN = {
    "image": "[image]", "input_image": "[image]", "image_url": "[image]", "document": "[document]",
}  # fmt: skip
_WORDS = ("text", "input_text", "output_text", "voice_note")
# Values that mean "no time".
_NONE = ("", "none", "null", "nan", "n/a", "-")
# The zero time of programs in Go.
_ZERO = "0001-01-01"
_ZONE = re.compile(r"\s*(?:UTC|GMT|Z)$|\s+(?=[+-]\d\d:?\d\d$)")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def text(record: object, *names: str) -> str:
    """Return the first of these fields that is a non-blank string, or ""."""
    if isinstance(record, Mapping):
        for name in names:
            value = record.get(name)
            if isinstance(value, str) and value.strip():
                return value
    return ""


def objects(record: object, name: str) -> Iterator[Mapping[str, Any]]:
    """Yield the objects in a field that is a list."""
    value = record.get(name) if isinstance(record, Mapping) else None
    for each in value if isinstance(value, list) else ():
        if isinstance(each, Mapping):
            yield each


def mapping(record: object, name: str) -> Mapping[str, Any]:
    """Return a field that is an object, or an empty one."""
    value = record.get(name) if isinstance(record, Mapping) else None
    return value if isinstance(value, Mapping) else {}


def instant(value: object) -> datetime | None:
    """Return the instant in a value, or None.

    Accepts ISO 8601 (naive is UTC; a month is its first day), and seconds or milliseconds since 1970.
    """
    try:
        if isinstance(value, str) and value.strip():
            if re.fullmatch(r"-?\d{9,13}(\.\d+)?", value.strip()):
                return instant(float(value))
            return times.from_iso(_as_iso(value.strip()))
        if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
            # Seconds and milliseconds differ in magnitude for centuries.
            seconds = value / 1000 if value > 1e11 else value
            return times.to_milliseconds(_EPOCH + timedelta(seconds=seconds))
    except (ValueError, OverflowError):
        pass
    return None


def _as_iso(text: str) -> str:
    if found := re.fullmatch(r"(\d{4})[-/](\d\d)(?:[-/](\d\d)(.*))?", text):
        text = f"{found[1]}-{found[2]}-{found[3] or '01'}{found[4] or ''}"
    return _ZONE.sub(lambda found: "" if found[0].isspace() else "+00:00", text)


def told_time(name: str, value: object) -> When:
    """Return a field's instant, or its unparsed value (UnreadTime); None if it is empty."""
    if isinstance(value, str) and value.strip().startswith(_ZERO):
        return None
    if (found := instant(value)) is not None:
        return found
    empty = not value or (isinstance(value, str) and value.strip().lower() in _NONE)
    return None if empty else UnreadTime(f"{name}: {value!r:.40}")


def when(record: object, *names: str) -> When:
    """Return the first instant in these fields, as `first_of` does."""
    if not isinstance(record, Mapping):
        return None
    return first_of(*(told_time(name, record.get(name)) for name in names))


def first_of(*times: When) -> When:
    """Return the first of these times; if it could not be parsed, with the next instant as its `instead`."""
    some = [each for each in times if each is not None]
    if not some or isinstance(some[0], datetime):
        return next(iter(some), None)
    return some[0]._replace(instead=next(filter(None, map(known, some)), None))


def tags(value: object) -> tuple[str, ...]:
    """Return the tags in a list or a text separated by commas or semicolons, without # and invalid ones."""
    given = re.split("[,;]", value) if isinstance(value, str) else value if isinstance(value, list) else []
    found = [each.strip().lstrip("#").strip() for each in given if isinstance(each, str)]
    return tuple(dict.fromkeys(each for each in found if 0 < len(each) <= MAX_NAME and each.isprintable()))


def content_text(content: object) -> str:
    """Return the words of a message's content: a text, or its parts of type text.

    A message of pictures alone is `[image]`, of documents alone `[document]`.
    """
    if isinstance(content, str):
        return content.strip()
    if not isinstance(content, list):
        return ""
    parts = [
        each if isinstance(each, str) else text(each, "text")
        for each in content
        if isinstance(each, str) or (isinstance(each, Mapping) and text(each, "type").lower() in _WORDS)
    ]
    said = "\n\n".join(part.strip() for part in parts if part.strip())
    if said:
        return said
    kinds = (each.get("type") for each in content if isinstance(each, Mapping))
    shown = [_SHOWN[kind] for kind in kinds if isinstance(kind, str) and kind in _SHOWN]
    return "\n\n".join(shown)


def one_line(value: str, most: int = 80) -> str:
    """Return a title as a name: one line, printable, at most `most` characters."""
    plain = "".join(character if character.isprintable() else " " for character in value)
    return " ".join(plain.split())[:most].strip()
