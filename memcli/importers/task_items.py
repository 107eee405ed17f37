"""What the box before an item says of it (to be done, done, given up): the same in every source."""

from __future__ import annotations

import re

_BOX = re.compile(r"\[([ xX/-])\]\s+")
# Begun is not done.
_TAGS = {" ": "todo", "/": "todo", "x": "done", "X": "done", "-": "cancelled"}


def has_box(text: str) -> bool:
    """Whether an item begins with a box."""
    return _BOX.match(text) is not None


def read_box(text: str) -> tuple[str, tuple[str, ...]]:
    """The words of an item, and the tag that its box says, if it has one.

    A mark of what is done or given up stays before the words: without it they would read like what is not.
    """
    box = _BOX.match(text)
    if box is None:
        return text, ()
    tag = _TAGS[box[1]]
    return text[box.end() :] if tag == "todo" else text, (tag,)
