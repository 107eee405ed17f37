"""How many of what, in words."""

from __future__ import annotations


def counted(number: int, one: str, many: str = "") -> str:
    """A number of things: "1 memory", "2 links"; `many` is their plural where it is not `one` with an s."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
