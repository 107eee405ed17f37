"""Traces of memcli's output in a text: a cheap test before the code that recognises echoes is imported."""

from __future__ import annotations

from memcli.prompt.formats import MENDED, NOTICES, TO_MEND
from memcli.text.expressions import expression

ID = expression(r"(?<![0-9A-Za-z])[0-9A-HJKMNP-TV-Z]{8}(?:[0-9A-HJKMNP-TV-Z]{18})?(?![0-9A-Za-z])")
# Columns of lists without ids (`formats.IN_COLUMNS`): a block's size, a task's time, a procedure's outcomes.
_COLUMNS = expression(r" (?:deleted|[\d,]+/[\d,]+)  |\d\d:\d\d  |  (?:never reported|worked \d)")
# Marks: of an audit, of memcli, of messages and pieces in JSON, the notice of a block.
_MARKS = (
    TO_MEND.strip().partition("{")[0],
    MENDED.strip().partition("{")[0],
    "memcli",
    '"content"',
    '"tier"',
    NOTICES["memories"].partition(",")[0],
)


def may_echo(text: str) -> bool:
    """True if a text may hold an echo: it has a mark of memcli's, an id, or a possible block label."""
    return ": " in text or marked(text)


def marked(text: str) -> bool:
    """True if a text has a mark of memcli's, an id or a column of its lists."""
    if any(mark in text for mark in _MARKS) or ID.search(text) is not None:
        return True
    return "  " in text and _COLUMNS.search(text) is not None
