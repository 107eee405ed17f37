"""Numbers as small plots of block characters, a line each; of plain ones where a terminal has no others."""

from __future__ import annotations

import locale
from collections.abc import Sequence

# From nothing to the most; eighths of a character from none to seven.
_LEVELS, _PLAIN_LEVELS = " ▁▂▃▄▅▆▇█", " .:-=+*%#"
_EIGHTHS = ("", "▏", "▎", "▍", "▌", "▋", "▊", "▉")


def is_plain() -> bool:
    """Whether the terminal's encoding, as the locale says it, has no block characters."""
    # What we write is UTF-8 always; what a terminal makes of it, its locale knows.
    try:
        "▁█".encode(locale.getencoding())
    except (UnicodeEncodeError, LookupError):
        return True
    return False


def sparkline(values: Sequence[int], *, plain: bool = False) -> str:
    """A character for each number, as high as its share of the largest; blank for 0 alone."""
    levels = _PLAIN_LEVELS if plain else _LEVELS
    most = max(values, default=0)
    steps = len(levels) - 1
    return "".join(levels[-(-value * steps // most) if most and value > 0 else 0] for value in values)


def bar(value: int, most: int, width: int, *, plain: bool = False) -> str:
    """A bar of up to `width` characters, as long as a number's share of the largest; empty for 0 alone."""
    if value <= 0 or most <= 0:
        return ""
    if plain:
        return "#" * max(1, round(width * value / most))
    whole, eighths = divmod(max(1, round(8 * width * value / most)), 8)
    return "█" * whole + _EIGHTHS[eighths]
