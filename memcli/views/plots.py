"""Plots: numbers as block characters in one line, or ASCII characters if the terminal has no others."""

from __future__ import annotations

import locale
from collections.abc import Sequence

# Levels from zero to the maximum; block characters for none to seven eighths.
_LEVELS, _PLAIN_LEVELS = " ▁▂▃▄▅▆▇█", " .:-=+*%#"
_EIGHTHS = ("", "▏", "▎", "▍", "▌", "▋", "▊", "▉")


def is_plain() -> bool:
    """True if the terminal's encoding, according to the locale, has no block characters."""
    # The output is always UTF-8; the locale tells what a terminal can show.
    try:
        "▁█".encode(locale.getencoding())
    except (UnicodeEncodeError, LookupError):
        return True
    return False


def sparkline(values: Sequence[int], *, plain: bool = False) -> str:
    """Return a character for each number, as high as its share of the largest; a blank only for 0."""
    levels = _PLAIN_LEVELS if plain else _LEVELS
    most = max(values, default=0)
    steps = len(levels) - 1
    return "".join(levels[-(-value * steps // most) if most and value > 0 else 0] for value in values)


def bar(value: int, most: int, width: int, *, plain: bool = False) -> str:
    """Return a bar of up to `width` characters, as long as a number's share of `most`; "" only for 0."""
    if value <= 0 or most <= 0:
        return ""
    if plain:
        return "#" * max(1, round(width * value / most))
    whole, eighths = divmod(max(1, round(8 * width * value / most)), 8)
    return "█" * whole + _EIGHTHS[eighths]
