"""Kinds of sentences by their form alone: a standing instruction, a promise, a goal.

English only, except for instructions. The `Kind` of a memory is judged by `memcli.judgement`.
"""

from __future__ import annotations

import re

from memcli.text.expressions import expression

# The beginning of a standing instruction, in the languages of the stop-words.
_STANDING = expression(
    r"\W*(?:please |bitte |por favor,? )?(?:always|never|from now on|whenever (?:i|we|you)|immer|nie|niemals"
    r"|toujours|jamais|siempre|nunca|sempre|mai|altijd|nooit|всегда|никогда)\b",
    re.IGNORECASE,
)
_PROMISE = (
    r"\b(?:i|we)(?:'ll| will| shall| promised?| owe| need to| have to| agreed to| committed to)\b"
    r"(?! (?:not|never)\b)"
    r"|\b(?:promised|agreed|committed) to\b|\bto-do\b|\btodo:|\bremind (?:me|us)\b|\bdon't forget\b"
)
_GOAL = (
    r"\b(?:goal|plan(?:s|ning)? to|want(?:s|ed)? to|hope(?:s)? to|aim(?:s|ing)? (?:to|for)|would like to"
    r"|working towards|saving (?:up )?for|learning|training for|dream of)\b"
)


def is_standing(text: str) -> bool:
    """True if a text is an instruction that holds from now on: "Always …", "Never …"."""
    return _STANDING.match(text) is not None


def is_promise(text: str) -> bool:
    """True if a text says, in English, that its speaker is still to do something."""
    return _has(_PROMISE, text.replace("\u2019", "'"))


def is_goal(text: str) -> bool:
    """True if a text says, in English, what somebody wants to achieve."""
    return _has(_GOAL, text)


def _has(form: str, text: str) -> bool:
    return re.search(form, text, re.IGNORECASE) is not None
