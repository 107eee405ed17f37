"""Shapes of input, checked field by field: JSON read strictly, its values held to bounds.

A shape is a function of a value and of where it stands; it raises BadInput, which names the field and says
what is wrong. Shapes are combined: `by_name(many(memory_id))`. What has passed can be stored, printed and
read again anywhere: no text that is not UTF-8, no number that machines cannot hold, no instant outside the
calendar.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from memcli import ids, times
from memcli.errors import BadInput
from memcli.text.checks import MAX_NAME
from memcli.text.printable import is_blank

Shape = Callable[[Any, str], None]

# The largest integer that every JSON reader holds exactly (RFC 8259, 6).
LARGEST = 2**53 - 1
# The deepest nesting that is stored: people nest three or four levels, programs a dozen.
DEEPEST = 100


def read_json(text: str) -> Any:
    """Return the value of a JSON text, as every other reader would read it.

    Raises BadInput for invalid JSON, a duplicate name in an object, a number that cannot be kept exactly,
    half a surrogate pair, and nesting deeper than DEEPEST.
    """
    try:
        value = json.loads(
            text, parse_int=_integer, parse_float=_real, parse_constant=_no_number, object_pairs_hook=_object
        )
    except RecursionError as error:
        raise BadInput(f"not valid JSON: nested deeper than {DEEPEST} levels") from error
    except ValueError as error:
        raise BadInput(f"not valid JSON ({error})") from error
    if text.count("{") + text.count("[") > DEEPEST:
        _refuse_depth(value)
    if "\\ud" in text or "\\uD" in text:
        _refuse_surrogates(value)
    return value


def _integer(digits: str) -> int:
    if len(digits) > len(str(LARGEST)) or abs(int(digits)) > LARGEST:
        raise BadInput(f"the number {digits:.40} is too large to be kept as it is")
    return int(digits)


def _real(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):
        raise BadInput(f"the number {digits:.40} is too large to be kept as it is")
    return value


def _no_number(name: str) -> None:
    raise BadInput(f"not valid JSON: there is no {name} in JSON")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        counts = Counter(name for name, _ in pairs)
        twice = next(name for name, count in counts.items() if count > 1)
        raise BadInput(f"{twice!r:.60} is given twice")
    return found


def _refuse_depth(value: Any) -> None:
    level = [value]
    for _ in range(DEEPEST):
        level = [
            inner
            for each in level
            if isinstance(each, dict | list)
            for inner in (each.values() if isinstance(each, dict) else each)
        ]
    if any(isinstance(each, dict | list) for each in level):
        raise BadInput(f"nested deeper than {DEEPEST} levels")


def _refuse_surrogates(value: Any) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise BadInput("not valid UTF-8: half a surrogate pair (\\ud800 to \\udfff)") from error


# Values


def anything(value: Any, where: str) -> None:
    """Accept any value that JSON in UTF-8 can hold."""
    try:
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise BadInput(f"{where}: cannot be kept as JSON in UTF-8 ({error})"[:200]) from error


def text(value: Any, where: str) -> None:
    """Accept a text without NUL."""
    if not isinstance(value, str):
        raise _wrong(where, value, "not a text")
    if "\0" in value:
        raise BadInput(f"{where}: holds a NUL; it is binary, not text")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise BadInput(f"{where}: not valid UTF-8") from error


def name(value: Any, where: str) -> None:
    """Accept a name of a tag, a space or a session as typed: trimmed, printable, on one line."""
    text(value, where)
    if is_blank(value) or value != value.strip() or len(value) > MAX_NAME or not value.isprintable():
        raise _wrong(where, value, f"not a name of 1 to {MAX_NAME} printable characters on one line")


def memory_id(value: Any, where: str) -> None:
    """Accept a full id."""
    if not isinstance(value, str) or not ids.is_id(value):
        raise _wrong(where, value, "not a ULID")


def instant(value: Any, where: str) -> None:
    """Accept an instant in the file's form, or any other of ISO 8601, between the years 1 and 9999."""
    try:
        times.from_iso(value)
    except (TypeError, ValueError) as error:
        raise _wrong(where, value, "not an instant, as in 2026-05-03T14:07:00.000Z") from error


def count(value: Any, where: str) -> None:
    """Accept a count: an integer from 0 on."""
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= LARGEST:
        raise _wrong(where, value, "not a count: a whole number from 0 on")


def number(value: Any, where: str) -> None:
    """Accept any number that machines can hold exactly."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not abs(value) <= LARGEST:
        raise _wrong(where, value, "not a number")


def fraction(value: Any, where: str) -> None:
    """Accept a number from 0 to 1."""
    number(value, where)
    if not 0 <= value <= 1:
        raise _wrong(where, value, "out of range: a number from 0 to 1")


def flag(value: Any, where: str) -> None:
    """Accept true or false."""
    if not isinstance(value, bool):
        raise _wrong(where, value, "neither true nor false")


# Shapes of shapes


def one_of(*choices: str) -> Shape:
    """Return the shape of one of these words."""

    def check(value: Any, where: str) -> None:
        if value not in choices:
            raise _wrong(where, value, f"not one of {', '.join(choices)}")

    return check


def maybe(shape: Shape) -> Shape:
    """Return the shape of null, or a value of another shape."""

    def check(value: Any, where: str) -> None:
        if value is not None:
            shape(value, where)

    return check


def many(shape: Shape) -> Shape:
    """Return the shape of a list whose items have a shape."""

    def check(value: Any, where: str) -> None:
        if not isinstance(value, list):
            raise _wrong(where, value, "not a list")
        for place, each in enumerate(value):
            shape(each, f"{where}[{place}]")

    return check


def by_name(shape: Shape) -> Shape:
    """Return the shape of an object whose values have a shape, with any names."""

    def check(value: Any, where: str) -> None:
        if not isinstance(value, dict):
            raise _wrong(where, value, "not an object")
        for key, each in value.items():
            text(key, where)
            shape(each, f"{where}.{key:.40}")

    return check


def fields(
    required: Mapping[str, Shape], optional: Mapping[str, Shape] | None = None, *, others: bool = False
) -> Shape:
    """Return the shape of an object with these fields; with `others` further ones may hold anything."""
    known = {**(optional or {}), **required}

    def check(value: Any, where: str) -> None:
        if not isinstance(value, dict):
            raise _wrong(where, value, "not an object")
        lacking = next((each for each in required if each not in value), None)
        if lacking is not None:
            raise BadInput(f"no {_within(where, lacking)!r}")
        for key, each in value.items():
            if key not in known and not others:
                raise BadInput(f"unknown field {_within(where, key)!r:.60}")
            known.get(key, anything)(each, _within(where, key))

    return check


def _within(where: str, key: str) -> str:
    return f"{where}.{key:.40}" if where else key


def _wrong(where: str, value: Any, what: str) -> BadInput:
    return BadInput(f"{where}: {_shown(value)} is {what}")


def _shown(value: Any) -> str:
    try:
        return f"{value!r:.60}"
    except ValueError:  # more digits than Python writes
        return "a number"
