"""A sentence in clauses, as far as its marks and little words show: what one denies, the next may say."""

from __future__ import annotations

import re

from memcli.text.english.vocabulary import PERSON
from memcli.text.expressions import expression

_OPPOSING = r"but|aber|sondern|mais|pero|sino|ma|maar"
_JOINING = rf"and|so|because|while|although|though|whereas|yet|und|denn|et|car|y|e|en|{_OPPOSING}"
_SUBJECT = "|".join((*PERSON, r"it|er|sie|es|wij|j['’]|il|elle|on|él|ella|io|noi|lui|lei|ik"))
# A comma parts clauses only where a subject follows: "I never, ever, fly" is one.
_BORDER = expression(
    rf"(?<=[.!?;:\n])\s+|\s+[–—-]\s+|,?\s+(?=(?:{_OPPOSING})\b)"
    rf"|,\s*(?=(?:(?:{_JOINING})\s+)?(?:{_SUBJECT})(?:\b|(?<=['’])))"
    rf"|\s+(?=(?:{_JOINING})\s+(?:{_SUBJECT})(?:\b|(?<=['’])))",
    re.IGNORECASE,
)


def clauses(text: str) -> list[str]:
    """The clauses of a text in their order; what no border parts is one."""
    return [part for part in map(str.strip, _BORDER.split(text)) if part]
