"""Places where a secret may stand, recognised by context: the rows of tables, and how these are searched.

The literals of a place are looked for before its pattern is compiled, so that a text pays only for the places
that it could hold. Every quantifier in a pattern is bounded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from memcli.named_tuple import NamedTuple
from memcli.text.expressions import ANY_CASE, compiled

Span = tuple[int, int, str, str]
Check = Callable[[re.Match[str]], bool]
# In any case, but for what a pattern sets apart by (?-i:…).
_FLAGS = ANY_CASE | int(re.MULTILINE)


class Place(NamedTuple):
    """A place where the group `known` of a pattern is a secret, if the check agrees."""

    literals: tuple[str, ...]
    """The text in lower case must contain one of them; empty: no condition."""
    pattern: str
    rule: str
    name: str
    check: Check


def literals_of(places: Iterable[Place]) -> frozenset[str]:
    """Return all literals of places."""
    return frozenset(literal for place in places for literal in place.literals)


def present_literals(literals: Iterable[str], lower: str) -> set[str]:
    """Return the literals that a text in lower case contains."""
    return {literal for literal in literals if literal in lower}


def secrets_at_places(places: Sequence[Place], text: str, here: set[str]) -> Iterator[Span]:
    """Yield every secret in these places as (start, end, rule, name); `here` are the literals in the text."""
    for place in places:
        if place.literals and here.isdisjoint(place.literals):
            continue
        for match in compiled(place.pattern, _FLAGS).finditer(text):
            if place.check(match):
                yield *match.span("known"), place.rule, place.name
