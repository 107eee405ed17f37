"""How much room a text takes, where no font is at hand to ask: a little more than it will."""

from __future__ import annotations

import textwrap
import unicodedata

# Widths in parts of the font's size, as sans-serif fonts have them (DejaVu Sans,
# the widest of the usual ones).
_NARROW, _WIDE, _CAPITAL, _OTHER, _SQUARE = 0.38, 0.98, 0.74, 0.64, 1.05
_NARROW_CHARACTERS = frozenset("iljtfrI.,:;'|!()[] ´`-")
_WIDE_CHARACTERS = frozenset("mwMW@%&—→")


def text_width(text: str, size: float) -> float:
    """The width of a line, in the unit of the font's size."""
    return size * sum(map(_width_of, text))


def _width_of(character: str) -> float:
    if character in _NARROW_CHARACTERS:
        return _NARROW
    if character in _WIDE_CHARACTERS:
        return _WIDE
    if character.isascii():
        return _CAPITAL if character.isupper() else _OTHER
    if unicodedata.combining(character):
        return 0.0
    # Ideographs and emoji; what has a name of its own in no table is taken for as wide.
    return _SQUARE if unicodedata.east_asian_width(character) in "WF" or ord(character) > 0x2E80 else _CAPITAL


def wrapped(text: str, width: int, lines: int) -> list[str]:
    """A text on at most `lines` lines of `width` characters; where it is cut, an ellipsis says so."""
    return textwrap.wrap(text, width, max_lines=lines, placeholder="…", break_on_hyphens=False) or ["…"]
