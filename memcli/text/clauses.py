"""A sentence in clauses, as far as its marks and little words show: what one denies, the next may say."""

from __future__ import annotations

import re

from memcli.text.expressions import expression

_JOINING = (
    r"and|but|so|because|while|although|though|whereas|yet|und|aber|denn|et|mais|car|y|pero|e|ma|en|maar"
)
_OPPOSING = r"but|aber|sondern|mais|pero|sino|ma|maar"
_SUBJECT = (
    r"i|we|he|she|it|they|you|my|our|his|her|their|ich|wir|er|sie|es|wij|je|j['’]|nous|il|elle|on|"
    r"mein\w*|unser\w*|mon|ma|mes|yo|nosotros|él|ella|mi|io|noi|lui|lei|ik"
)
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
