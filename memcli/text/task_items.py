"""What the box before an item says of it (to be done, done, given up), and the tags that say so."""

from __future__ import annotations

from collections.abc import Collection

from memcli.text.expressions import expression

# By which a memory of whatever source says that something is still to be done; and that nothing is any more.
TO_DO = frozenset({"todo", "promise"})
DONE = ("done", "closed", "cancelled")

_BOX = expression(r"\[([ xX/-])\]\s+(?=\S)")
_BULLET = expression(r"\s*(?:[-*+•]|\d{1,9}[.)])\s+")
# Begun is not done.
_TAGS = {" ": "todo", "/": "todo", "x": "done", "X": "done", "-": "cancelled"}


def has_box(text: str) -> bool:
    """Whether an item begins with a box."""
    return _BOX.match(text) is not None


def read_box(text: str) -> tuple[str, tuple[str, ...]]:
    """The words of an item, and the tag that its box says, if it has one."""
    box = _BOX.match(text)
    return (text[box.end() :], (_TAGS[box[1]],)) if box else (text, ())


def read_task(text: str, tags: Collection[str]) -> tuple[str, set[str]]:
    """The words of a line of a list that begins with a box, bullet or not, and `tags` with what that says.

    Of any other text all of it. What is done or given up is to be done no more.
    """
    bullet = _BULLET.match(text)
    words, own = read_box(text[bullet.end() :] if bullet else text)
    if not own:
        return text, {*tags}
    return words, {*own, *(tags if own == ("todo",) else set(tags) - TO_DO)}


def is_over(tags: Collection[str]) -> bool:
    """Whether these tags say that something is done or given up."""
    return not set(DONE).isdisjoint(tags)
