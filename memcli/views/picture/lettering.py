"""How much room a text takes, where no font is at hand to ask: a little more than it will."""

from __future__ import annotations

import textwrap
import unicodedata

# Widths in parts of the font's size, as sans-serif fonts have them (DejaVu Sans,
# the widest of the usual ones).
_NARROW, _WIDE, _CAPITAL, _OTHER, _SQUARE = 0.38, 0.98, 0.74, 0.64, 1.05
_NARROW_SIGNS = frozenset("iljtfrI.,:;'|!()[] ´`-")
_WIDE_SIGNS = frozenset("mwMW@%&—→")


def text_width(text: str, size: float) -> float:
    """The width of a line, in the unit of the font's size."""
    return size * sum(map(_sign_width, text))


def _sign_width(sign: str) -> float:
    if sign in _NARROW_SIGNS:
        return _NARROW
    if sign in _WIDE_SIGNS:
        return _WIDE
    if sign.isascii():
        return _CAPITAL if sign.isupper() else _OTHER
    if unicodedata.combining(sign):
        return 0.0
    # Ideographs and emoji; what has a name of its own in no table is taken for as wide.
    return _SQUARE if unicodedata.east_asian_width(sign) in "WF" or ord(sign) > 0x2E80 else _CAPITAL


def wrapped(text: str, width: int, lines: int) -> list[str]:
    """A text on up to so many lines of up to so many signs; what does not fit is cut, and the cut is seen."""
    return textwrap.wrap(text, width, max_lines=lines, placeholder="…", break_on_hyphens=False) or ["…"]
