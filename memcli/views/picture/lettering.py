"""Lettering: estimate the width of a text without a font; a little more than it will be."""

from __future__ import annotations

import textwrap
import unicodedata

# Widths relative to the font's size, as in sans-serif fonts (DejaVu Sans, the widest of the usual ones).
_NARROW, _WIDE, _CAPITAL, _OTHER, _SQUARE = 0.38, 0.98, 0.74, 0.64, 1.05
_NARROW_CHARACTERS = frozenset("iljtfrI.,:;'|!()[] ´`-")
_WIDE_CHARACTERS = frozenset("mwMW@%&—→")


def text_width(text: str, size: float) -> float:
    """Return the width of a line, in the unit of the font's size."""
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
    # Ideographs and emoji; unassigned characters count as wide, too.
    return _SQUARE if unicodedata.east_asian_width(character) in "WF" or ord(character) > 0x2E80 else _CAPITAL


def wrapped(text: str, width: int, lines: int) -> list[str]:
    """Wrap a text into at most `lines` lines of `width` characters; an ellipsis marks a cut."""
    return textwrap.wrap(text, width, max_lines=lines, placeholder="…", break_on_hyphens=False) or ["…"]
