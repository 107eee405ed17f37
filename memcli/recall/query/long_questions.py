"""Questions of many thousand characters: a note or a log that was piped in."""

from __future__ import annotations

# What is looked at of a question, in characters: the default model reads about the first 1,200.
_HEAD, _TAIL = 4_000, 1_000


def looked_at(question: str) -> str:
    """What is looked at of a question: of a long one its ends.

    They say what it is about, a model reads no more than its beginning, and each word costs a search.
    """
    if len(question) <= _HEAD + _TAIL:
        return question
    return f"{question[:_HEAD]}\n{question[-_TAIL:]}"


def long_question(question: str) -> str | None:
    """A line about what is not looked at of a question; None where all of it is."""
    if len(question) <= _HEAD + _TAIL:
        return None
    between = len(question) - _HEAD - _TAIL
    return (
        f"the question is long: its first {_HEAD:,} and last {_TAIL:,} characters were looked at, "
        f"the {between:,} between them were not"
    )
