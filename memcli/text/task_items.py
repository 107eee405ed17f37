"""Task items: the checkbox before a list item (to do, done, given up), and the tags for it."""

from __future__ import annotations

from collections.abc import Collection

from memcli.text.expressions import expression

# Tags of a memory, whatever its source: something is still to be done; it is done or given up.
TO_DO = frozenset({"todo", "promise"})
DONE = ("done", "closed", "cancelled")

_BOX = expression(r"\[([ xX/-])\]\s+(?=\S)")
_BULLET = expression(r"\s*(?:[-*+•]|\d{1,9}[.)])\s+")
# Begun ("/") is still to do.
_TAGS = {" ": "todo", "/": "todo", "x": "done", "X": "done", "-": "cancelled"}


def has_box(text: str) -> bool:
    """True if an item begins with a checkbox."""
    return _BOX.match(text) is not None


def read_box(text: str) -> tuple[str, tuple[str, ...]]:
    """Return the words of an item, and the tag of its checkbox, if it has one."""
    box = _BOX.match(text)
    return (text[box.end() :], (_TAGS[box[1]],)) if box else (text, ())


def read_task(text: str, tags: Collection[str]) -> tuple[str, set[str]]:
    """Return the words of a list line with a checkbox, bullet or not, and `tags` with that of the checkbox.

    Any other text is returned as it is. What is done or given up loses the tags of what is to do.
    """
    bullet = _BULLET.match(text)
    words, own = read_box(text[bullet.end() :] if bullet else text)
    if not own:
        return text, {*tags}
    return words, {*own, *(tags if own == ("todo",) else set(tags) - TO_DO)}


def is_over(tags: Collection[str]) -> bool:
    """True if these tags say that something is done or given up."""
    return not set(DONE).isdisjoint(tags)
