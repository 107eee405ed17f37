"""Checks of what is typed or imported (names, texts, fractions, data) against its bounds."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from memcli.errors import BadInput
from memcli.model import EVERYWHERE
from memcli.text.printable import is_blank

# The most characters of a name of a tag, space or session: these are used in tables, file names and filters.
MAX_NAME = 200
# The deepest nesting: no program needs more, and functions that walk a value recurse once or twice a level.
MAX_DEPTH = 200


def check_text(text: str, max_bytes: int) -> None:
    """Raise BadInput for a text that cannot be stored as it is."""
    if is_blank(text):
        raise BadInput("the text is empty; nothing to remember")
    if "\0" in text:
        raise BadInput("the text holds a NUL byte; it is binary, not text")
    try:
        size = len(text.encode("utf-8"))
    except UnicodeEncodeError as error:
        raise BadInput("the text is not valid UTF-8; convert it first (iconv)") from error
    if size > max_bytes:
        raise BadInput(
            f"the text has {size:,} bytes, the limit is {max_bytes:,}",
            advice="split it",
            by_hand="MEMCLI_MAX_TEXT raises it",
        )


def check_data(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of `data` as they are stored; raise BadInput for what JSON in UTF-8 cannot hold."""
    check_depth(data, "data")
    try:
        json.dumps(data, ensure_ascii=False, allow_nan=False).encode("utf-8")
    except (TypeError, ValueError, RecursionError) as error:
        raise BadInput(f"data: cannot be kept as JSON in UTF-8 ({error})"[:200]) from error
    return dict(data)


def check_depth(value: Any, what: str) -> None:
    """Raise BadInput for a JSON value with more than MAX_DEPTH levels; `what` names it in the message."""
    level = [value]
    for _ in range(MAX_DEPTH):
        below: list[Any] = []
        for each in level:
            if isinstance(each, Mapping):
                below.extend(each.values())
            elif isinstance(each, list):
                below.extend(each)
        if not below:
            return
        level = below
    raise BadInput(f"{what}: nested too deep")


def check_name(what: str, name: str) -> str:
    """Return the name of a tag, space or session, trimmed and in NFC; raise BadInput if it is not valid.

    File names, by which sessions may be called, are in NFD on some machines, and look the same.
    """
    name = spellings(name.strip())[0]
    try:
        name.encode("utf-8")
    except UnicodeEncodeError as error:
        raise BadInput(f"the {what} is not valid UTF-8") from error
    if is_blank(name) or len(name) > MAX_NAME or not name.isprintable():
        raise BadInput(f"{what} {name!r:.60}: give 1 to {MAX_NAME} printable characters on one line")
    return name


def spellings(name: str) -> tuple[str, ...]:
    """Return a name as it is stored, in NFC, and as older versions may have stored it, in NFD."""
    if name.isascii():
        return (name,)
    from unicodedata import normalize

    return tuple(dict.fromkeys((normalize("NFC", name), normalize("NFD", name))))


def check_space(name: str) -> str:
    """Return the name of one space, trimmed; raise BadInput if it is not valid."""
    name = check_name("space", name)
    if name == EVERYWHERE:
        raise BadInput(f"{EVERYWHERE!r} stands for all spaces; name one")
    return name


def check_choice(what: str, value: str, choices: tuple[str, ...]) -> str:
    """Return `value` if it is one of the choices; else raise BadInput with all of them."""
    if value not in choices:
        from memcli.text.spelling import did_you_mean

        meant = did_you_mean(value, choices)
        raise BadInput(f"unknown {what} {value!r:.60}; {meant}one of {', '.join(choices)}")
    return value


def check_fraction(what: str, value: float) -> float:
    """Return `value` if it is between 0 and 1; else raise BadInput."""
    if not 0 <= value <= 1:
        raise BadInput(f"{what} {value!s:.20} is out of range; give a number from 0 to 1")
    return float(value)
