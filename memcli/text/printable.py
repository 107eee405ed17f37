"""Text as it may be shown: no control sequence of it ever reaches a terminal."""

from __future__ import annotations

import json
import re
from typing import Any

# Whole escape sequences first (CSI, OSC and friends), then lone control
# characters (C0, DEL, C1) and the marks that reorder what a terminal shows.
_ESCAPES = (
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?"
    r"|\x1b[ -/]*[0-~]?"
)
_CONTROLS = re.compile(
    rf"{_ESCAPES}"
    r"|[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)


# json.dumps escapes C0 only.
_UNESCAPED = re.compile(r"[\x7f-\x9f\u2028\u2029]")


def without_escapes(text: str) -> str:
    """`text` without colours, links and what else a program says to a terminal: none of it was said."""
    return re.sub(_ESCAPES, "", text) if "\x1b" in text or "\x9b" in text else text


def value_without_escapes(value: Any) -> Any:
    """A JSON value whose texts are without them."""
    if isinstance(value, str):
        return without_escapes(value)
    if isinstance(value, dict):
        return {name: value_without_escapes(each) for name, each in value.items()}
    return [value_without_escapes(each) for each in value] if isinstance(value, list) else value


def printable(text: str) -> str:
    """`text` without control sequences; tabs and line ends stay."""
    return _CONTROLS.sub("", text.replace("\r\n", "\n"))


def one_line(text: str) -> str:
    """`text` without control sequences, on one line."""
    return " ".join(printable(text).split())


def json_line(record: dict[str, Any]) -> str:
    """One line of JSON Lines, in any script, without raw control characters."""
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
    return _UNESCAPED.sub(lambda sign: f"\\u{ord(sign[0]):04x}", text)


def safe_json(text: str) -> str:
    """A JSON document as it was written, but for control characters in its strings, which are escaped."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    for pattern in (_CONTROLS, _UNESCAPED):
        text = pattern.sub(lambda found: "".join(f"\\u{ord(sign):04x}" for sign in found[0]), text)
    return text
