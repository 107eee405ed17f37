"""Weekly days ahead: several weekdays on which something takes place from now on ("now tue+fri")."""

from __future__ import annotations

from itertools import pairwise

from memcli.text.dates import ahead_words as words
from memcli.text.dates.ahead_forms import Mention, weekday_of
from memcli.text.dates.ahead_reading import is_exact, is_next
from memcli.text.dates.ahead_stretches import core_of, stretches
from memcli.text.expressions import expression

_NOW = expression(rf"\b(?:{words.NOW})\b")
_BOTH = expression(rf"\s*(?:,|/|[&+]|\b(?:{words.AND})\b)\s*(?:(?:on|{words.BETWEEN})\s+)*")


def now_weekly(folded: str) -> frozenset[int]:
    """Return the weekdays (Monday is 0) that a case-folded text lists together as valid from now on.

    A single one is not returned: it may be a day to which something was moved.
    """
    if _NOW.search(folded) is None:
        return frozenset()
    alone = [each.first for each in stretches(folded) if each.last is None]
    named = [each for each in alone if isinstance(each, Mention)]
    found: set[int] = set()
    for both in pairwise(named):
        first, second = both
        beside = _BOTH.fullmatch(folded, first.match.end(), core_of(second))
        if beside and all(map(_of_any_week, both)):
            found |= {weekday_of(each.match["day"]) for each in both}
    return frozenset(found)


def _of_any_week(mention: Mention) -> bool:
    match = mention.match
    return bool(match["day"]) and not (is_exact(mention) or match["then"] or is_next(match))
