"""Clauses of a text, split at punctuation and conjunctions: what one clause denies, the next may state."""

from __future__ import annotations

import re

from memcli.text.english.vocabulary import PERSON
from memcli.text.expressions import expression

_OPPOSING = r"but|aber|sondern|mais|pero|sino|ma|maar"
_JOINING = rf"and|so|because|while|although|though|whereas|yet|und|denn|et|car|y|e|en|{_OPPOSING}"
_SUBJECT = "|".join((*PERSON, r"it|er|sie|es|wij|j['’]|il|elle|on|él|ella|io|noi|lui|lei|ik"))
# A comma separates clauses only before a subject: "I never, ever, fly" is one.
_BORDER = expression(
    rf"(?<=[.!?;:\n])\s+|\s+[–—-]\s+|,?\s+(?=(?:{_OPPOSING})\b)"
    rf"|,\s*(?=(?:(?:{_JOINING})\s+)?(?:{_SUBJECT})(?:\b|(?<=['’])))"
    rf"|\s+(?=(?:{_JOINING})\s+(?:{_SUBJECT})(?:\b|(?<=['’])))",
    re.IGNORECASE,
)


def clauses(text: str) -> list[str]:
    """Return the clauses of a text in order."""
    return [part for part in map(str.strip, _BORDER.split(text)) if part]
