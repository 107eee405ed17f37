r"""Printable text: no control sequence reaches a terminal, and nothing in a text is hidden.

Terminal controls (colours, links, cursor) are not part of what was said and are removed. Characters that
reorder a text, or are in it and invisible, are shown as JSON escapes (`\\u202e`), so that what is read is
what is there; joiners and variation selectors stay where a script or an emoji needs them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from memcli.text.expressions import expression

# Marks where a text is cut.
CUT = "…"

# Whole escape sequences first (CSI, OSC and friends), then lone control
# characters (C0, DEL, C1).
_ESCAPES = (
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?"
    r"|\x1b[ -/]*[0-~]?"
)
_CONTROLS = expression(
    rf"{_ESCAPES}"
    r"|[\x00-\x08\x0b-\x1f\x7f-\x9f]"
)
# Bidi_Control and Default_Ignorable_Code_Point (Unicode 16, PropList.txt and DerivedCoreProperties.txt), and
# interlinear annotations; without joiners and variation selectors.
_HIDDEN = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e00ff"
    "\U000e01f0-\U000e0fff"
)
_JOINERS = "\u200c\u200d"
_VARIANTS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
# A joiner is allowed after a character of a joining script, an emoji or a variation selector; a variation
# selector after its base character. Elsewhere they are hidden characters.
_INVISIBLE = expression(
    rf"\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{{1,6}}\U000e007f"  # the flag of a region
    rf"|[{_HIDDEN}]"
    rf"|(?<![\u0590-\u1fff\u20e3\u2190-\u2bff\ua800-\uabff\ufb1d-\ufdff\ufe0f\ufe70-\ufefc\U00010a00-\U0001faff])"
    rf"[{_JOINERS}]"
    rf"|(?<![^\s{_HIDDEN}{_JOINERS}{_VARIANTS}])[{_VARIANTS}]"
)

# Text without a visible character: white space, controls, hidden ones, joiners, selectors, an empty Braille
# cell.
_UNSEEN = expression(rf"[\s\x00-\x1f\x7f-\x9f\u2800{_HIDDEN}{_JOINERS}{_VARIANTS}]*")

# Line ends of any program, so that a text has the same lines wherever it is read.
_LINE_END = expression(r"\r\n?|[\u2028\u2029]")

_CONTROL_CHARACTERS = expression(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")

# json.dumps escapes C0 only.
_UNESCAPED = expression(r"[\x7f-\x9f\u2028\u2029]")


def without_escapes(text: str) -> str:
    """Return `text` without terminal escape sequences (colours, links), which were not said."""
    return re.sub(_ESCAPES, "", text) if "\x1b" in text or "\x9b" in text else text


def value_without_escapes(value: Any) -> Any:
    """Return a JSON value whose texts have no terminal escape sequences."""
    if isinstance(value, str):
        return without_escapes(value)
    if isinstance(value, dict):
        return {name: value_without_escapes(each) for name, each in value.items()}
    return [value_without_escapes(each) for each in value] if isinstance(value, list) else value


def is_blank(text: str) -> bool:
    """True if a text has no visible character: empty, spaces, colours, characters without a shape."""
    first = text[:1]
    if first.isascii() and first.isalnum():
        return False
    return _UNSEEN.fullmatch(without_escapes(text)) is not None


def without_controls(text: str) -> str:
    """Return `text` without control sequences and characters; tabs stay, and line ends as line feeds."""
    return text if text.isprintable() else _CONTROLS.sub("", _LINE_END.sub("\n", text))


def visible(text: str) -> str:
    """Return `text` with each character that would reorder or hide something escaped as in JSON."""
    return text if text.isascii() else _INVISIBLE.sub(lambda found: _escaped(found[0]), text)


def _escaped(character: str) -> str:
    return character if len(character) > 1 else json.dumps(character)[1:-1]


def printable(text: str) -> str:
    """Return `text` without control sequences and with hidden characters escaped; tabs and line ends stay."""
    return visible(without_controls(text))


def written_out(text: str) -> str:
    """Return `text` with hiding, reordering and control characters escaped as in JSON; none is removed."""
    return visible(
        _CONTROL_CHARACTERS.sub(lambda found: _escaped_control(found[0]), text.replace("\r\n", "\n"))
    )


def _escaped_control(character: str) -> str:
    return f"\\u{ord(character):04x}"


def one_line(text: str, most: int | None = None) -> str:
    """Return `text` without control sequences, on one line; clipped to `most` characters, if given."""
    line = " ".join(printable(text).split())
    return line if most is None else clip(line, most)


def clip(text: str, most: int) -> str:
    """Return a text in at most `most` characters; if it was longer, `…` is the last of them."""
    return text if len(text) <= most else text[: most - 1] + CUT


def quoted(text: str, most: int = 70) -> str:
    """Return a text as quoted in a message: on one line, in at most `most` characters and the quotes."""
    return repr(clip(" ".join(text.split()), most))


def json_line(record: dict[str, Any]) -> str:
    """Return a record as one line of JSON Lines, in any script, without raw control characters."""
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
    return _UNESCAPED.sub(lambda character: _escaped_control(character[0]), text)


def json_array(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines of JSON as one array, one element per line."""
    opening = "["
    for line in lines:
        yield opening + line
        opening = ","
    yield "]" if opening == "," else "[]"


def safe_json(text: str) -> str:
    """Return a JSON document as written, with the control characters in its strings escaped."""
    text = visible(text.replace("\r\n", "\n").replace("\r", "\n"))
    # Each character by itself, because a whole escape sequence may include a backslash of JSON's own.
    for pattern in (_CONTROL_CHARACTERS, _UNESCAPED):
        text = pattern.sub(lambda character: _escaped_control(character[0]), text)
    return text
