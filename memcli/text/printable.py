"""Text as it may be shown: no control sequence of it ever reaches a terminal, and nothing in it hides.

What a program says to a terminal (colours, links, cursor) was never said and is left out. What reorders
a text, or is in it and cannot be seen, is shown as JSON writes it (`\\u202e`), so that what is read is
what is there; joiners and variants stay where a script or an emoji needs them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from memcli.text.expressions import expression

# Where a text is cut.
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
# Bidi_Control and Default_Ignorable_Code_Point (Unicode 16, PropList.txt and DerivedCoreProperties.txt),
# and what annotates between lines; joiners and variation selectors apart.
_HIDDEN = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e00ff"
    "\U000e01f0-\U000e0fff"
)
_JOINERS = "\u200c\u200d"
_VARIANTS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
# Before a joiner stands a character of a script that joins, or an emoji, or its variant; before a variant
# what it is a variant of.
_INVISIBLE = expression(
    rf"\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{{1,6}}\U000e007f"  # the flag of a region
    rf"|[{_HIDDEN}]"
    rf"|(?<![\u0590-\u1fff\u20e3\u2190-\u2bff\ua800-\uabff\ufb1d-\ufdff\ufe0f\ufe70-\ufefc\U00010a00-\U0001faff])"
    rf"[{_JOINERS}]"
    rf"|(?<![^\s{_HIDDEN}{_JOINERS}{_VARIANTS}])[{_VARIANTS}]"
)

# What shows nothing: white space, controls, what hides, joiners, variants of nothing, an empty Braille cell.
_UNSEEN = expression(rf"[\s\x00-\x1f\x7f-\x9f\u2800{_HIDDEN}{_JOINERS}{_VARIANTS}]*")

# What ends a line for one program or another, so that a text shows its lines wherever it is read.
_LINE_END = expression(r"\r\n?|[\u2028\u2029]")

_CONTROL_CHARACTERS = expression(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")

# json.dumps escapes C0 only.
_UNESCAPED = expression(r"[\x7f-\x9f\u2028\u2029]")


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


def is_blank(text: str) -> bool:
    """Whether nothing in a text can be seen: it is empty, space, colours, characters without a shape."""
    first = text[:1]
    if first.isascii() and first.isalnum():
        return False
    return _UNSEEN.fullmatch(without_escapes(text)) is not None


def without_controls(text: str) -> str:
    """`text` without control sequences and characters; tabs stay, and line ends, each as a line feed."""
    return text if text.isprintable() else _CONTROLS.sub("", _LINE_END.sub("\n", text))


def visible(text: str) -> str:
    """`text` with each character escaped that would reorder or hide what is read: as JSON would write it."""
    return text if text.isascii() else _INVISIBLE.sub(lambda found: _escaped(found[0]), text)


def _escaped(character: str) -> str:
    return character if len(character) > 1 else json.dumps(character)[1:-1]


def printable(text: str) -> str:
    """`text` without control sequences, and with nothing in it that hides; tabs and line ends stay."""
    return visible(without_controls(text))


def written_out(text: str) -> str:
    """`text` with characters that hide, reorder or command written as JSON would: none is left out."""
    return visible(
        _CONTROL_CHARACTERS.sub(lambda found: _escaped_control(found[0]), text.replace("\r\n", "\n"))
    )


def _escaped_control(character: str) -> str:
    return f"\\u{ord(character):04x}"


def one_line(text: str, most: int | None = None) -> str:
    """`text` without control sequences, on one line; in at most `most` characters, as `clip` has it."""
    line = " ".join(printable(text).split())
    return line if most is None else clip(line, most)


def clip(text: str, most: int) -> str:
    """A text in at most `most` characters; where it was longer, `…` is the last of them."""
    return text if len(text) <= most else text[: most - 1] + CUT


def quoted(text: str, most: int = 70) -> str:
    """A text as a message quotes it: in quotes, on one line, in at most `most` characters and the quotes."""
    return repr(clip(" ".join(text.split()), most))


def json_line(record: dict[str, Any]) -> str:
    """One line of JSON Lines, in any script, without raw control characters."""
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
    return _UNESCAPED.sub(lambda character: _escaped_control(character[0]), text)


def json_array(lines: Iterable[str]) -> Iterator[str]:
    """Lines of JSON as one array, an element a line."""
    opening = "["
    for line in lines:
        yield opening + line
        opening = ","
    yield "]" if opening == "," else "[]"


def safe_json(text: str) -> str:
    """A JSON document as it was written, but for control characters in its strings, which are escaped."""
    text = visible(text.replace("\r\n", "\n").replace("\r", "\n"))
    # Character by character: what follows one that opens a sequence may be the backslash of JSON's own.
    for pattern in (_CONTROL_CHARACTERS, _UNESCAPED):
        text = pattern.sub(lambda character: _escaped_control(character[0]), text)
    return text
