"""Whether a text may hold anything that memcli printed: asked before what knows it again is imported."""

from __future__ import annotations

from memcli.prompt.formats import MENDED, NOTICES, TO_MEND
from memcli.text.expressions import expression

ID = expression(r"(?<![0-9A-Za-z])[0-9A-HJKMNP-TV-Z]{8}(?:[0-9A-HJKMNP-TV-Z]{18})?(?![0-9A-Za-z])")
# The columns of lists without ids (`formats.IN_COLUMNS`): a block's size, when a task was changed, how often
# a procedure worked.
_COLUMNS = expression(r" (?:deleted|[\d,]+/[\d,]+)  |\d\d:\d\d  |  (?:never reported|worked \d)")
# A mark, a message or a piece as JSON, what a block says of itself.
_MARKS = (
    TO_MEND.strip().partition("{")[0],
    MENDED.strip().partition("{")[0],
    "memcli",
    '"content"',
    '"tier"',
    NOTICES["memories"].partition(",")[0],
)


def may_echo(text: str) -> bool:
    """Whether it is worth to look: a mark of memcli's stands in it, an id, or what may be a block's label."""
    return ": " in text or marked(text)


def marked(text: str) -> bool:
    """Whether a mark of memcli's, an id or a column of its lists stands in a text."""
    if any(mark in text for mark in _MARKS) or ID.search(text) is not None:
        return True
    return "  " in text and _COLUMNS.search(text) is not None
