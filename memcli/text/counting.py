"""Counting things in words: "1 memory", "2 links"."""

from __future__ import annotations


def counted(number: int, one: str, many: str = "") -> str:
    """Return a number of things: "1 memory", "2 links"; `many` is an irregular plural of `one`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
