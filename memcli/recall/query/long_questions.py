"""Long questions: of many thousand characters (a note or a log that was piped in) only both ends are read."""

from __future__ import annotations

# How much of both ends is read, in characters: the default model reads about the first 1,200.
_HEAD, _TAIL = 4_000, 1_000


def looked_at(question: str) -> str:
    """Return the part of a question that is read: all of it, or the beginning and the end of a long one.

    They say what it is about, a model reads only the beginning anyway, and each word costs a search.
    """
    if len(question) <= _HEAD + _TAIL:
        return question
    return f"{question[:_HEAD]}\n{question[-_TAIL:]}"


def long_question(question: str) -> str | None:
    """Return a line that says which part of a question was not read; None if all of it was."""
    if len(question) <= _HEAD + _TAIL:
        return None
    between = len(question) - _HEAD - _TAIL
    return (
        f"the question is long: its first {_HEAD:,} and last {_TAIL:,} characters were looked at, "
        f"the {between:,} between them were not"
    )
