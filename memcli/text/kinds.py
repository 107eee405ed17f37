"""What a sentence is by its form alone: a standing instruction, a goal.

English only, but for instructions. Which `Kind` of memory a statement is, `memcli.judgement` judges.
"""

from __future__ import annotations

import re

from memcli.text.expressions import expression

# A standing instruction, by how it begins: in the languages of the stop-words.
_STANDING = expression(
    r"\W*(?:please |bitte |por favor,? )?(?:always|never|from now on|whenever (?:i|we|you)|immer|nie|niemals"
    r"|toujours|jamais|siempre|nunca|sempre|mai|altijd|nooit|всегда|никогда)\b",
    re.IGNORECASE,
)
_GOAL = (
    r"\b(?:goal|plan(?:s|ning)? to|want(?:s|ed)? to|hope(?:s)? to|aim(?:s|ing)? (?:to|for)|would like to"
    r"|working towards|saving (?:up )?for|learning|training for|dream of)\b"
)


def is_standing(text: str) -> bool:
    """Whether a text is an instruction that holds from now on: "Always …", "Never …"."""
    return _STANDING.match(text) is not None


def is_goal(text: str) -> bool:
    """Whether a text tells, in English, what somebody wants to reach."""
    return re.search(_GOAL, text, re.IGNORECASE) is not None
